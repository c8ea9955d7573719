import { createHash } from "node:crypto";
import fc from "fast-check";
import { z } from "zod";
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
const keys = z.array(z.looseObject({ type: z.string() }));
const isLegacy = ({ type }: { readonly type: string }): boolean => type === "legacy";
const apiKeys = namedThings({
  name: "apiKeys",
  names: ["jobs", "night_jobs", "no-dashes"],
  list: `${PROJECT}/api-keys`,
  one: (id) => `${PROJECT}/api-keys/${id}`,
  creation: (name) => ({ type: "secret", name }),
  renaming: { method: "PATCH", body: (name) => ({ description: `once ${name}` }) },
  rows: (json) => z.array(key).parse(keys.parse(json).filter((one) => !isLegacy(one))),
  created: ({ json }) => key.parse(json),
  renamed: (thing, name) => ({ ...thing, description: `once ${name}` }),
});

/** The legacy keys are there together or not at all. */
const legacyKeys: Resource<boolean, string> = {
  name: "legacyKeys",
  command: fc.constantFrom("true", "false", "no"),
  initial: async () => true,
  request: (enabled) => ({ method: "PUT", path: `${PROJECT}/api-keys/legacy?enabled=${enabled}` }),
  after: (enabled) => enabled === "true",
  read: async ({ call }) => {
    const { enabled } = z
      .object({ enabled: z.boolean() })
      .parse((await call("GET", `${PROJECT}/api-keys/legacy`)).json);
    const listed = keys.parse((await call("GET", `${PROJECT}/api-keys`)).json).filter(isLegacy);
    return { enabled, listed: listed.length };
  },
  shown: (enabled) => ({ enabled, listed: enabled ? 2 : 0 }),
};

/** All of them. */
export const things: readonly Modelled[] = [
  modelled(secrets),
  modelled(logDrains),
  modelled(apiKeys),
  modelled(legacyKeys),
];
