import fc from "fast-check";
import { z } from "zod";
import { namedThings, NONE } from "./named-things.ts";
import { type Modelled, modelled, PROJECT, type Resource } from "./resource.ts";

/** Who may sign in to a project, and with which keys its tokens are signed. */

const AUTH = `${PROJECT}/config/auth`;

const provider = z
  .object({
    id: z.string(),
    saml: z.object({ entity_id: z.string() }),
    domains: z.array(z.object({ domain: z.string() })),
  })
  .transform(({ id, saml, domains }) => ({ id, entity: saml.entity_id, domains: domains.map(({ domain }) => domain) }));
const metadataAt = (host: string): string => `https://${host}/metadata`;

/** "sent fields replace (domains is the full list)" (facts.md §6.2) */
const ssoProviders = namedThings({
  name: "ssoProviders",
  names: ["a.test", "b.test", "C.test", "a b"],
  list: `${AUTH}/sso/providers`,
  one: (id) => `${AUTH}/sso/providers/${id}`,
  creation: (host) => ({ type: "saml", metadata_url: metadataAt("idp.test"), domains: [host] }),
  renaming: { method: "PUT", body: (host) => ({ domains: [host, "d.test"] }) },
  rows: (json) => z.object({ items: z.array(provider) }).parse(json).items,
  created: ({ json }) => provider.parse(json),
  renamed: (thing, host) => ({ ...thing, domains: [host.toLowerCase(), "d.test"] }),
});

const issuer = z.object({ id: z.string(), oidc_issuer_url: z.string().nullish() });
const thirdPartyAuth = namedThings({
  name: "thirdPartyAuth",
  names: ["https://a.test", "https://b.test", "nowhere"],
  list: `${AUTH}/third-party-auth`,
  one: (id) => `${AUTH}/third-party-auth/${id}`,
  creation: (name) => ({ oidc_issuer_url: name }),
  renaming: { method: "GET", body: () => undefined },
  rows: (json) => z.array(issuer).parse(json),
  created: ({ json }) => issuer.parse(json),
  renamed: (thing) => thing,
});

type Keys = Readonly<Record<string, string>>;
type KeyCommand =
  | { readonly create: string | undefined }
  | { readonly legacy: true }
  | { readonly nth: number; readonly to: string }
  | { readonly nth: number; readonly remove: true };

const KEYS = `${AUTH}/signing-keys`;
const key = z.object({ id: z.string(), status: z.string() });
const status = fc.constantFrom("standby", "in_use", "previously_used", "revoked", "revoked", "lost");
const keyAt = (keys: Keys, nth: number): string => Object.keys(keys)[nth] ?? NONE;

/** Which moves are taken, the machine of its own says (machines.test.ts); here, that those that were taken are seen. */
const signingKeys: Resource<Keys, KeyCommand> = {
  name: "signingKeys",
  forms: ["create", "legacy", "to", "remove"],
  command: fc.oneof(
    fc.record({ create: fc.constantFrom("standby", "in_use", "revoked", undefined) }),
    fc.record({ legacy: fc.constant(true as const) }),
    fc.record({ nth: fc.nat(2), to: status }),
    fc.record({ nth: fc.nat(2), to: status }),
    fc.record({ nth: fc.nat(2), remove: fc.constant(true as const) }),
  ),
  restMs: 20 * 3_600_000, // a revoked key rests for 24 hours
  initial: async () => ({}),
  request: (command, keys) => {
    if ("legacy" in command) return { method: "POST", path: `${KEYS}/legacy` };
    if ("create" in command) {
      return { method: "POST", path: KEYS, body: { algorithm: "HS256", status: command.create } };
    }
    const path = `${KEYS}/${keyAt(keys, command.nth)}`;
    return "remove" in command ? { method: "DELETE", path } : { method: "PATCH", path, body: { status: command.to } };
  },
  after: (command, keys, { json }) => {
    const { id } = key.parse(json);
    if ("remove" in command) return Object.fromEntries(Object.entries(keys).filter(([known]) => known !== id));
    const to = "legacy" in command ? "in_use" : "create" in command ? (command.create ?? "standby") : command.to;
    const others = Object.entries(keys).map(([known, was]): [string, string] => [
      known,
      to === "in_use" && was === "in_use" ? "previously_used" : was,
    ]);
    return { ...Object.fromEntries(others), [id]: to };
  },
  read: async ({ call }) => {
    const all = z.object({ keys: z.array(key) }).parse((await call("GET", KEYS)).json).keys;
    return Object.fromEntries(all.map((one) => [one.id, one.status]));
  },
  shown: (keys) => keys,
};

/** The root key of the database's encryption extension: "needs 32 bytes hex (64 chars)" (facts.md §5). */
const encryptionKey: Resource<string, string> = {
  name: "encryptionKey",
  command: fc.constantFrom("0f".repeat(32), "1e".repeat(32), "0f".repeat(31), "xy".repeat(32)),
  initial: async ({ call }) => rootKey.parse((await call("GET", `${PROJECT}/pgsodium`)).json).root_key,
  request: (root_key) => ({ method: "PUT", path: `${PROJECT}/pgsodium`, body: { root_key } }),
  after: (wanted) => wanted,
  read: async ({ call }) => rootKey.parse((await call("GET", `${PROJECT}/pgsodium`)).json).root_key,
  shown: (root) => root,
};
const rootKey = z.object({ root_key: z.string() });

/** All of them. */
export const auth: readonly Modelled[] = [
  modelled(ssoProviders),
  modelled(thirdPartyAuth),
  modelled(signingKeys),
  modelled(encryptionKey),
];
