import { z } from "zod";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { isKubeError } from "../../../src/kube/errors.ts";
import type { KubeRequest, KubeTransport } from "../../../src/kube/exchange.ts";
import { collectionPath, type ObjectId, objectPath } from "../../../src/kube/resource-path.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import { kinds } from "../../../src/resources/kinds.ts";
import { apiVersionOf, type ResourceType } from "../../../src/resources/meta.ts";
import { kubectl, type Target } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";

/**
 * Looks at objects and applies them, over one connection to a cluster. Tests do so thousands of times, and a kubectl for each would take more
 * of the processor than operator, platform and apiserver do for what it asks.
 */

/** Names whoever applies in managedFields, so that what a later manifest leaves out is taken away. */
const FIELD_MANAGER = "tests";

export const coreSecret: ResourceType = core("Secret", "secrets", true);
const configMap: ResourceType = core("ConfigMap", "configmaps", true);
const namespaceType: ResourceType = core("Namespace", "namespaces", false);

const types: readonly ResourceType[] = [...kinds.map(({ type }) => type), coreSecret, configMap, namespaceType];

function core(kind: string, plural: string, namespaced: boolean): ResourceType {
  return { group: "", version: "v1", kind, plural, namespaced };
}

/** A kind of ours by its name. @throws Error where there is none */
export function ourType(kind: string): ResourceType {
  const found = kinds.find(({ type }) => type.kind === kind);
  if (found === undefined) throw new Error(`${kind} is no kind of ours`);
  return found.type;
}

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().default("") }),
  stringData: z.record(z.string(), z.string()).optional(),
  data: z.record(z.string(), z.string()).optional(),
});
type Manifest = z.output<typeof manifestSchema>;

/** An idle connection keeps no process alive, so nobody has to end it. */
const transports = new WeakMap<Target, KubeTransport>();

async function ask(target: Target, request: KubeRequest): Promise<unknown> {
  const transport = transports.get(target) ?? connect(target);
  return (await transport.request(request)).body;
}

function connect(target: Target): KubeTransport {
  const transport = createKubeTransport({
    kubeConfig: { kind: "file", path: target.kubeconfigPath },
    clock: systemClock,
    log: silentLogger,
    meter: silentMeter,
    userAgent: FIELD_MANAGER,
  });
  transports.set(target, transport);
  return transport;
}

function pathOf(type: ResourceType, { namespace, name }: ObjectId): string {
  return objectPath(type, { namespace: type.namespaced ? namespace : "", name });
}

/** The object as the apiserver has it now, or undefined when there is none. */
export async function look(target: Target, type: ResourceType, id: ObjectId): Promise<unknown> {
  try {
    return await ask(target, { method: "GET", path: pathOf(type, id) });
  } catch (error) {
    if (isKubeError(error, "NotFound")) return undefined;
    throw error;
  }
}

/** Sets annotations of an object; null takes one away. @throws KubeError when there is no such object */
export async function annotate(
  target: Target,
  type: ResourceType,
  id: ObjectId,
  annotations: Readonly<Record<string, string | null>>,
): Promise<void> {
  const body = { metadata: { annotations } };
  await ask(target, { method: "PATCH", path: pathOf(type, id), contentType: "application/merge-patch+json", body });
}

/** @throws KubeError when there is one of that name */
export async function createNamespace(target: Target, name: string): Promise<void> {
  const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  await ask(target, { method: "POST", path: collectionPath(namespaceType), contentType: "application/json", body });
}

/**
 * Applies manifests one after the other, as `kubectl apply --server-side` does.
 *
 * @throws KubeError in the apiserver's words, for a field that the kind does not have too
 */
export async function applyAll(target: Target, manifests: readonly unknown[]): Promise<void> {
  const objects = manifests.map((manifest) => manifestSchema.parse(manifest));
  for (const object of objects) {
    const type = typeOf(object);
    if (type === undefined) await applyOther(target, object);
    else {
      await ask(target, {
        method: "PATCH",
        path: pathOf(type, object.metadata),
        query: { fieldManager: FIELD_MANAGER, force: true, fieldValidation: "Strict" },
        contentType: "application/apply-patch+yaml", // JSON is YAML too
        body: encoded(object),
      });
    }
  }
}

function typeOf({ apiVersion, kind }: Manifest): ResourceType | undefined {
  return types.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
}

/** A kind whose path the apiserver would have to be asked for: kubectl does. */
async function applyOther(target: Target, object: Manifest): Promise<void> {
  const args = ["apply", "--server-side", "--force-conflicts", `--field-manager=${FIELD_MANAGER}`, "--filename=-"];
  succeeded(await kubectl(target, args, { stdin: JSON.stringify(object) }));
}

/** `stringData` as the `data` that it becomes: a value belongs to who applied it only under the name by which it is kept. */
function encoded({ stringData, data, ...object }: Manifest): unknown {
  if (stringData === undefined) return data === undefined ? object : { ...object, data };
  const values = Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  return { ...object, data: { ...data, ...Object.fromEntries(values) } };
}
