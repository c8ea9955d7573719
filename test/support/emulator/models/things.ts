import { createHash } from "node:crypto";
import fc from "fast-check";
import { z } from "zod";
import { deployForm } from "../api.ts";
import { namedThings } from "./named-things.ts";
import { type Modelled, modelled, PROJECT, REF, type Resource } from "./resource.ts";

/** Things of a project that are made, changed and removed. */

const digest = (value: string): string => createHash("sha256").update(value, "utf8").digest("hex");
const small = fc.constantFrom("a", "b", "c");

type Texts = Readonly<Record<string, string>>;
type SecretCommand = { readonly set: Texts } | { readonly remove: readonly string[] };

const secrets: Resource<Texts, SecretCommand> = {
  name: "secrets",
  forms: ["set", "remove"],
  command: fc.oneof(
    fc.record({ set: fc.dictionary(fc.constantFrom("A", "B", "C", "platform_x"), small, { minKeys: 1, maxKeys: 3 }) }),
    fc.record({ set: fc.dictionary(fc.constantFrom("A", "PLATFORM_X"), small, { minKeys: 1, maxKeys: 2 }) }),
    fc.record({ remove: fc.subarray(["A", "B", "C", "NONE"], { minLength: 1 }) }),
  ),
  initial: async () => ({}),
  request: (command) =>
    "set" in command
      ? { ...secretsPath("POST"), body: Object.entries(command.set).map(([name, value]) => ({ name, value })) }
      : { ...secretsPath("DELETE"), body: command.remove },
  after: (command, state) =>
    "set" in command
      ? { ...state, ...command.set }
      : Object.fromEntries(Object.entries(state).filter(([name]) => !command.remove.includes(name))),
  read: async ({ call }) => {
    const all = secretList.parse((await call("GET", `${PROJECT}/secrets`)).json);
    const own = all.filter(({ name }) => !name.startsWith("PLATFORM_"));
    return Object.fromEntries(own.map(({ name, value }): [string, string] => [name, value]));
  },
  shown: (state) => Object.fromEntries(Object.entries(state).map(([name, value]) => [name, digest(value)])),
};
const secretList = z.array(z.object({ name: z.string(), value: z.string() }));
const secretsPath = (method: string) => ({ method, path: `${PROJECT}/secrets` });

interface FunctionState {
  readonly version: number;
  readonly verify_jwt: boolean;
  readonly content: string;
}
type FunctionCommand =
  | { readonly deploy: string; readonly content: string; readonly verify: boolean | undefined }
  | { readonly remove: string };

const functions: Resource<Readonly<Record<string, FunctionState>>, FunctionCommand> = {
  name: "functions",
  forms: ["deploy", "remove"],
  command: fc.oneof(
    fc.record({
      deploy: fc.constantFrom("hello", "other", "9bad"),
      content: fc.constantFrom("1", "2", "ä"),
      verify: fc.constantFrom(true, false, undefined),
    }),
    fc.record({ remove: fc.constantFrom("hello", "other", "none") }),
  ),
  initial: async () => ({}),
  request: (command) => {
    if ("remove" in command) return { method: "DELETE", path: `${PROJECT}/functions/${command.remove}` };
    const verify = command.verify === undefined ? {} : { verify_jwt: command.verify };
    const body = deployForm({ entrypoint_path: "index.ts", ...verify }, { "index.ts": command.content });
    return { method: "POST", path: `${PROJECT}/functions/deploy?slug=${command.deploy}`, body };
  },
  after: (command, state) => {
    if ("remove" in command) return without(state, command.remove);
    const known = state[command.deploy];
    const deployed = {
      version: (known?.version ?? 0) + 1,
      verify_jwt: command.verify ?? known?.verify_jwt ?? true,
      content: command.content,
    };
    return { ...state, [command.deploy]: deployed };
  },
  read: async ({ call }) => {
    const all = functionList.parse((await call("GET", `${PROJECT}/functions`)).json);
    const shown = all.map(async ({ slug, version, verify_jwt }): Promise<[string, FunctionState]> => {
      const { text } = await call("GET", `${PROJECT}/functions/${slug}/body`);
      return [slug, { version, verify_jwt, content: text.slice(text.indexOf("\n") + 1) }];
    });
    return Object.fromEntries(await Promise.all(shown));
  },
  shown: (state) => state,
};
const without = <V>(state: Readonly<Record<string, V>>, key: string): Readonly<Record<string, V>> =>
  Object.fromEntries(Object.entries(state).filter(([name]) => name !== key));
const functionList = z.array(z.object({ slug: z.string(), version: z.number(), verify_jwt: z.boolean() }));

const drain = z
  .object({ id: z.string(), attributes: z.object({ name: z.string() }) })
  .transform(({ id, attributes }) => ({
    id,
    name: attributes.name,
  }));
const drainBody = (name: string) => ({
  data: { type: "log_drain", attributes: { name, backend_type: "sentry", config: { dsn: "https://x@y.test/1" } } },
});
const DRAINS = `/v2/projects/${REF}/analytics/log-drains`;

const logDrains = namedThings({
  name: "logDrains",
  names: ["one", "two", ""],
  list: DRAINS,
  one: (id) => `${DRAINS}/${id}`,
  creation: drainBody,
  renaming: { method: "PUT", body: drainBody },
  rows: (json) => z.object({ data: z.array(drain) }).parse(json).data,
  created: ({ json }) => z.object({ data: drain }).parse(json).data,
  renamed: (thing, name) => ({ ...thing, name }),
});

const key = z.object({ id: z.string(), name: z.string(), description: z.string().nullish() });
const apiKeys = namedThings({
  name: "apiKeys",
  names: ["jobs", "night_jobs", "no-dashes"],
  list: `${PROJECT}/api-keys`,
  one: (id) => `${PROJECT}/api-keys/${id}`,
  creation: (name) => ({ type: "secret", name }),
  renaming: { method: "PATCH", body: (name) => ({ description: `once ${name}` }) },
  rows: (json) => z.array(key).parse(json),
  created: ({ json }) => key.parse(json),
  renamed: (thing, name) => ({ ...thing, description: `once ${name}` }),
});

const branch = z.object({ id: z.string(), name: z.string(), is_default: z.boolean(), persistent: z.boolean() });
const branches = namedThings({
  name: "branches",
  names: ["main", "dev", "test", ""],
  list: `${PROJECT}/branches`,
  one: (id) => `/v1/branches/${id}`,
  creation: (name) => ({ branch_name: name }),
  renaming: { method: "PATCH", body: (name) => ({ branch_name: name }) },
  rows: (json) => z.array(branch).parse(json),
  created: ({ json }) => branch.parse(json),
  renamed: (thing, name) => ({ ...thing, name }),
});

/** All of them. */
export const things: readonly Modelled[] = [
  modelled(secrets),
  modelled(functions),
  modelled(logDrains),
  modelled(apiKeys),
  modelled(branches),
];
