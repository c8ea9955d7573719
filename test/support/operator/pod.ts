/**
 * test/support/operator: installs the chart with the real helm and runs what its Pods would run, as processes of this machine, with the
 * chart's own arguments, environment, mounted files and ServiceAccount. Nothing here knows the operator's kinds.
 *
 * This file does what a node's kubelet does with a Pod spec before it starts the container.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { Target } from "../programs/kubectl.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import type { Container, EnvironmentVariable, PodSpec, Volume } from "./pod-schema.ts";
import { accountToken, serviceAccountKubeconfig } from "./service-account.ts";

/** A Pod that could be scheduled: where and as what. */
export interface Pod {
  readonly name: string;
  readonly namespace: string;
  readonly spec: PodSpec;
}

/** A process that stands for the Pod's container. */
export interface PodProcess {
  readonly args: readonly string[];
  /** The whole environment of the process, this machine's own excluded but for PATH. */
  readonly env: Readonly<Record<string, string>>;
}

const dataSchema = z.object({ data: z.record(z.string(), z.string()).default({}) });

type DataKind = "configmap" | "secret";

async function readData(
  target: Target,
  kind: DataKind,
  place: { namespace: string; name: string },
): Promise<ReadonlyMap<string, Buffer>> {
  const args = ["--namespace", place.namespace, "get", kind, place.name, "--output=json"];
  const { data } = dataSchema.parse(JSON.parse(succeeded(await kubectl(target, args))));
  const encoding = kind === "secret" ? "base64" : "utf8";
  return new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)]));
}

async function readKey(
  target: Target,
  kind: DataKind,
  place: { namespace: string; name: string; key: string },
): Promise<string> {
  const value = (await readData(target, kind, place)).get(place.key);
  if (value === undefined) throw new Error(`${kind} ${place.namespace}/${place.name} has no key ${place.key}`);
  return value.toString("utf8");
}

/** Replaces `$(NAME)` by what is known under the name, and leaves the rest as it stands; `$$` is a dollar sign. */
export function expand(text: string, known: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$(?:\$|\(([^)]+)\))/gu, (match, name: string | undefined) =>
    name === undefined ? "$" : (known.get(name) ?? match),
  );
}

async function valueOf(target: Target, pod: Pod, variable: EnvironmentVariable): Promise<string> {
  if ("value" in variable) return variable.value;
  const from = variable.valueFrom;
  if ("secretKeyRef" in from) return readKey(target, "secret", { namespace: pod.namespace, ...from.secretKeyRef });
  if ("configMapKeyRef" in from) {
    return readKey(target, "configmap", { namespace: pod.namespace, ...from.configMapKeyRef });
  }
  const fields = new Map([
    ["metadata.name", pod.name],
    ["metadata.namespace", pod.namespace],
    ["spec.serviceAccountName", pod.spec.serviceAccountName],
  ]);
  const value = fields.get(from.fieldRef.fieldPath);
  if (value === undefined) throw new Error(`this stand-in for a node knows no field ${from.fieldRef.fieldPath}`);
  return value;
}

async function environment(target: Target, pod: Pod, container: Container): Promise<Map<string, string>> {
  // As in a real Pod, the address of the Kubernetes API can be referred to; unlike there, it is not in the environment itself.
  const known = new Map([["KUBERNETES_SERVICE_HOST", "127.0.0.1"]]);
  const own = new Map<string, string>();
  for (const variable of container.env) {
    const value = expand(await valueOf(target, pod, variable), known);
    known.set(variable.name, value);
    own.set(variable.name, value);
  }
  return own;
}

async function filesOf(target: Target, pod: Pod, volume: Volume): Promise<ReadonlyMap<string, Buffer>> {
  const { namespace } = pod;
  if ("configMap" in volume) return readData(target, "configmap", { namespace, name: volume.configMap.name });
  if ("secret" in volume) return readData(target, "secret", { namespace, name: volume.secret.secretName });
  const [{ serviceAccountToken }] = volume.projected.sources;
  const { audience, expirationSeconds, path } = serviceAccountToken;
  const account = { namespace, name: pod.spec.serviceAccountName };
  const token = await accountToken(target, account, { audience, seconds: expirationSeconds });
  return new Map([[path, Buffer.from(token, "utf8")]]);
}

async function writeVolume(target: Target, pod: Pod, volume: Volume, directory: string): Promise<void> {
  const files = await filesOf(target, pod, volume);
  mkdirSync(directory, { recursive: true });
  for (const [name, content] of files) writeFileSync(join(directory, name), content, { mode: 0o600 });
}

/** Writes the mounted files below `directory`; the result rewrites an argument that names one of them. */
async function mount(target: Target, pod: Pod, directory: string): Promise<(argument: string) => string> {
  const [container] = pod.spec.containers;
  const moved = new Map<string, string>();
  for (const { name, mountPath } of container.volumeMounts) {
    const volume = pod.spec.volumes.find((one) => one.name === name);
    if (volume === undefined) throw new Error(`the mount ${mountPath} names the volume ${name}, which is not there`);
    await writeVolume(target, pod, volume, join(directory, name));
    moved.set(mountPath, join(directory, name));
  }
  return (argument) => {
    const hit = [...moved].find(([path]) => argument.startsWith(`${path}/`));
    return hit === undefined ? argument : argument.replace(hit[0], hit[1]);
  };
}

/**
 * What a node would start for the Pod: arguments and environment of its one container with every reference resolved, its volumes as
 * files below `directory`, and its ServiceAccount's token in a kubeconfig that `--kubeconfig` names, since there is no Pod to find it in.
 *
 * @throws Error when a ConfigMap, Secret or ServiceAccount that the Pod names is not there
 */
export async function podProcess(target: Target, pod: Pod, directory: string): Promise<PodProcess> {
  mkdirSync(directory, { recursive: true });
  const [container] = pod.spec.containers;
  const variables = await environment(target, pod, container);
  const moved = await mount(target, pod, directory);
  const account = { namespace: pod.namespace, name: pod.spec.serviceAccountName };
  const kubeconfig = join(directory, `${pod.name}.kubeconfig`);
  await serviceAccountKubeconfig(target, account, kubeconfig);
  return {
    args: [...container.args.map((argument) => moved(expand(argument, variables))), "--kubeconfig", kubeconfig],
    env: { PATH: process.env["PATH"] ?? "", ...Object.fromEntries(variables) },
  };
}
