import fc from "fast-check";
import { z } from "zod";
import type { EmulatorUnderTest } from "../api.ts";
import { type Modelled, modelled, PROJECT, REF, type Resource } from "./resource.ts";

/** Who belongs to what, and who may be whom in a project's database for a while. */

const HOUR_MS = 3_600_000;

const organizationName = z.object({ name: z.string() });
const organizations: Resource<readonly string[], string> = {
  name: "organizations",
  command: fc.constantFrom("beta", "gamma", "x".repeat(257)),
  initial: async () => ["acme", "lab"],
  request: (name) => ({ method: "POST", path: "/v1/organizations", body: { name } }),
  after: (name, known) => [...known, name],
  read: async ({ call }) =>
    z
      .array(organizationName)
      .parse((await call("GET", "/v1/organizations")).json)
      .map(({ name }) => name)
      .toSorted(),
  shown: (known) => known.toSorted(),
};

type Roles = Readonly<Record<string, string>>;
type MemberCommand = { readonly user: string; readonly role: string };
const memberV1 = z.object({ user_name: z.string(), role_name: z.string() });
const memberV2 = z.object({
  attributes: z.object({ username: z.string(), roles: z.array(z.object({ name: z.string() })) }),
});

/** No operation makes members; both lists show those that a control call made. */
const members: Resource<Roles, MemberCommand> = {
  name: "members",
  command: fc.record({
    user: fc.constantFrom("ann", "bob"),
    role: fc.constantFrom("Developer", "Administrator", "Read-only", "Chief"),
  }),
  initial: async () => ({ owner: "Owner" }),
  request: ({ user, role }) => ({
    method: "POST",
    path: "/_emulator/organizations.patch",
    body: { slug: "acme", members: { [user]: role } },
  }),
  after: ({ user, role }, known) => ({ ...known, [user]: role }),
  read: async ({ call }) => {
    const one = z.array(memberV1).parse((await call("GET", "/v1/organizations/acme/members")).json);
    const { data } = z
      .object({ data: z.array(memberV2) })
      .parse((await call("GET", "/v2/organizations/acme/members")).json);
    return [
      Object.fromEntries(one.map(({ user_name: name, role_name: role }) => [name, role])),
      Object.fromEntries(data.map(({ attributes }) => [attributes.username, attributes.roles[0]?.name])),
    ];
  },
  shown: (known) => [known, known],
};

const OWN = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
type SnippetCommand =
  | { readonly put: string; readonly sql: string; readonly project: string }
  | { readonly remove: string };
const snippetIds = fc.constantFrom(OWN, OTHER);

/** No operation writes snippets either. */
const snippets: Resource<Roles, SnippetCommand> = {
  name: "snippets",
  forms: ["put", "remove"],
  command: fc.oneof(
    fc.record({
      put: snippetIds,
      sql: fc.constantFrom("select 1", "select 2"),
      project: fc.constantFrom("shop", "none"),
    }),
    fc.record({ remove: snippetIds }),
  ),
  initial: async () => ({}),
  request: (command) =>
    "remove" in command
      ? { method: "POST", path: "/_emulator/snippets.remove", body: { id: command.remove } }
      : {
          method: "POST",
          path: "/_emulator/snippets.put",
          body: { id: command.put, project: command.project === "shop" ? REF : "none", name: "one", sql: command.sql },
        },
  after: (command, known) =>
    "remove" in command
      ? Object.fromEntries(Object.entries(known).filter(([id]) => id !== command.remove))
      : { ...known, [command.put]: command.sql },
  read: async ({ call }) => {
    const { data } = z
      .object({ data: z.array(z.object({ id: z.string() })) })
      .parse((await call("GET", `/v1/snippets?project_ref=${REF}`)).json);
    const sql = z.object({ content: z.object({ sql: z.string() }) });
    const read = data.map(async ({ id }): Promise<[string, string]> => [
      id,
      sql.parse((await call("GET", `/v1/snippets/${id}`)).json).content.sql,
    ]);
    return Object.fromEntries(await Promise.all(read));
  },
  shown: (known) => known,
};

interface Invitation {
  readonly id: string;
  readonly token: string;
  readonly roles: readonly string[];
  readonly endsMs: number;
}
interface Jit {
  readonly enabled: boolean;
  readonly owner: string;
  readonly grants: Readonly<Record<string, readonly string[]>>;
  readonly invitations: Readonly<Record<string, Invitation>>;
}
type JitCommand =
  | { readonly state: "enabled" | "disabled" | "unavailable" }
  | { readonly grant: readonly string[]; readonly to: "owner" | "nobody" }
  | { readonly withdraw: true }
  | { readonly invite: string; readonly roles: readonly string[] }
  | { readonly accept: string; readonly token: "right" | "wrong" }
  | { readonly revoke: string };

const JIT = `${PROJECT}/database/jit`;
const NOBODY = "00000000-0000-4000-8000-000000000000";
const emails = fc.oneof(
  { weight: 4, arbitrary: fc.constant("eve@example.test") },
  { weight: 1, arbitrary: fc.constant("kim@example.test") },
);
const roles = fc.subarray(["postgres", "reader"]);
const asked = (names: readonly string[]) => names.map((role) => ({ role }));
const isOpen = (one: Invitation | undefined, nowMs: number): one is Invitation =>
  one !== undefined && nowMs < one.endsMs;
const without = <V>(all: Readonly<Record<string, V>>, key: string): Readonly<Record<string, V>> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));

const jitItem = z.object({
  primary_email: z.string(),
  invite_id: z.string().nullable(),
  user_roles: z.array(z.object({ role: z.string() })),
});

/** The switch, the grants of roles, and invitations of people from outside (endpoints.md, "JIT access"). */
const jit: Resource<Jit, JitCommand> = {
  name: "jit",
  forms: ["state", "grant", "withdraw", "invite", "accept", "revoke"],
  command: fc.oneof(
    { weight: 2, arbitrary: fc.record({ state: fc.constant("enabled" as const) }) },
    { weight: 1, arbitrary: fc.record({ state: fc.constantFrom("disabled", "unavailable") }) },
    fc.record({ grant: roles, to: fc.constantFrom("owner", "nobody") }),
    fc.record({ withdraw: fc.constant(true as const) }),
    { weight: 5, arbitrary: fc.record({ invite: emails, roles }) },
    { weight: 5, arbitrary: fc.record({ accept: emails, token: fc.constantFrom("right", "right", "wrong") }) },
    { weight: 4, arbitrary: fc.record({ revoke: emails }) },
  ),
  restMs: 4 * HOUR_MS, // an invitation ends by itself after a day
  initial: async ({ control }) => {
    const { users } = await control.state.read();
    return { enabled: false, owner: users[0]?.id ?? "", grants: {}, invitations: {} };
  },
  request: (command, { owner, invitations }) => {
    if ("state" in command) return { method: "PUT", path: `${PROJECT}/jit-access`, body: command };
    if ("grant" in command) {
      const user_id = command.to === "owner" ? owner : NOBODY;
      return { method: "PUT", path: JIT, body: { user_id, roles: asked(command.grant) } };
    }
    if ("withdraw" in command) return { method: "DELETE", path: `${JIT}/${owner}` };
    if ("invite" in command) {
      return { method: "POST", path: `${JIT}/invite`, body: { email: command.invite, roles: asked(command.roles) } };
    }
    if ("revoke" in command) {
      return { method: "DELETE", path: `${JIT}/invite/${invitations[command.revoke]?.id ?? NOBODY}` };
    }
    const token = command.token === "right" ? invitations[command.accept]?.token : undefined;
    return { method: "POST", path: `${JIT}/invite/accept`, body: { email: command.accept, token: token ?? "none" } };
  },
  after: async (command, known, _received, { control, clock }) => {
    if ("state" in command) return { ...known, enabled: command.state === "enabled" };
    if ("grant" in command) return { ...known, grants: { ...known.grants, owner: command.grant } };
    if ("withdraw" in command) return { ...known, grants: without(known.grants, "owner") };
    if ("revoke" in command) return { ...known, invitations: without(known.invitations, command.revoke) };
    if ("invite" in command) {
      const made = (await control.jit.invitations({ ref: REF })).find(({ email }) => email === command.invite);
      const endsMs = clock.now() + 24 * HOUR_MS;
      const one = { id: made?.inviteId ?? "", token: made?.token ?? "", roles: command.roles, endsMs };
      return { ...known, invitations: { ...known.invitations, [command.invite]: one } };
    }
    const before = known.grants[command.accept] ?? [];
    const invited = known.invitations[command.accept]?.roles ?? [];
    return {
      ...known,
      grants: { ...known.grants, [command.accept]: [...new Set([...before, ...invited])] },
      invitations: without(known.invitations, command.accept),
    };
  },
  read: readJit,
  shown: ({ enabled, grants, invitations }, nowMs) => {
    const granted = Object.entries(grants).map(([who, names]) => [who, null, names.toSorted()]);
    const invited = Object.entries(invitations)
      .filter(([, one]) => isOpen(one, nowMs))
      .map(([who, one]) => [who, one.id, one.roles.toSorted()]);
    return enabled ? [...granted, ...invited].toSorted(byText) : "not enabled";
  },
};

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

async function readJit({ call }: EmulatorUnderTest): Promise<unknown> {
  const { status, json } = await call("GET", `${JIT}/list`);
  if (status === 400) return "not enabled";
  const { items } = z.object({ items: z.array(jitItem) }).parse(json);
  return items
    .map(({ primary_email: email, invite_id: id, user_roles: held }) => [
      email.startsWith("owner") ? "owner" : email,
      id,
      held.map(({ role }) => role).toSorted(),
    ])
    .toSorted(byText);
}

type Logins = readonly { readonly role: string; readonly endsMs: number }[];
type LoginCommand = { readonly create: unknown } | { readonly remove: true };
const LOGIN = `${PROJECT}/cli/login-role`;

/** "`ttl_seconds`, lifetime of the temporary password" (behaviour.md, Other limits); a control call shows which hold. */
const loginRoles: Resource<Logins, LoginCommand> = {
  name: "loginRoles",
  forms: ["create", "remove"],
  command: fc.oneof(
    { weight: 3, arbitrary: fc.record({ create: fc.constantFrom<unknown>(true, false, "no") }) },
    { weight: 1, arbitrary: fc.record({ remove: fc.constant(true as const) }) },
  ),
  restMs: HOUR_MS / 3,
  initial: async () => [],
  request: (command) =>
    "remove" in command
      ? { method: "DELETE", path: LOGIN }
      : { method: "POST", path: LOGIN, body: { read_only: command.create } },
  after: (command, known, { json }, { clock }) => {
    if ("remove" in command) return [];
    const { role, ttl_seconds: ttl } = z.object({ role: z.string(), ttl_seconds: z.number() }).parse(json);
    return [...known, { role, endsMs: clock.now() + ttl * 1000 }];
  },
  read: async ({ control }) => (await control.jit.loginRoles({ ref: REF })).map(({ role }) => role).toSorted(),
  shown: (known, nowMs) =>
    known
      .filter(({ endsMs }) => nowMs < endsMs)
      .map(({ role }) => role)
      .toSorted(),
};

/** All of them. */
export const people: readonly Modelled[] = [
  modelled(organizations),
  modelled(members),
  modelled(snippets),
  modelled(jit),
  modelled(loginRoles),
];
