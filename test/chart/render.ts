/**
 * test/chart: what the chart renders, with the real helm and no cluster. What a cluster does with it is proved by
 * test/e2e/install*.e2e.test.ts.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseAllDocuments, parse } from "yaml";
import { z } from "zod";
import { toolPath } from "../../tools/programs.ts";
import { chartDirectory } from "../support/operator/chart.ts";
import type { RunResult } from "../support/programs/run.ts";
import { run, succeeded } from "../support/programs/run.ts";

const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});
/** An object that the chart renders. */
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;

/** Values as in a values file. */
export type Values = Readonly<Record<string, unknown>>;

/** A values file of this folder, by the name of the case that it stands for. */
export function valuesFile(name: "cluster-wide" | "namespaced" | "alone"): Values {
  const path = fileURLToPath(new URL(`values/${name}.yaml`, import.meta.url));
  return z.record(z.string(), z.unknown()).parse(parse(readFileSync(path, "utf8")));
}

/** What differs from the install that the README shows. */
export interface RenderOptions {
  readonly namespace?: string;
  readonly name?: string;
  /** Further arguments of helm. */
  readonly args?: readonly string[];
}

/** Runs `helm template`; a failure is a result. */
export function template(values: Values, options: RenderOptions = {}): Promise<RunResult> {
  const args = ["template", options.name ?? "baas-operator", chartDirectory, "--values", "-"];
  const place = ["--namespace", options.namespace ?? "baas-system", ...(options.args ?? [])];
  return run(toolPath("helm"), [...args, ...place], { stdin: JSON.stringify(values) });
}

/** What the chart renders for some values. */
export async function render(values: Values = {}, options: RenderOptions = {}): Promise<readonly Manifest[]> {
  return parseAllDocuments(succeeded(await template(values, options)))
    .map((document) => z.union([z.null(), manifestSchema]).parse(document.toJS()))
    .filter((manifest) => manifest !== null);
}

/** The objects of a kind. */
export function ofKind(manifests: readonly Manifest[], kind: string): readonly Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

/**
 * The one object of a kind (and name).
 *
 * @throws Error when there are more or fewer
 */
export function only(manifests: readonly Manifest[], kind: string, name?: string): Manifest {
  const found = ofKind(manifests, kind).filter((manifest) => name === undefined || manifest.metadata.name === name);
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new Error(`${found.length} objects of kind ${kind} ${name ?? ""} instead of one`);
  }
  return first;
}

/** "Kind namespace/name" of an object, and its hook where it is one. */
export function identity({ kind, metadata }: Manifest): string {
  const place = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
  const hook = metadata.annotations["helm.sh/hook"];
  return `${kind} ${place}${hook === undefined ? "" : ` (${hook})`}`;
}
