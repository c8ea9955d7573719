import { isDeepStrictEqual } from "node:util";
import { ApiFailure } from "../failure.ts";
import type { FunctionRecord } from "../functions/function-state.ts";
import { definedOnly } from "../state/defined-only.ts";
import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { takeBundleFailure } from "../functions/deploy.ts";
import { nextVersion } from "../functions/function-record.ts";
import { storeFunctions } from "../functions/function-store.ts";

/** What the deploy step of a run comes to: lines for its log, and whether it failed. */
export interface FunctionsDeployed {
  readonly lines: readonly string[];
  readonly failed: boolean;
}

/**
 * Deploys the functions of one project into another, all or none. Those that are the same there already are left, further ones stay. What
 * stops a deploy stops this as well: a function that does not bundle, the plan's number of functions.
 */
export function deployFunctions(world: World, from: string, to: string): FunctionsDeployed {
  try {
    return deployed(world, from, to);
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    return refused(error.message);
  }
}

/** @throws ApiFailure for what refuses a deploy to whoever asks for it */
function deployed(world: World, from: string, to: string): FunctionsDeployed {
  const changed: FunctionRecord[] = [];
  const lines: string[] = [];
  for (const [slug, source] of world.functions.of(from)) {
    const known = world.functions.get(to, slug);
    if (known !== undefined && isDeepStrictEqual(contentOf(source), contentOf(known))) {
      lines.push(`Function ${slug} is unchanged`);
      continue;
    }
    const next = deployedFrom(source, known, world.clock.now());
    const failure = takeBundleFailure(world, to, slug);
    if (failure !== undefined) return refused(`Failed to bundle function ${slug}: ${failure.message}`);
    changed.push(next);
    lines.push(`Deployed function ${slug}, version ${next.version}`);
  }
  storeFunctions(world, to, changed);
  return { lines: lines.length === 0 ? ["No functions to deploy"] : lines, failed: false };
}

function refused(line: string): FunctionsDeployed {
  return { lines: [line], failed: true };
}

/**
 * What a deploy carries, without what is said of it, and the same whether or not it was saved in between: a bundle is known by its hash, and what
 * is undefined is left out.
 */
function contentOf(known: FunctionRecord): object {
  const { id: _id, version: _version, createdAtMs: _createdAt, updatedAtMs: _updatedAt, ...rest } = known;
  const { declaredSha256: _declaredSha256, bundle, ...settings } = rest;
  return definedOnly({ ...settings, sha256: bundle?.sha256, bundleEntrypoint: bundle?.entrypointPath });
}

function deployedFrom(source: FunctionRecord, known: FunctionRecord | undefined, nowMs: number): FunctionRecord {
  return {
    ...source,
    id: known?.id ?? newId(),
    version: nextVersion(known ?? { slug: source.slug, version: 0 }),
    createdAtMs: known?.createdAtMs ?? nowMs,
    updatedAtMs: nowMs,
    declaredSha256: undefined,
  };
}
