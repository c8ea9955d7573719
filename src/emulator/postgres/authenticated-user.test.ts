import { messages } from "@electric-sql/pglite";
import { describe, expect, it } from "vitest";
import { authenticatedUser } from "./authenticated-user.ts";
import type { WireExchange } from "./wire.ts";

const OIDS: Readonly<Record<string, number>> = { platform_admin: 10, platform_read_only_user: 16402, postgres: 16390 };

/** A PostgreSQL in whose memory the users stand as told, and who refuses to become another as its answer says. */
function build({ at, admins, refuses }: { at: number; admins: readonly number[]; refuses: boolean }) {
  const wasmMemory = { buffer: new ArrayBuffer(64 * 1024) };
  const words = new Uint32Array(wasmMemory.buffer);
  for (const place of admins) words[place] = 10;
  const exchange: WireExchange = async (message) => {
    const sql = Buffer.from(message).toString();
    const user = OIDS[/set session authorization (\w+)/.exec(sql)?.[1] ?? ""] ?? 0;
    const end = new messages.ReadyForQueryMessage(5, "I");
    if (!sql.includes("select")) {
      const error = new messages.DatabaseError("permission denied", 1, "error");
      error.code = "42501";
      const isOther = words[at + 5] !== user;
      return Promise.resolve(refuses && isOther ? [error, end] : [end]);
    }
    words.fill(user, at, at + 3);
    return Promise.resolve([...oid(user), ...oid(10), end]);
  };
  return { memory: { wasmMemory }, exchange, words };
}

const oid = (value: number) => [new messages.RowDescriptionMessage(6, 0), new messages.DataRowMessage(6, [`${value}`])];

describe("who began a session", () => {
  it("is set where it stands in the memory", async () => {
    const { memory, exchange, words } = build({ at: 100, admins: [105], refuses: true });
    const beginsAs = await authenticatedUser(memory, exchange);
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
  });
});
