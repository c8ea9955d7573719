import fc from "fast-check";
import { z } from "zod";
import { deployForm, type EmulatorUnderTest } from "../api.ts";
import { type Modelled, modelled, PROJECT, type Resource } from "./resource.ts";

/** Edge functions, in every form in which they are made and changed. */

interface FunctionState {
  readonly name: string;
  readonly version: number;
  readonly status: string;
  readonly verify_jwt: boolean;
  readonly entrypoint_path: string | null;
  /** null: there is none, which reads as 404 */
  readonly content: string | null;
}
type All = Readonly<Record<string, FunctionState>>;
type Verify = boolean | undefined;

type FunctionCommand =
  | { readonly deploy: string; readonly content: string; readonly verify: Verify; readonly bundleOnly: boolean }
  | { readonly create: string; readonly content: string; readonly verify: Verify }
  | { readonly patch: string; readonly content: string | undefined; readonly verify: Verify }
  | { readonly put: readonly Put[] }
  | { readonly remove: string };
interface Put {
  readonly slug: string;
  readonly version: number;
  readonly status: string;
  readonly verify: Verify;
}

/** The bad ones are seldom: what was accepted is what is looked at. */
const SLUGS = ["hello", "other", "hello", "other"];
const STATUSES = ["ACTIVE", "THROTTLED", "ACTIVE", "ASLEEP"];
const slug = fc.constantFrom(...SLUGS);
const newSlug = fc.constantFrom(...SLUGS, "9bad");
const someSlug = fc.constantFrom(...SLUGS, "none");
const content = fc.constantFrom("1", "2", "ä");
const verify = fc.constantFrom(true, false, undefined, undefined);
const FRESH: FunctionState = {
  name: "",
  version: 0,
  status: "ACTIVE",
  verify_jwt: true,
  entrypoint_path: null,
  content: null,
};

const FUNCTIONS = `${PROJECT}/functions`;
const PUT_ID = "33333333-3333-4333-8333-333333333333";
const putBody = ({ slug: name, version, status, verify: verify_jwt }: Put) => ({
  id: PUT_ID,
  slug: name,
  name: `put ${name}`,
  version,
  status,
  verify_jwt,
});

const functions: Resource<All, FunctionCommand> = {
  name: "functions",
  forms: ["deploy", "create", "patch", "put", "remove"],
  command: fc.oneof(
    { weight: 4, arbitrary: fc.record({ deploy: newSlug, content, verify, bundleOnly: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ create: newSlug, content, verify }) },
    {
      weight: 4,
      arbitrary: fc.record({ patch: someSlug, content: fc.option(content, { nil: undefined }), verify }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        put: fc.uniqueArray(fc.record({ slug, version: fc.nat(9), status: fc.constantFrom(...STATUSES), verify }), {
          minLength: 1,
          maxLength: 2,
          selector: (one) => one.slug,
        }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ remove: someSlug }) },
  ),
  initial: async () => ({}),
  request: (command) => {
    if ("remove" in command) return { method: "DELETE", path: `${FUNCTIONS}/${command.remove}` };
    if ("put" in command) return { method: "PUT", path: FUNCTIONS, body: command.put.map(putBody) };
    const { content: body, verify: verify_jwt } = command;
    if ("create" in command) {
      const { create } = command;
      return { method: "POST", path: FUNCTIONS, body: { slug: create, name: `made ${create}`, body, verify_jwt } };
    }
    if ("patch" in command) {
      return { method: "PATCH", path: `${FUNCTIONS}/${command.patch}`, body: { body, verify_jwt } };
    }
    const form = deployForm({ entrypoint_path: "a.ts", verify_jwt }, { "a.ts": command.content });
    const path = `${FUNCTIONS}/deploy?slug=${command.deploy}&bundleOnly=${command.bundleOnly}`;
    return { method: "POST", path, body: form };
  },
  after: (command, all) => {
    if ("remove" in command) return Object.fromEntries(Object.entries(all).filter(([name]) => name !== command.remove));
    if ("put" in command) return { ...all, ...Object.fromEntries(command.put.map((one) => [one.slug, put(all, one)])) };
    if ("create" in command) return { ...all, [command.create]: created(command) };
    if ("patch" in command) return { ...all, [command.patch]: patched(all[command.patch], command) };
    return { ...all, [command.deploy]: deployed(all[command.deploy], command) };
  },
  read: readFunctions,
  shown: (all) => all,
};

type Said<Form extends string> = Extract<FunctionCommand, Readonly<Record<Form, string>>>;

/** "version of a function rises by one at each deploy; omitted metadata keys keep their old value" (facts.md §6.7). */
function deployed(known: FunctionState | undefined, said: Said<"deploy">): FunctionState {
  const before = known ?? { ...FRESH, name: said.deploy };
  const bundled = { ...before, version: before.version + 1, content: said.content };
  // "metadata is not persisted until the bulk PUT" (facts.md §2)
  if (said.bundleOnly) return bundled;
  return { ...bundled, verify_jwt: said.verify ?? before.verify_jwt, entrypoint_path: "a.ts" };
}

function created(said: Said<"create">): FunctionState {
  const { create, content: body, verify: verify_jwt = true } = said;
  return { ...FRESH, name: `made ${create}`, version: 1, verify_jwt, content: body };
}

function patched(known: FunctionState = FRESH, { content: body, verify: verify_jwt }: Said<"patch">): FunctionState {
  const settings = { ...known, verify_jwt: verify_jwt ?? known.verify_jwt };
  return body === undefined ? settings : { ...settings, content: body, version: known.version + 1 };
}

/** "version must be bumped manually" (endpoints.md), and it "replaces": what is left out is as in a new one. What was uploaded stays. */
function put(all: All, { slug: name, version, status, verify: verify_jwt = true }: Put): FunctionState {
  return { ...FRESH, name: `put ${name}`, version, status, verify_jwt, content: all[name]?.content ?? null };
}

const listed = z.object({
  slug: z.string(),
  name: z.string(),
  version: z.number(),
  status: z.string(),
  verify_jwt: z.boolean(),
  entrypoint_path: z.string().nullish(),
});

async function readFunctions({ call }: EmulatorUnderTest): Promise<All> {
  const all = z.array(listed).parse((await call("GET", FUNCTIONS)).json);
  const shown = all.map(async ({ slug: name, ...one }): Promise<[string, FunctionState]> => {
    const { status, text } = await call("GET", `${FUNCTIONS}/${name}/body`);
    const body = status === 404 ? null : text.slice(text.indexOf("\n") + 1); // after a line with the file's name
    return [name, { ...one, entrypoint_path: one.entrypoint_path ?? null, content: body }];
  });
  return Object.fromEntries(await Promise.all(shown));
}

/** The one of them. */
export const functionModels: readonly Modelled[] = [modelled(functions)];
