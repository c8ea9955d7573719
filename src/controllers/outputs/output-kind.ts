import type { KubeClient } from "../../kube/client.ts";
import type { Reason } from "../../resources/conditions.ts";
import type { ObjectMeta, ResourceType } from "../../resources/meta.ts";
import { BINDING_SECRET_TYPE } from "../../resources/outputs/spec.ts";
import { readConfigMap, readSecret } from "../shared/core-objects.ts";
import { configMapType, secretType } from "../shared/core-types.ts";

/** The two kinds of objects that outputs are, where they differ. */

interface OutputName {
  readonly namespace: string;
  readonly name: string;
}

/** An output as it is in the cluster. */
export interface LiveOutput {
  readonly metadata: ObjectMeta;
  readonly entries: ReadonlyMap<string, string>;
  /** of another type than an output, which cannot be changed */
  readonly otherType: boolean;
  readonly immutable: boolean;
  /** members that an output never has */
  readonly surplus: readonly string[];
}

export interface OutputKind {
  readonly kind: "Secret" | "ConfigMap";
  readonly type: ResourceType;
  readonly field: "spec.writeConnectionSecretToRef" | "spec.writeConnectionConfigMapToRef";
  readonly notOwned: Reason;
  /** members of a new one beside metadata and data */
  readonly members: object;
  /** a text as `data` holds it */
  encode(text: string): string;
  read(kube: KubeClient, place: OutputName, signal: AbortSignal): Promise<LiveOutput | undefined>;
}

export const secretOutput: OutputKind = {
  kind: "Secret",
  type: secretType,
  field: "spec.writeConnectionSecretToRef",
  notOwned: "SecretNotOwned",
  members: { type: BINDING_SECRET_TYPE },
  encode: (text) => Buffer.from(text, "utf8").toString("base64"),
  read: async (kube, place, signal) => {
    const secret = await readSecret(kube, place, signal);
    if (secret === undefined) return undefined;
    const { metadata, data, type, immutable } = secret;
    return {
      metadata,
      entries: new Map(Object.entries(data).map(([key, bytes]) => [key, bytes.toString("utf8")])),
      otherType: type !== BINDING_SECRET_TYPE,
      immutable: immutable === true,
      surplus: [],
    };
  },
};

export const configMapOutput: OutputKind = {
  kind: "ConfigMap",
  type: configMapType,
  field: "spec.writeConnectionConfigMapToRef",
  notOwned: "ConfigMapNotOwned",
  members: {},
  encode: (text) => text,
  read: async (kube, place, signal) => {
    const found = await readConfigMap(kube, place, signal);
    if (found === undefined) return undefined;
    const { metadata, data, binaryData, immutable } = found;
    return {
      metadata,
      entries: new Map(Object.entries(data)),
      otherType: false,
      immutable: immutable === true,
      surplus: Object.keys(binaryData).length === 0 ? [] : ["binaryData"],
    };
  },
};
