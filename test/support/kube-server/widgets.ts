import type { KubeObject, ResourceType } from "../../../src/resources/meta.ts";

/** A kind that means nothing, for tests of what is generic over kinds. */
export const widgetType: ResourceType = {
  group: "example.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

interface WidgetFields {
  readonly namespace?: string;
  /** Default: made of the name, so that the same name is the same object. */
  readonly uid?: string;
  readonly color?: string;
  readonly metadata?: Partial<KubeObject["metadata"]>;
}

/** A Widget at a version. */
export function widget(name: string, resourceVersion: string | number, fields: WidgetFields = {}): KubeObject {
  const { namespace = "ns", uid = `uid-${name}`, color = "red", metadata = {} } = fields;
  return {
    apiVersion: "example.dev/v1",
    kind: "Widget",
    metadata: { name, namespace, uid, resourceVersion: String(resourceVersion), ...metadata },
    spec: { color },
  };
}

/** A page of a list, as the apiserver answers it. */
export function widgetList(
  items: readonly KubeObject[],
  resourceVersion: string | number,
  continueToken?: string,
): object {
  return {
    apiVersion: "example.dev/v1",
    kind: "WidgetList",
    metadata: { resourceVersion: String(resourceVersion), continue: continueToken },
    items,
  };
}
