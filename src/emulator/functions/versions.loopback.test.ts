import { describe, expect, it } from "vitest";
import { z } from "zod";
import { actionRunSchema } from "../../api/contract/actions.ts";
import { functionSchema } from "../../api/contract/functions.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, aProject, deploy, message } from "../../../test/support/emulator/scenario.ts";
import { functions } from "./function-state.ts";
import { newFunction } from "./function-record.ts";

/** Versions of functions at the ends of what a number can count. */

const LAST = Number.MAX_SAFE_INTEGER;
const INT4_MAX = 2_147_483_647;
const REFUSED = `The function a has the version ${LAST}, the last one there is: give it a lower one by the bulk update, then deploy`;

async function put(under: EmulatorUnderTest, ref: string, version: number) {
  const item = { id: "1e3b0c5e-0000-4000-8000-000000000000", slug: "a", name: "A", status: "ACTIVE", version };
  return under.call("PUT", `/v1/projects/${ref}/functions`, { body: [item] });
}

async function read(under: EmulatorUnderTest, ref: string): Promise<number | undefined> {
  const known = await under.call("GET", `/v1/projects/${ref}/functions`);
  return bodyAs(z.array(functionSchema), known).at(0)?.version;
}

describe("the version of a function", () => {
  it.each([-LAST, -1, 0, INT4_MAX, LAST - 1])(
    "goes on from %d by a deploy, and is taken as it was read",
    async (from) => {
      await using under = await emulatorUnderTest();
      const ref = await aProject(under);
      expect((await put(under, ref, from)).status).toBe(200);
      expect((await deploy(under, ref, "a")).status).toBe(201);
      const after = await read(under, ref);
      expect(after).toBe(from + 1);
      const again = await put(under, ref, after ?? 0);
      expect([again.status, await read(under, ref)]).toEqual([200, from + 1]);
    },
  );

  it("stays where no deploy can add one to it, which is refused, until a lower one is said", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await put(under, ref, LAST);
    await under.control.functions.failBundle({ slug: "a", message: "ordered" });
    const old = { body: "export default 1;" };
    for (const refused of [
      await deploy(under, ref, "a"),
      await under.call("PATCH", `/v1/projects/${ref}/functions/a`, { body: old }),
    ]) {
      expect([refused.status, message(refused)]).toEqual([400, REFUSED]);
    }
    expect((await under.call("PATCH", `/v1/projects/${ref}/functions/a`, { body: { name: "B" } })).status).toBe(200);
    expect(await read(under, ref)).toBe(LAST);
    await put(under, ref, 1);
    expect(message(await deploy(under, ref, "a"))).toContain("ordered"); // no refusal has used it up
    expect((await deploy(under, ref, "a")).status).toBe(201);
    expect(await read(under, ref)).toBe(2);
  });

  it("fails a merge in its deploy step as well", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    const branch = await aBranch(under, ref, "dev");
    await put(under, ref, LAST);
    await deploy(under, branch.project_ref, "a");
    const merged = await under.call("POST", `/v1/branches/${branch.id}/merge`);
    const { workflow_run_id: id } = bodyAs(z.looseObject({ workflow_run_id: z.string() }), merged);
    under.clock.advance(A_WHILE);
    const run = bodyAs(actionRunSchema, await under.call("GET", `/v1/projects/${ref}/actions/${id}`));
    expect(run.run_steps.at(-1)).toMatchObject({ name: "deploy", status: "DEAD" });
    expect((await under.call("GET", `/v1/projects/${ref}/actions/${id}/logs`)).text).toContain(REFUSED);
    expect(await read(under, ref)).toBe(LAST);
  });

  it("of an older folder is no higher than one that can be said", () => {
    const stored = { ...newFunction("a", 0), version: LAST + 1 };
    expect(functions.row.parse(stored).version).toBe(LAST);
  });
});
