import { FormData } from "undici";
import { z } from "zod";
import { operations } from "../../../src/api/contract/contract.ts";
import type { Operation } from "../../../src/api/contract/operation.ts";
import type { EmulatorUnderTest, Received } from "./api.ts";
import { type EveryCall, REF } from "./every-call.ts";

/** Calls one after the other, with what stands for values that are only known when their turn comes. */

/** What the placeholders stand for just now. */
async function values({ call, control }: EmulatorUnderTest): Promise<Readonly<Record<string, string>>> {
  const { branches, users, projects } = await control.state.read();
  const isThere = projects.some(({ ref }) => ref === REF);
  const invitation = isThere ? (await control.jit.invitations({ ref: REF })).at(-1) : undefined;
  const runs = z.array(z.object({ id: z.string() })).safeParse((await call("GET", `/v1/projects/${REF}/actions`)).json);
  return {
    RUN: runs.data?.[0]?.id ?? "",
    BRANCH: branches.at(-1)?.id ?? "",
    OWNER: users[0]?.id ?? "",
    INVITE_ID: invitation?.inviteId ?? "",
    INVITE_TOKEN: invitation?.token ?? "",
    CODE: (await control.oauth.approve({ clientId: "app", user: "owner", organization: "acme" })).code,
  };
}

/** Where an answer says the id of what it is about. */
const withId = z.union([
  z.object({ id: z.string() }),
  z.object({ data: z.object({ id: z.string() }) }).transform(({ data }) => data),
]);

export function filled(text: string, known: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\b[A-Z_]+\b/g, (name) => known[name] ?? name);
}

export function filledBody(body: unknown, known: Readonly<Record<string, string>>): unknown {
  if (body === undefined || body instanceof FormData) return body;
  if (body instanceof URLSearchParams) return new URLSearchParams(filled(body.toString(), known));
  return JSON.parse(filled(JSON.stringify(body), known));
}

/** @throws Error where the contract has no such operation */
export function operationOf(id: string): Operation {
  const found = operations.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`${id} is not in the contract`);
  return found;
}

export interface Played {
  readonly operation: Operation;
  readonly body: unknown;
  readonly received: Received;
}

/**
 * `BRANCH` stands for the newest branch's id, `RUN` for the newest run's, `ID` for the id in the last answer of the same section that had
 * one, `FUNCTION` for that of a function, `OWNER` for the caller's, `INVITE_ID` and `INVITE_TOKEN` for what the newest invitation has.
 */
export async function play(
  under: EmulatorUnderTest,
  calls: readonly EveryCall[],
  answered: (played: Played) => void | Promise<void>,
): Promise<void> {
  const made = new Map<string, string>();
  for (const call of calls) {
    const { id, path, waitMs = 60_000 } = call;
    const operation = operationOf(id);
    const [section = ""] = id.split(".");
    const known = { ...(await values(under)), ID: made.get(section) ?? "", FUNCTION: made.get("functions") ?? "" };
    const body = filledBody(call.body, known);
    const received = await under.call(operation.method, filled(path, known), { body });
    const told = withId.safeParse(received.json).data;
    if (told !== undefined) made.set(section, told.id);
    under.clock.advance(waitMs);
    await answered({ operation, body, received });
  }
}
