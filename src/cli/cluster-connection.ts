import { parse } from "yaml";
import { sleep } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { errorFacts, errorFields } from "../base/error-facts.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import { FIELD_MANAGER } from "../controllers/shared/finalizers.ts";
import type { KubeClient } from "../kube/client.ts";
import { isKubeError } from "../kube/errors.ts";
import { clusterConnectionKind } from "../resources/connection/kind.ts";
import { z } from "zod";
import { backoffMs } from "../runtime/backoff.ts";
import { UsageError } from "./flags.ts";

/** The flag that names its file. */
export const CLUSTER_CONNECTION = "cluster-connection-file";

/** Only what makes it one: the apiserver checks the rest. */
const manifestSchema = z.looseObject({
  apiVersion: z.literal("baas.dev/v1alpha1"),
  kind: z.literal("ClusterConnection"),
  metadata: z.looseObject({ name: z.string().min(1) }),
});

export type ClusterConnectionManifest = z.output<typeof manifestSchema>;

/** @throws UsageError for what is no manifest of one */
export function parseClusterConnection(text: string): ClusterConnectionManifest {
  const { success, data } = manifestSchema.safeParse(yamlOf(text));
  if (success) return data;
  throw new UsageError(
    `--${CLUSTER_CONNECTION}: expected the manifest of a ClusterConnection, with apiVersion: baas.dev/v1alpha1, kind: ClusterConnection and metadata.name`,
  );
}

/** undefined for what is no YAML: the parser's words quote lines. */
function yamlOf(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

interface Applying {
  readonly kube: KubeClient;
  readonly manifest: ClusterConnectionManifest;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/**
 * Applies the ClusterConnection that an installation brings with it (server-side apply), so that a chart needs no custom resource among its
 * templates, which Helm could not create in the same release as its definition. One that is refused is tried again beside the workers, since whoever
 * needs no such connection need not stand still for it: this resolves after the first try, whatever becomes of it.
 */
export async function applyClusterConnection(applying: Applying, signal: AbortSignal): Promise<void> {
  const refused = await refusalOf(applying, signal);
  if (refused === undefined || signal.aborted) return;
  tell(applying, refused);
  void keepTrying(applying, wordsOf(refused), signal);
}

/** Never rejects: the end of the process is its end. */
async function keepTrying(applying: Applying, first: string, signal: AbortSignal): Promise<void> {
  const { clock, random, log } = applying;
  const isOver = (): boolean => signal.aborted;
  let told = first;
  for (let failures = 1; ; failures++) {
    await sleep(clock, backoffMs(failures, random), signal).catch(() => undefined);
    if (isOver()) return;
    const refused = await refusalOf(applying, signal);
    if (refused === undefined) return log.info({}, `--${CLUSTER_CONNECTION}: applied`);
    if (isOver()) return;
    if (wordsOf(refused) === told) continue;
    told = wordsOf(refused);
    tell(applying, refused);
  }
}

/** What it was refused with; undefined once it is applied. */
async function refusalOf({ kube, manifest }: Applying, signal: AbortSignal): Promise<unknown> {
  try {
    await kube.apply(clusterConnectionKind.type, manifest, { fieldManager: `${FIELD_MANAGER}-install`, signal });
    return undefined;
  } catch (error) {
    return error ?? new Error("nothing was thrown");
  }
}

function tell({ log }: Applying, refused: unknown): void {
  const words = `--${CLUSTER_CONNECTION}: ${wordsOf(refused)}; the operator goes on without it and tries again`;
  log.error(errorFields(refused), words);
}

/** The apiserver's words of each field. Where one is wrong it adds one without a name, of rules that it did not look at for that. */
function wordsOf(error: unknown): string {
  const causes = isKubeError(error, "Invalid") ? error.causes : [];
  const named = causes.filter(({ field = "<nil>" }) => field !== "<nil>");
  if (named.length === 0) return errorFacts(error).message;
  return named.map(({ field, message = "refused" }) => `${field}: ${message}`).join("; ");
}
