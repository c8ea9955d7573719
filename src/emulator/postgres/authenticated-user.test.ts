import { messages } from "@electric-sql/pglite";
import { describe, expect, it } from "vitest";
import { authenticatedUser } from "./authenticated-user.ts";
import type { WireExchange } from "./wire.ts";

const OIDS: Readonly<Record<string, number>> = { platform_admin: 10, platform_read_only_user: 16402, postgres: 16390 };

interface Build {
  readonly at: number;
  readonly admins: readonly number[];
  readonly refuses: boolean;
  /** where the users stand too, and it means nothing */
  readonly copy?: number;
}

/** A PostgreSQL in whose memory the users stand as told, and who refuses to become another as its answer says. */
function build({ at, admins, refuses, copy }: Build) {
  const wasmMemory = { buffer: new ArrayBuffer(64 * 1024) };
  const words = new Uint32Array(wasmMemory.buffer);
  for (const place of admins) words[place] = 10;
  const asked: string[] = [];
  const exchange: WireExchange = async (message) => {
    const sql = Buffer.from(message).toString();
    const role = /set session authorization (\w+)/.exec(sql)?.[1] ?? "";
    const user = OIDS[role] ?? 0;
    asked.push(role);
    const end = new messages.ReadyForQueryMessage(5, "I");
    if (!sql.includes("select")) {
      const error = new messages.DatabaseError("permission denied", 1, "error");
      error.code = "42501";
      const isOther = words[at + 5] !== user;
      return Promise.resolve(refuses && isOther ? [error, end] : [end]);
    }
    words.fill(user, at, at + 3);
    if (copy !== undefined && role === "platform_read_only_user") words.fill(user, copy, copy + 3);
    return Promise.resolve([...oid(user), ...oid(10), end]);
  };
  return { memory: { wasmMemory }, exchange, words, asked };
}

const oid = (value: number) => [new messages.RowDescriptionMessage(6, 0), new messages.DataRowMessage(6, [`${value}`])];
/** The session is whose, and then it is tried whether it becomes the superuser: as itself, and as one whom he began. */
const TRIED = ["platform_read_only_user", "platform_admin", "platform_admin"];
const SOUGHT = ["platform_read_only_user", "postgres", "platform_admin", "platform_admin"];

describe("who began a session", () => {
  it("is set where it stands in the memory", async () => {
    const { memory, exchange, words, asked } = build({ at: 100, admins: [105], refuses: true });
    const { beginsAs, place } = await authenticatedUser(memory, exchange);
    expect([place, asked]).toEqual([105, SOUGHT]);
    words.fill(16390, 100, 103);
    beginsAs("itself");
    expect(words[105]).toBe(16390);
    beginsAs("superuser");
    expect(words[105]).toBe(10);
  });

  it.each([
    { why: "it stands elsewhere", at: 100, admins: [106], refuses: true, says: "0 places of the user" },
    { why: "what stands there decides nothing", at: 100, admins: [105], refuses: false, says: "not as it began" },
  ])("is not set in another build of PostgreSQL, where $why", async ({ says, ...rest }) => {
    const { memory, exchange } = build(rest);
    await expect(authenticatedUser(memory, exchange)).rejects.toThrow(says);
    await expect(authenticatedUser(memory, exchange, 105)).rejects.toThrow(says);
  });

  it.each([
    { why: "is tried where it stood in another database, and not sought", known: 105, asks: TRIED, user: 16402 },
    { why: "is sought where it stands there no more", known: 104, asks: SOUGHT, user: 16390 },
    { why: "is sought where the memory ends before", known: 1_000_000, asks: SOUGHT, user: 16390 },
    { why: "is sought where what stands there decides nothing", known: 205, asks: [...TRIED, ...SOUGHT], user: 16390 },
  ])("$why", async ({ known, asks, user }) => {
    const { memory, exchange, words, asked } = build({ at: 100, admins: [105, 205], refuses: true, copy: 200 });
    const { beginsAs, place } = await authenticatedUser(memory, exchange, known);
    expect([place, asked]).toEqual([105, asks]);
    beginsAs("itself");
    expect([words[105], words[205]]).toEqual([user, 10]); // the session's, and as it was
  });
});
