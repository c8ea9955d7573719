import { createHash } from "node:crypto";
import fc from "fast-check";
import { z } from "zod";
import { deployForm, type EmulatorUnderTest } from "../api.ts";
import { type Modelled, modelled, PROJECT, type Request, type Resource } from "./resource.ts";

/** Edge functions, in every form in which they are made and changed. */

interface FunctionState {
  readonly id: string;
  readonly name: string;
  readonly version: number;
  readonly status: string;
  readonly created_at: number;
  readonly verify_jwt: boolean;
  readonly import_map: boolean;
  readonly import_map_path: string | null;
  readonly entrypoint_path: string | null;
  /** what was uploaded last, as it is read; null: there is none, which reads as 404 */
  readonly upload: string | null;
  /** the hash that somebody said; undefined: the upload's own */
  readonly declared: string | undefined;
}
type All = Readonly<Record<string, FunctionState>>;

/** What is left out of a request is undefined. */
interface Said {
  readonly verify: boolean | undefined;
  readonly sha256: string | undefined;
  readonly importMap: boolean | undefined;
  readonly importMapPath: string | undefined;
  readonly entrypoint: string | undefined;
}
interface Deploy {
  readonly deploy: string;
  readonly content: string;
  readonly verify: boolean | undefined;
  readonly withMap: boolean;
  readonly bundleOnly: boolean;
}
interface Create extends Said {
  readonly create: string;
  readonly content: string;
}
interface Patch extends Said {
  readonly patch: string;
  readonly content: string | undefined;
}
interface Put extends Said {
  readonly slug: string;
  readonly id: string;
  readonly version: number;
  readonly status: string;
  readonly createdAt: number | undefined;
}
type FunctionCommand = Deploy | Create | Patch | { readonly put: readonly Put[] } | { readonly remove: string };

/** The bad ones are seldom: what was accepted is what is looked at. */
const SLUGS = ["hello", "other", "hello", "other"];
const STATUSES = ["ACTIVE", "THROTTLED", "ACTIVE", "ASLEEP"];
const slug = fc.constantFrom(...SLUGS);
const newSlug = fc.constantFrom(...SLUGS, "9bad");
const someSlug = fc.constantFrom(...SLUGS, "none");
const content = fc.constantFrom("1", "2", "ä");
const maybe = <T>(...values: readonly [T, ...T[]]) =>
  fc.constantFrom<(T | undefined)[]>(...values, undefined, undefined);
const said = {
  verify: maybe(true, false),
  sha256: maybe("ab".repeat(32), "cd".repeat(32)),
  importMap: maybe(true, false),
  importMapPath: maybe("deno.json", "map.json"),
  entrypoint: maybe("main.ts"),
};
const FRESH: Omit<FunctionState, "id" | "name" | "created_at"> = {
  version: 0,
  status: "ACTIVE",
  verify_jwt: true,
  import_map: false,
  import_map_path: null,
  entrypoint_path: null,
  upload: null,
  declared: undefined,
};

const FUNCTIONS = `${PROJECT}/functions`;
const [ONE, ANOTHER] = ["33333333-3333-4333-8333-333333333333", "44444444-4444-4444-8444-444444444444"];
const onWire = ({ verify, sha256, importMap, importMapPath, entrypoint }: Said) => ({
  verify_jwt: verify,
  import_map: importMap,
  import_map_path: importMapPath,
  entrypoint_path: entrypoint,
  ezbr_sha256: sha256,
});
const putBody = ({ slug: name, id, version, status, createdAt, ...settings }: Put) => ({
  id,
  slug: name,
  name: `put ${name}`,
  version,
  status,
  created_at: createdAt,
  ...onWire(settings),
});
/** Settings of the old forms that are in their query alone. */
function oldQuery({ verify: _inBody, ...settings }: Said): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(onWire({ verify: undefined, ...settings }))) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.toString();
}

const putItem: fc.Arbitrary<Put> = fc.record({
  slug,
  id: fc.constantFrom(ONE, ANOTHER),
  version: fc.nat(9),
  status: fc.constantFrom(...STATUSES),
  createdAt: maybe(1_700_000_000_000),
  ...said,
});

const functions: Resource<All, FunctionCommand> = {
  name: "functions",
  forms: ["deploy", "create", "patch", "put", "remove"],
  command: fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        deploy: newSlug,
        content,
        verify: said.verify,
        withMap: fc.boolean(),
        bundleOnly: fc.boolean(),
      }),
    },
    { weight: 3, arbitrary: fc.record({ create: newSlug, content, ...said }) },
    {
      weight: 4,
      arbitrary: fc.record({ patch: someSlug, content: fc.option(content, { nil: undefined }), ...said }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        put: fc.uniqueArray(putItem, { minLength: 1, maxLength: 2, selector: (one) => one.slug }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ remove: someSlug }) },
  ),
  initial: async () => ({}),
  request: (command) => {
    if ("remove" in command) return { method: "DELETE", path: `${FUNCTIONS}/${command.remove}` };
    if ("put" in command) return { method: "PUT", path: FUNCTIONS, body: command.put.map(putBody) };
    if ("create" in command) return createRequest(command);
    if ("patch" in command) return patchRequest(command);
    return deployRequest(command);
  },
  // the id of a function that is there is its own, whatever is said of it
  mustAccept: (command, all) =>
    "put" in command && command.put.every((one) => one.slug in all && one.status !== "ASLEEP"),
  after: (command, all, { json }, { clock }) => {
    const nowMs = clock.now();
    if ("remove" in command) return Object.fromEntries(Object.entries(all).filter(([name]) => name !== command.remove));
    if ("put" in command) {
      return { ...all, ...Object.fromEntries(command.put.map((one) => [one.slug, put(all[one.slug], one, nowMs)])) };
    }
    const fresh = { ...FRESH, id: withId.parse(json).id, created_at: nowMs };
    if ("create" in command) return { ...all, [command.create]: created({ ...fresh, name: "" }, command) };
    if ("patch" in command) return { ...all, [command.patch]: patched(all[command.patch], command) };
    const { deploy: name } = command;
    return { ...all, [name]: deployed(all[name] ?? { ...fresh, name }, command) };
  },
  read: readFunctions,
  shown: (all) => Object.fromEntries(Object.entries(all).map(([name, one]) => [name, shown(one)])),
};

function createRequest({ create: name, content: body, ...settings }: Create): Request {
  const path = `${FUNCTIONS}?${oldQuery(settings)}`;
  return { method: "POST", path, body: { slug: name, name: `made ${name}`, body, verify_jwt: settings.verify } };
}

function patchRequest({ patch: name, content: body, ...settings }: Patch): Request {
  const path = `${FUNCTIONS}/${name}?${oldQuery(settings)}`;
  return { method: "PATCH", path, body: { body, verify_jwt: settings.verify } };
}

function deployRequest({ deploy: name, content: text, verify: verify_jwt, withMap, bundleOnly }: Deploy): Request {
  const metadata = { entrypoint_path: "a.ts", verify_jwt, ...(withMap ? { import_map_path: "deno.json" } : {}) };
  const body = deployForm(metadata, { "a.ts": text, ...(withMap ? { "deno.json": "{}" } : {}) });
  return { method: "POST", path: `${FUNCTIONS}/deploy?slug=${name}&bundleOnly=${bundleOnly}`, body };
}

const shown = ({ declared, ...one }: FunctionState) => ({ ...one, ezbr_sha256: declared ?? hashOf(one.upload) });

function hashOf(upload: string | null): string | null {
  return upload === null ? null : createHash("sha256").update(upload).digest("hex");
}

/** As a bundle is read: each file after a line with its name and length. */
function uploadOf(files: Readonly<Record<string, string>>): string {
  return Object.entries(files)
    .map(([path, text]) => `${JSON.stringify(path)} ${Buffer.byteLength(text)}\n${text}`)
    .join("");
}

/** What is said, and what is not said as it was; a path alone says as well that there is an import map. */
function withSaid(known: FunctionState, { verify, sha256, importMap, importMapPath, entrypoint }: Said): FunctionState {
  return {
    ...known,
    verify_jwt: verify ?? known.verify_jwt,
    import_map: importMap ?? (importMapPath === undefined ? known.import_map : true),
    import_map_path: importMapPath ?? known.import_map_path,
    entrypoint_path: entrypoint ?? known.entrypoint_path,
    declared: sha256 ?? known.declared,
  };
}

/** "version of a function rises by one at each deploy; omitted metadata keys keep their old value" (facts.md §6.7). */
function deployed(known: FunctionState, { content: text, verify, withMap, bundleOnly }: Deploy): FunctionState {
  const upload = uploadOf({ "a.ts": text, ...(withMap ? { "deno.json": "{}" } : {}) });
  const bundled = { ...known, version: known.version + 1, upload, declared: undefined };
  // "metadata is not persisted until the bulk PUT" (facts.md §2)
  if (bundleOnly) return bundled;
  const importMapPath = withMap ? "deno.json" : undefined;
  return withSaid(bundled, { verify, importMapPath, entrypoint: "a.ts", importMap: undefined, sha256: undefined });
}

function created(fresh: FunctionState, { create: name, content: text, ...settings }: Create): FunctionState {
  const made = { ...fresh, name: `made ${name}`, version: 1, upload: uploadOf({ "index.ts": text }) };
  return withSaid(made, settings);
}

function patched(known: FunctionState | undefined, { content: text, ...settings }: Patch): FunctionState {
  if (known === undefined) throw new RangeError("a function that is not there was changed");
  if (text === undefined) return withSaid(known, settings);
  const upload = uploadOf({ "index.ts": text });
  return withSaid({ ...known, upload, version: known.version + 1, declared: undefined }, settings);
}

/**
 * "creates or replaces; idempotent; version must be bumped manually" (endpoints.md): what is left out is as in a new one. What was uploaded stays,
 * and so do the id and the time of creation.
 */
function put(known: FunctionState | undefined, said: Put, nowMs: number): FunctionState {
  const { slug: name, id, version, status, createdAt, importMap = false, ...settings } = said;
  const kept = known ?? { ...FRESH, id, created_at: nowMs };
  const replaced = { ...FRESH, id: kept.id, name: `put ${name}`, version, status, upload: kept.upload };
  return withSaid({ ...replaced, created_at: createdAt ?? kept.created_at }, { ...settings, importMap });
}

const withId = z.object({ id: z.string() });
const listed = z.object({
  id: z.string(),
  slug: z.string(),
  name: z.string(),
  version: z.number(),
  status: z.string(),
  created_at: z.number(),
  verify_jwt: z.boolean(),
  import_map: z.boolean(),
  import_map_path: z.string().nullable().default(null),
  entrypoint_path: z.string().nullable().default(null),
  ezbr_sha256: z.string().nullable().default(null),
});

async function readFunctions({ call }: EmulatorUnderTest): Promise<unknown> {
  const all = z.array(listed).parse((await call("GET", FUNCTIONS)).json);
  const seen = all.map(async ({ slug: name, ...one }) => {
    const { status, text } = await call("GET", `${FUNCTIONS}/${name}/body`);
    return [name, { ...one, upload: status === 404 ? null : text }] as const;
  });
  return Object.fromEntries(await Promise.all(seen));
}

/** The one of them. */
export const functionModels: readonly Modelled[] = [modelled(functions)];
