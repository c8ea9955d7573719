import { type ArtifactError, isArtifactError } from "../../artifacts/errors.ts";
import { artifactFolder } from "../../resources/edge-function/artifact.ts";
import type { Reason } from "../../resources/conditions.ts";
import { TransientError } from "../../runtime/outcome.ts";
import type { FunctionObject } from "../environment.ts";
import { terminal, waitingForObject, waitingUntold } from "../shared/failures.ts";
import { findFluxSource, type FluxArtifact } from "../shared/flux-types.ts";
import { complete, type CompleteFiles, type DeploySource, sourceOf, type FunctionSpec } from "./complete-source.ts";
import type { FunctionRun } from "./context.ts";

/** A source that is an artifact of Flux: read from the cluster, and fetched only where another one is published than the one in force. */

type ArtifactRef = NonNullable<FunctionSpec["source"]["artifactRef"]>;

/** How long an artifact that was refused is left alone where no other one is published, milliseconds: its server may have been at fault. */
const REFUSED_RECHECK_MS = 600_000;

interface Published {
  readonly ref: ArtifactRef;
  readonly artifact: FluxArtifact;
  readonly folder: string;
}

/**
 * The source that an artifact is. Its files are not fetched where status.artifact says that they are those that were deployed.
 *
 * @throws WaitingError ReferenceNotFound or ReferenceNotReady: the source object is not there, not Ready, or has no artifact; a change of it wakes the
 *   object. TransientError ArtifactUnavailable; TerminalError ArtifactRefused, or InvalidSpec: a file that the spec names is not in it
 */
export async function artifactSource(
  run: FunctionRun,
  object: FunctionObject,
  ref: ArtifactRef,
): Promise<DeploySource> {
  const { spec } = object;
  const published = { ref, artifact: requireArtifact(run, ref), folder: artifactFolder(ref) };
  const read = async (): Promise<CompleteFiles> => complete(await readFiles(run, published), spec, placeOf(published));
  const deployed = deployedSource(run, object, published);
  if (deployed !== undefined) {
    const origin = originOf(published, deployed.importMap);
    return { ...deployed, paths: undefined, origin, files: async () => (await read()).files };
  }
  const files = await read();
  return sourceOf(files, spec, originOf(published, files.importMap));
}

function requireArtifact({ environment, key: { namespace }, status }: FunctionRun, ref: ArtifactRef): FluxArtifact {
  const { kind, name } = ref;
  const found = findFluxSource(environment.fluxSources, { kind, namespace, name });
  const sourceName = `${kind} ${name}`;
  if (found === undefined) {
    const message = `there is no ${sourceName} in namespace ${namespace}, or no such kind in the cluster yet`;
    throw waitingForObject("ReferenceNotFound", message);
  }
  const { artifact, ready } = found;
  if (artifact === undefined) {
    throw waitingForObject("ReferenceNotReady", `the ${sourceName} has no artifact yet${becauseOf(ready)}`);
  }
  // What is in force stays so: a source that cannot be reached for a while takes nothing back.
  const inForce = status.current.artifact?.digest === artifact.digest;
  if (ready !== undefined && ready.status !== "True" && !inForce) {
    throw waitingForObject("ReferenceNotReady", `the ${sourceName} is not Ready${becauseOf(ready)}`);
  }
  return artifact;
}

/** The reason of its condition, where that is a word: its message is somebody else's text. */
function becauseOf(ready: { readonly reason: string } | undefined): string {
  return ready !== undefined && /^[A-Za-z]{1,64}$/.test(ready.reason) ? ` (${ready.reason})` : "";
}

/** What is in force, where it was made of that very artifact by that very spec. */
function deployedSource(
  { status }: FunctionRun,
  { metadata, status: recorded }: FunctionObject,
  { artifact: { digest }, folder }: Published,
): Pick<DeploySource, "hash" | "importMap"> | undefined {
  const { artifact: used, sourceHash: hash, syncedGeneration } = status.current;
  if (hash === undefined || used === undefined || recorded.recordedFor !== metadata.uid) return undefined;
  const same = used.digest === digest && (used.path ?? "") === folder && syncedGeneration === metadata.generation;
  return same ? { hash, importMap: used.importMap } : undefined;
}

function originOf(
  { ref: { kind, name }, artifact: { revision, digest }, folder }: Published,
  importMap: string | undefined,
): DeploySource["origin"] {
  const path = folder === "" ? undefined : folder;
  return { source: undefined, artifact: { kind, name, revision, digest, path, importMap } };
}

function placeOf({ ref: { kind, name }, folder }: Published): string {
  return `the artifact of the ${kind} ${name}${folder === "" ? "" : `, below ${folder},`}`;
}

async function readFiles(run: FunctionRun, published: Published): Promise<CompleteFiles["files"]> {
  const { artifact, folder } = published;
  const { environment, key, signal } = run;
  try {
    return await environment.artifacts.read(artifact, { folder, group: key.namespace, signal });
  } catch (error) {
    if (isArtifactError(error)) throw explainArtifact(error, published);
    throw error;
  }
}

function explainArtifact(error: ArtifactError, { ref: { kind, name } }: Published): Error {
  const message = `could not read the artifact of the ${kind} ${name}: ${error.message}`;
  switch (error.code) {
    case "Busy":
      return waitingUntold("Deploying", message);
    case "Unavailable":
      return new TransientError("ArtifactUnavailable" satisfies Reason, message, { cause: error });
    case "Refused":
      return terminal("ArtifactRefused", message, { cause: error, recheckAfterMs: REFUSED_RECHECK_MS });
    default:
      return error.code satisfies never;
  }
}
