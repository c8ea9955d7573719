import { expect } from "vitest";
import { z } from "zod";
import type { Plan } from "../../../src/api/contract/operation.ts";
import type { ProjectView } from "../../../src/emulator/control/views.ts";
import type { SeedInput } from "../../../src/emulator/state/seed.ts";
import { DEFAULT_SETTINGS } from "../../../src/emulator/state/settings.ts";
import { type EmulatorUnderTest, type Received, undeclared } from "./api.ts";
import { EVERY_CALL, everyCallSeed, REF } from "./every-call.ts";
import { askToken, tokensOf } from "./oauth.ts";
import { filled, filledBody, operationOf } from "./play.ts";
import { statefulOperations } from "./reading.ts";
import { changedTables, rowsOf } from "./rows.ts";

/** Refusals as rows: a request that succeeds otherwise (every-call.ts), and what is different about it or about the moment. */

export const OTHER = "bcdefghijklmnopqrstu";
export const PROJECT = `/v1/projects/${REF}`;
export const NOWHERE = "00000000-0000-4000-8000-000000000000";

/** What placeholders of a path or a body stand for unless a situation says more: ids of nothing that there is. */
const ABSENT = { BRANCH: NOWHERE, RUN: NOWHERE, ID: NOWHERE, FUNCTION: NOWHERE, OWNER: NOWHERE, INVITE_ID: NOWHERE };
type Known = Readonly<Record<string, string>>;

type Situation = (under: EmulatorUnderTest) => Promise<Known | void>;
export type Beside = Readonly<Record<string, unknown>> | "bare";

/** How the service's own log knows a refusal. */
export const EVENT = { errorEventId: expect.stringMatching(/^[0-9a-f]{32}$/) } as const;

export interface Refusal {
  /** the operation */
  readonly id: string;
  readonly status: number;
  /** why the service says no */
  readonly because: string;
  /** its words, all of them; by a pattern where they name what is another each time */
  readonly says: string | RegExp;
  /** what the body has beside them, or that it is a bare text; default: nothing */
  readonly beside?: Beside;
  /** what the contract says of it, in its own words (test/emulator/refusals/contract.ts) */
  readonly of?: readonly string[];
  /** what has happened before. @returns what placeholders stand for */
  readonly given?: Situation;
  /** a placeholder for the token that is asked with, where it is not the owner's own */
  readonly by?: string;
  /** what is asked, where it is not what the call that succeeds asks */
  readonly path?: string;
  readonly query?: string;
  readonly body?: unknown;
  /** how long the service waits for a database just then, milliseconds */
  readonly patienceMs?: number;
}

/** The same refusal of several operations. */
export function alike(ids: readonly string[], refusal: Omit<Refusal, "id">): readonly Refusal[] {
  return ids.map((id) => ({ ...refusal, id }));
}

/** What there is before a situation. */
export const refusalSeed: SeedInput = {
  ...everyCallSeed,
  organizations: ["acme", "beta"].map((slug) => ({ slug, plan: "enterprise", members: { owner: "Owner" } })),
  projects: [
    ...(everyCallSeed.projects ?? []).map((project) => ({
      ...project,
      auth: { saml_enabled: true },
      functions: [{ slug: "hello", files: { "index.ts": "1" } }],
      branches: [{ name: "main" }, { name: "dev" }],
    })),
    { name: "other", ref: OTHER },
  ],
  tokens: [{ token: "stranger", user: "stranger" }],
};

export const forced =
  (status: ProjectView["status"]): Situation =>
  async ({ control }) => {
    await control.projects.force({ ref: REF, status });
  };

export const onPlan =
  (plan: Plan, quotas: { readonly projects?: number; readonly functionsPerProject?: number } = {}): Situation =>
  async ({ control }) => {
    await control.organizations.patch({ slug: "acme", plan, quotas });
  };

const withId = z.object({ id: z.string() });

/** A request that is accepted. @returns as ID the id of what it made, where it made something */
export function asked(method: string, path: string, body?: unknown): Situation {
  return async ({ call }) => {
    const received = await call(method, path, { body });
    if (received.status >= 300) throw new Error(`${method} ${path}: ${received.status} ${received.text}`);
    const made = withId.safeParse(
      z.looseObject({ data: z.unknown() }).safeParse(received.json).data?.data ?? received.json,
    );
    return made.success ? { ID: made.data.id } : {};
  };
}

/** One after the other. */
export const allOfThem =
  (...situations: readonly Situation[]): Situation =>
  async (under) => {
    let known: Known = {};
    for (const situation of situations) known = { ...known, ...(await situation(under)) };
    return known;
  };

type Scopes = Parameters<EmulatorUnderTest["control"]["oauth"]["approve"]>[0]["scopes"];

/** A token of an app that the owner approved for the scopes. */
export async function appToken(under: EmulatorUnderTest, scopes: Scopes): Promise<string> {
  const consent = { clientId: "app", user: "owner", organization: "acme", scopes };
  const { code, redirectUri } = await under.control.oauth.approve(consent);
  const app = { client_id: "app", client_secret: "app-secret", redirect_uri: redirectUri };
  return tokensOf(await askToken(under, { ...app, grant_type: "authorization_code", code })).access_token;
}

/** The branch of a name, which the seed or a situation before has made. @returns its id, and the ref of its project */
export const branch =
  (name: string): Situation =>
  async ({ control }) => {
    const { branches } = await control.state.read();
    const found = branches.find((one) => one.name === name);
    return { BRANCH: found?.id ?? "", BRANCH_REF: found?.projectRef ?? "" };
  };

const refusalBody = z.union([
  z.looseObject({ message: z.string() }).transform(({ message, ...beside }): Said => ({ words: message, beside })),
  z.string().transform((words): Said => ({ words, beside: "bare" })),
]);

interface Said {
  readonly words: string;
  readonly beside: Beside;
}

/** What a refusal says: its message with what stands beside it, or all of its body where that is a bare text. */
export function saidBy({ json, text }: Received): Said {
  return refusalBody.safeParse(json).data ?? { words: text, beside: {} };
}

function pathOf({ id, path, query }: Refusal): string {
  const usual = callOf(id).path;
  return path ?? (query === undefined ? usual : `${usual.split("?", 1)[0]}?${query}`);
}

/** The call of an operation that succeeds. */
export function callOf(id: string): (typeof EVERY_CALL)[number] {
  const call = EVERY_CALL.find((one) => one.id === id);
  if (call === undefined) throw new RangeError(`no call of ${id}`);
  return call;
}

/** Sends a request that succeeds elsewhere, with what its placeholders stand for. */
export function askFor(
  under: EmulatorUnderTest,
  id: string,
  { known = {}, token, path = callOf(id).path }: { known?: Known; token?: string | null; path?: string } = {},
): Promise<Received> {
  const values = { ...ABSENT, ...known };
  const body = filledBody(callOf(id).body, values);
  return under.call(operationOf(id).method, filled(path, values), { body, ...(token === undefined ? {} : { token }) });
}

/** What can be read where the operation works: all that its section reads without a database. */
async function readable(under: EmulatorUnderTest, id: string, known: Known): Promise<ReadonlyMap<string, string>> {
  const [section = ""] = id.split(".");
  const reads = statefulOperations.filter(
    (one) => one.retry === "read" && one.id.startsWith(`${section}.`) && one.id !== "branches.diff",
  );
  const answers = new Map<string, string>();
  for (const read of reads) {
    const { status, text } = await askFor(under, read.id, { known });
    answers.set(read.id, `${status} ${text.replace(/"errorEventId":"\w+"/, "")}`);
  }
  return answers;
}

export interface Played extends Said {
  readonly status: number;
  /** why the contract declares no such answer */
  readonly undeclared: string | undefined;
  /** what reads otherwise than before, and the tables that hold anything else */
  readonly changed: readonly string[];
}

/** Brings the situation about and asks. */
export async function played(under: EmulatorUnderTest, refusal: Refusal): Promise<Played> {
  const { id, given, patienceMs, by } = refusal;
  const { control } = under;
  const known = { ...ABSENT, ...(await given?.(under)) };
  const operation = operationOf(id);
  const body = filledBody("body" in refusal ? refusal.body : callOf(id).body, known);
  const before = await readable(under, id, known);
  if (patienceMs !== undefined) await control.settings.patch({ sqlTimeoutMs: patienceMs });
  const held = rowsOf(under.world);
  const token = by === undefined ? {} : { token: filled(by, known) };
  const received = await under.call(operation.method, filled(pathOf(refusal), known), { body, ...token });
  const changed = changedTables(held, rowsOf(under.world));
  if (patienceMs !== undefined) await control.settings.patch({ sqlTimeoutMs: DEFAULT_SETTINGS.sqlTimeoutMs });
  const after = await readable(under, id, known);
  return {
    status: received.status,
    ...saidBy(received),
    undeclared: undeclared(operation, received),
    changed: [...changed, ...[...before].filter(([what, text]) => after.get(what) !== text).map(([what]) => what)],
  };
}

/** What playing a row has to come to: a refusal changes nothing. */
export function refusedAs({ status, says, beside = {} }: Refusal): Played {
  const words = typeof says === "string" ? says : expect.stringMatching(says);
  return { status, words, beside, undeclared: undefined, changed: [] };
}
