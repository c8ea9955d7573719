import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import { errorBodySchema } from "../../api/contract/fields.ts";
import type { Operation } from "../../api/contract/operation.ts";
import {
  bodyAs,
  emulatorUnderTest,
  type EmulatorUnderTest,
  type Received,
  undeclared,
} from "../../../test/support/emulator/api.ts";
import { EVERY_CALL, REF } from "../../../test/support/emulator/every-call.ts";
import { filled, filledBody } from "../../../test/support/emulator/play.ts";

/** Every operation on a project, asked as when it succeeds, but by somebody to whom there is no such project or who lacks its permission. */

const UUID = "00000000-0000-4000-8000-000000000000";
const ANYTHING = { BRANCH: UUID, RUN: UUID, ID: UUID, FUNCTION: UUID, OWNER: UUID, INVITE_ID: UUID, INVITE_TOKEN: "x" };
const UNKNOWN = "z".repeat(20);

interface Row {
  readonly id: string;
  readonly operation: Operation;
}

/** What asks for no token shows the project to whoever has the invitation. */
const rows: readonly Row[] = operations
  .filter(({ path, access }) => path.includes("{ref}") && access !== "public")
  .map((operation) => ({ id: operation.id, operation }));

let under: EmulatorUnderTest;
beforeAll(async () => {
  under = await emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: {
      projects: [{ name: "shop", ref: REF }],
      tokens: [
        { token: "stranger", user: "stranger" },
        { token: "narrow", user: "owner", permissions: [] },
      ],
    },
  });
});
afterAll(() => under[Symbol.asyncDispose]());

function ask({ id, operation }: Row, ref: string, token?: string): Promise<Received> {
  const call = EVERY_CALL.find((one) => one.id === id);
  if (call === undefined) throw new RangeError(`no call of ${id}`);
  const path = filled(call.path, ANYTHING).replace(REF, ref);
  return under.call(operation.method, path, {
    body: filledBody(call.body, ANYTHING),
    ...(token === undefined ? {} : { token }),
  });
}

/** What a refusal says; the answer to a HEAD says nothing. */
function words({ operation }: Row, refused: Received): string {
  return operation.method === "HEAD" ? refused.text : bodyAs(errorBodySchema, refused).message;
}

describe("an operation on a project", () => {
  it.each(rows)(
    "$id answers 404 for an unknown one and, with the same words, for one that the caller may not see",
    async (row) => {
      const unknown = await ask(row, UNKNOWN);
      const foreign = await ask(row, REF, "stranger");
      expect([unknown.status, undeclared(row.operation, unknown)]).toEqual([404, undefined]);
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
      expect(words(row, unknown)).toBe(row.operation.method === "HEAD" ? "" : "Project not found");
    },
  );

  const withRights = rows.filter(({ operation }) => operation.permissions.length > 0);

  it.each(withRights)("$id answers 403 to a token without its permission, and names that", async (row) => {
    const refused = await ask(row, REF, "narrow");
    expect(refused.status).toBe(403);
    const names = row.operation.method === "HEAD" ? [] : row.operation.permissions.flat();
    expect(names.filter((name) => !words(row, refused).includes(name))).toEqual([]);
  });
});
