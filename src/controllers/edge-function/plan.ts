import type { EdgeFunction } from "../../api/contract/functions.ts";
import type { PlannedChange } from "../shared/drift.ts";

/** What an EdgeFunction declares, its defaults included. */
export interface WantedFunction {
  /** undefined: not declared, left as it is */
  readonly name: string | undefined;
  readonly entrypoint: string;
  /** undefined: none */
  readonly importMap: string | undefined;
  readonly verifyJwt: boolean;
  readonly sourceHash: string;
  /** paths of the files of the source; undefined where they were not read: nothing is said of what is not among them */
  readonly paths: readonly string[] | undefined;
}

/** What was deployed last, as the status remembers it. */
export interface DeployedFunction {
  readonly sourceHash?: string | undefined;
  readonly bundleHash?: string | undefined;
  /** whether the environment has changed since */
  readonly outdated?: boolean;
}

/** Settings as an update names them. */
export interface FunctionSettings {
  readonly verify_jwt?: boolean;
  readonly name?: string;
  readonly entrypoint_path?: string;
  readonly import_map?: boolean;
  readonly import_map_path?: string;
}

/** One way in which the function is not as declared. */
export type FunctionChange = PlannedChange &
  (
    | { readonly kind: "deploy"; readonly missing: boolean }
    | { readonly kind: "set"; readonly settings: FunctionSettings }
  );

/**
 * What must be done for a function to be as declared. Pure.
 *
 * Its source is deployed when it is another one than was deployed last, when the platform's bundle is not the one that was made of it,
 * when the function is missing, and when it is to read a changed environment. Settings are compared by themselves, so that one that changed alone
 * needs no upload (K-28); a deployment carries them too.
 */
export function planFunction(
  wanted: WantedFunction,
  remote: EdgeFunction | undefined,
  deployed: DeployedFunction,
): readonly FunctionChange[] {
  const deploy = planDeploy(wanted, remote, deployed);
  return [...(deploy === undefined ? [] : [deploy]), ...(remote === undefined ? [] : planSettings(wanted, remote))];
}

function planDeploy(
  { sourceHash }: WantedFunction,
  remote: EdgeFunction | undefined,
  deployed: DeployedFunction,
): FunctionChange | undefined {
  const missing = remote === undefined;
  const deploy = { kind: "deploy", field: "spec.source", missing } as const;
  if (deployed.sourceHash !== sourceHash) {
    const difference = `source ${sourceHash} after ${deployed.sourceHash ?? "none"}`;
    return { ...deploy, cause: "edit", difference, remembered: true };
  }
  if (missing) return { ...deploy, cause: "declared", difference: "missing" };
  const bundle = remote.ezbr_sha256 ?? undefined;
  if (bundle !== undefined && deployed.bundleHash !== undefined && bundle !== deployed.bundleHash) {
    return { ...deploy, cause: "declared", difference: `bundle ${bundle}` };
  }
  if (deployed.outdated !== true) return undefined;
  return { ...deploy, field: ENVIRONMENT, cause: "edit", difference: "another environment", remembered: true };
}

/** What is named where nothing of the spec makes a function be deployed again, but its environment does. */
export const ENVIRONMENT = "environment";

/**
 * The changes without a deployment for the environment where that would write over drift which is to be left alone: a deployment replaces source and
 * settings whole. Where nothing differs it is due whatever the drift policy says: what changed is declared in the cluster. Pure.
 *
 * @param leavesDrift the spec was in force already, and the drift policy is not Correct
 */
export function sparingDrift(changes: readonly FunctionChange[], leavesDrift: boolean): readonly FunctionChange[] {
  const differs = leavesDrift && changes.some(({ cause }) => cause === "declared");
  return differs ? changes.filter(({ field }) => field !== ENVIRONMENT) : changes;
}

function planSettings(wanted: WantedFunction, remote: EdgeFunction): readonly FunctionChange[] {
  const { name, entrypoint, verifyJwt } = wanted;
  const changes: FunctionChange[] = [];
  const set = (field: string, settings: FunctionSettings, found: unknown): void => {
    const difference = `${JSON.stringify(settings)} after ${JSON.stringify(found ?? null)}`;
    changes.push({ kind: "set", field, settings, cause: "declared", difference });
  };
  // What the platform does not tell counts as another value: nothing is taken for protected that was not seen to be.
  if (remote.verify_jwt !== verifyJwt) set("spec.verifyJwt", { verify_jwt: verifyJwt }, remote.verify_jwt);
  if (name !== undefined && remote.name !== name) set("spec.name", { name }, remote.name);
  if (!samePath(remote.entrypoint_path, entrypoint)) {
    set("spec.entrypoint", { entrypoint_path: entrypoint }, remote.entrypoint_path);
  }
  const importMap = importMapSettings(wanted, remote);
  if (importMap !== undefined) set("spec.importMap", importMap, [remote.import_map, remote.import_map_path]);
  return changes;
}

/** Whether settings that need no look at the source are not as declared. */
export function settingsDiffer(
  {
    name,
    entrypoint,
    verifyJwt,
  }: Pick<WantedFunction, "entrypoint" | "verifyJwt"> & Partial<Pick<WantedFunction, "name">>,
  remote: EdgeFunction,
): boolean {
  const wanted = { name, entrypoint, verifyJwt, importMap: undefined, paths: undefined, sourceHash: "" };
  return planSettings(wanted, remote).length > 0;
}

/**
 * An import map that is not declared any more is switched off where its file is gone from the source: a deployment keeps what it does not
 * name, "stale import_map_path" (facts.md §6.7). One that the platform found in the source by itself is left alone.
 */
function importMapSettings({ importMap, paths }: WantedFunction, remote: EdgeFunction): FunctionSettings | undefined {
  const { import_map: used, import_map_path: found } = remote;
  if (importMap !== undefined) {
    const same = used !== false && samePath(found, importMap);
    return same ? undefined : { import_map: true, import_map_path: importMap };
  }
  const gone = typeof found === "string" && paths !== undefined && !paths.some((path) => samePath(found, path));
  const stale = used === true && gone;
  return stale ? { import_map: false } : undefined;
}

/**
 * Whether the platform's path is the declared one. It may come back as a URL, or below a folder of the platform's own: that is no drift. A
 * path that the platform does not tell is not compared.
 */
export function samePath(found: string | null | undefined, declared: string): boolean {
  if (found === undefined || found === null) return true;
  const absolute = /^(file:\/)?\//.test(found);
  return absolute ? found.endsWith(`/${declared}`) : found.replace(/^(\.\/)+/, "") === declared;
}

/** The settings of several changes. */
export function joined(changes: readonly { readonly settings: FunctionSettings }[]): FunctionSettings {
  return changes.reduce<FunctionSettings>((all, { settings }) => ({ ...all, ...settings }), {});
}

/** Of the settings that were to be changed, those that are not as declared (yet). */
export function settingsLeft(
  due: readonly FunctionChange[],
  wanted: WantedFunction,
  remote: EdgeFunction,
): readonly Extract<FunctionChange, { kind: "set" }>[] {
  const fields = new Set(due.map(({ field }) => field));
  return planSettings(wanted, remote).flatMap((change) =>
    change.kind === "set" && fields.has(change.field) ? [change] : [],
  );
}
