import { expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { emulatorUnderTest, type EmulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed } from "../../../test/support/emulator/every-call.ts";
import { askToken, tokensOf } from "../../../test/support/emulator/oauth.ts";
import { play } from "../../../test/support/emulator/play.ts";
import type { OAuthScope } from "../oauth/oauth-state.ts";
import { missingPermissions } from "./permissions.ts";
import { missingInRole } from "./roles.ts";

/**
 * Before each operation succeeds for its owner, the very same request is sent by everybody who may not: what is refused is refused for
 * them, not for something that is missing.
 */

const ALL_SCOPES = [...new Set(operations.flatMap(({ scopes }) => scopes))] as readonly OAuthScope[];

/** About oneself, and open to whoever has a token. */
const FOR_ALL: ReadonlySet<string> = new Set([
  "profile.get",
  "organizations.create",
  "organizations.list",
  "projects.list",
]);

interface Intruder {
  readonly who: string;
  readonly token: string | null;
  readonly statuses: readonly number[];
}

async function appToken(
  under: EmulatorUnderTest,
  organization: string,
  scopes: readonly OAuthScope[],
): Promise<string> {
  const { code, redirectUri } = await under.control.oauth.approve({
    clientId: "app",
    user: "owner",
    organization,
    scopes: [...scopes],
  });
  const app = { client_id: "app", client_secret: "app-secret" };
  const grant = { grant_type: "authorization_code", code, redirect_uri: redirectUri };
  return tokensOf(await askToken(under, { ...app, ...grant })).access_token;
}

async function fineToken(under: EmulatorUnderTest, permissions: readonly string[]): Promise<string> {
  const token = `holds ${permissions.join()}`.replaceAll(" ", "-");
  await under.control.tokens.add({ token, user: "owner", permissions: [...permissions] });
  return token;
}

async function intruders(under: EmulatorUnderTest, operation: Operation): Promise<readonly Intruder[]> {
  const { id, permissions, scopes, retry } = operation;
  const found: Intruder[] = [
    { who: "nobody", token: null, statuses: [401] },
    { who: "an unknown token", token: "unknown", statuses: [401] },
  ];
  if (!FOR_ALL.has(id)) {
    const elsewhere = await appToken(under, "gamma", ALL_SCOPES);
    const statuses = [400, 403, 404, ...(id === "snippets.get" ? [406] : [])];
    found.push({ who: "a member of another organization", token: "stranger", statuses });
    found.push({ who: "an app let into another organization", token: elsewhere, statuses });
  }
  for (const role of ["Developer", "Read-only"] as const) {
    if (FOR_ALL.has(id) || missingInRole(operation, role) === undefined) continue;
    found.push({ who: role, token: role, statuses: [403] });
  }
  const named = [...new Set(permissions.flat())];
  for (const held of [[], ...named.map((without) => named.filter((name) => name !== without))]) {
    if (missingPermissions(permissions, held) === undefined) continue;
    found.push({ who: `a token with ${held.join()}`, token: await fineToken(under, held), statuses: [403] });
  }
  for (const scope of scopes.length > 0 ? scopes : retry === "read" ? [] : [undefined]) {
    const token = await appToken(
      under,
      "acme",
      scope === undefined ? ALL_SCOPES : ALL_SCOPES.filter((one) => one !== scope),
    );
    found.push({ who: `an app without ${scope ?? "any scope for it"}`, token, statuses: [403] });
  }
  return found;
}

/** The operation of a request, as a router finds it: a fixed segment goes before a parameter. */
function operationOf(method: string, path: string): Operation | undefined {
  const target = path.split("?", 1)[0] ?? path;
  return operations
    .filter((one) => one.method === method && new RegExp(`^${one.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(target))
    .toSorted((a, b) => a.path.split("{").length - b.path.split("{").length)[0];
}

it("refuses whoever may not, operation by operation", { timeout: 120_000 }, async () => {
  const members = { owner: "Owner", dev: "Developer", reader: "Read-only" } as const;
  await using under = await emulatorUnderTest({
    timings: { signingKeyRestMs: 60_000 },
    limits: { requestsPerMinute: 0 },
    seed: {
      ...everyCallSeed,
      organizations: [
        ...["acme", "beta"].map((slug) => ({ slug, plan: "enterprise" as const, members })),
        { slug: "gamma", plan: "enterprise", members: { stranger: "Owner", owner: "Owner" } },
      ],
      tokens: [
        { token: "stranger", user: "stranger" },
        { token: "Developer", user: "dev" },
        { token: "Read-only", user: "reader" },
      ],
    },
  });
  const tried = new Set<string>();
  const wrong: string[] = [];
  const call: EmulatorUnderTest["call"] = async (method, path, sent = {}) => {
    const operation = operationOf(method, path);
    if (
      operation !== undefined &&
      operation.access !== "public" &&
      sent.token === undefined &&
      !tried.has(operation.id)
    ) {
      tried.add(operation.id);
      for (const { who, token, statuses } of await intruders(under, operation)) {
        const { status, text } = await under.call(method, path, { ...sent, token });
        if (!statuses.includes(status)) wrong.push(`${operation.id} for ${who}: ${status} ${text.slice(0, 100)}`);
      }
    }
    return under.call(method, path, sent);
  };
  await play({ ...under, call }, EVERY_CALL, ({ operation: { id, success }, received: { status, text } }) => {
    if (status !== success.status) wrong.push(`${id} for its owner: ${status} ${text.slice(0, 100)}`);
  });
  expect(wrong).toEqual([]);
  expect(tried.size).toBe(operations.filter(({ access }) => access !== "public").length);
});
