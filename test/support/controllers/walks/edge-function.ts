import fc from "fast-check";
import { planFunction } from "../../../../src/controllers/edge-function/plan.ts";
import { sourceHash } from "../../../../src/controllers/edge-function/source-hash.ts";
import {
  artifactFolder,
  type FluxSourceKind,
  fluxSourceKinds,
} from "../../../../src/resources/edge-function/artifact.ts";
import { edgeFunctionKind } from "../../../../src/resources/edge-function/kind.ts";
import { READY } from "../../artifacts/flux.ts";
import { sha256 } from "../../stage/functions.ts";
import { putFluxSource } from "../flux-source.ts";
import { words } from "./words.ts";
import type { Walked, Walker } from "./walk.ts";

const ENTRIES = ["index.ts", "src/main.ts"] as const;
const IMPORT_MAPS = ["deno.json", "lib/import_map.json"] as const;
const FOLDERS = ["functions/one", "./functions/two/"] as const;

interface Spec {
  readonly name: string | undefined;
  readonly entrypoint: (typeof ENTRIES)[number] | undefined;
  readonly importMap: (typeof IMPORT_MAPS)[number] | undefined;
  readonly verifyJwt: boolean | undefined;
  readonly staticPatterns: readonly string[] | undefined;
  readonly text: string;
  readonly more: boolean;
  /** the source of Flux that publishes the files; undefined: they stand in the spec */
  readonly artifact: { readonly kind: FluxSourceKind; readonly path: (typeof FOLDERS)[number] | undefined } | undefined;
}

type Hand =
  | { readonly set: { readonly name?: string; readonly verify_jwt?: boolean } }
  | { readonly entrypoint: (typeof ENTRIES)[number] }
  | { readonly deploy: string }
  | { readonly remove: true };

function filesOf({ entrypoint = "index.ts", importMap, text, more }: Spec): Readonly<Record<string, string>> {
  return {
    [entrypoint]: text,
    ...(importMap === undefined ? {} : { [importMap]: "{}" }),
    ...(more ? { "lib/more.ts": `// ${text}` } : {}),
  };
}

const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

/** An EdgeFunction of the Project `shop`, its files in the spec or in an artifact of Flux. Hands change its settings, deploy something else, or delete it. */
export const walkedFunction: Walked<Spec, Hand> = {
  kind: edgeFunctionKind,
  specs: fc.record({
    name: some(words),
    entrypoint: some(fc.constantFrom(...ENTRIES)),
    importMap: some(fc.constantFrom(...IMPORT_MAPS)),
    verifyJwt: some(fc.boolean()),
    staticPatterns: some(fc.uniqueArray(fc.constantFrom("static/*.html", "*.txt", "a b"), { maxLength: 2 })),
    text: fc.string({ unit: "grapheme", maxLength: 30 }),
    more: fc.boolean(),
    artifact: some(fc.record({ kind: fc.constantFrom(...fluxSourceKinds), path: some(fc.constantFrom(...FOLDERS)) })),
  }),
  hands: fc.oneof(
    fc.record({ set: fc.record({ name: words, verify_jwt: fc.boolean() }, { requiredKeys: [] }) }),
    fc.record({ entrypoint: fc.constantFrom(...ENTRIES) }),
    fc.record({ deploy: fc.string({ minLength: 1, maxLength: 10 }).map((text) => `by hand ${text}`) }),
    fc.constant({ remove: true as const }),
  ),
  supply: async ({ theatre, life, artifacts, name }, spec) => {
    if (spec.artifact === undefined) return;
    const { kind, path } = spec.artifact;
    const folder = artifactFolder({ path });
    const files = Object.fromEntries(
      Object.entries(filesOf(spec)).map(([file, text]) => [folder === "" ? file : `${folder}/${file}`, text] as const),
    );
    // What is beside the folder is none of the function's.
    const others = folder === "" ? {} : { "README.md": spec.text, "functions/other/index.ts": "// another one" };
    const artifact = artifacts.publish({ ...others, ...files });
    await putFluxSource(theatre, life, { kind, name, state: { artifact, ready: READY } });
  },
  manifest: ({ text, more, artifact, ...spec }, name) => ({
    projectRef: { name: "shop" },
    source:
      artifact === undefined
        ? { inline: { files: filesOf({ text, more, artifact, ...spec }) } }
        : {
            artifactRef: { kind: artifact.kind, name, ...(artifact.path === undefined ? {} : { path: artifact.path }) },
          },
    ...Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)),
  }),
  act: async ({ client, ref, name }, hand) => {
    const at = { ref: ref(), function_slug: name };
    if ("set" in hand) return void (await client.functions.update({ ...at, body: hand.set }));
    if ("entrypoint" in hand) {
      return void (await client.functions.update({ ...at, entrypoint_path: hand.entrypoint, body: {} }));
    }
    if ("remove" in hand) return client.functions.delete(at);
    const body = { metadata: { entrypoint_path: "by-hand.ts" }, files: [{ path: "by-hand.ts", content: hand.deploy }] };
    await client.functions.deploy({ ref: ref(), slug: name, body });
  },
  look: async (walker, spec, { status }) => {
    const { client, ref, name: slug } = walker;
    const remote = (await client.functions.list({ ref: ref() })).find((one) => one.slug === slug);
    const { entrypoint = "index.ts", importMap, verifyJwt = true, name, staticPatterns } = spec;
    const files = Object.entries(filesOf(spec)).map(([path, content]) => ({ path, content }));
    const hash = sourceHash(files, { entrypoint, importMap, staticPatterns });
    const paths = files.map(({ path }) => path);
    const wanted = { name, entrypoint, importMap, verifyJwt, sourceHash: hash, paths };
    const planned = planFunction(wanted, remote, status as object).map(({ field }) => field);
    return { planned, fields: await fieldsOf(walker, spec) };
  },
  expected: (spec, before) => {
    const { entrypoint = "index.ts", importMap, verifyJwt = true, staticPatterns = [] } = spec;
    return {
      // What is not declared and not there begins with a default.
      name: spec.name ?? before["name"] ?? before["slug"],
      slug: before["slug"],
      entrypoint,
      verifyJwt,
      staticPatterns: staticPatterns.toSorted(),
      files: Object.fromEntries(Object.entries(filesOf(spec)).map(([path, text]) => [path, sha256(text)])),
      importMap: importMap ?? "not declared",
    };
  },
};

async function fieldsOf(
  { theatre, ref, name: slug }: Walker,
  { importMap }: Spec,
): Promise<Readonly<Record<string, unknown>>> {
  const { projects } = await theatre.emulator.control.state.read({});
  const found = projects.find((project) => project.ref === ref())?.functions.find((one) => one.slug === slug);
  return {
    name: found?.name,
    slug,
    entrypoint: found?.entrypointPath,
    verifyJwt: found?.verifyJwt,
    staticPatterns: found?.staticPatterns.toSorted(),
    files: Object.fromEntries((found?.files ?? []).map(({ path, sha256: digest }) => [path, digest])),
    importMap: importMap === undefined ? "not declared" : found?.importMapPath,
  };
}
