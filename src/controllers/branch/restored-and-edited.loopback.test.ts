import { beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";

/** An edit while it is not known whether a branch is had back after the soft end of its ttl: that is found out first. */

const HOUR_MS = 3_600_000;
const ended = { projectRef: { name: "shop" }, ttl: "1h", softDelete: true };
const edited = { ...ended, ttl: "2h" };

const asked = askedInEach();
let life: Life;

beforeEach(async () => {
  life = await asked.withShop();
  await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
  asked.put("Branch", "preview", ended);
  await life.settle("Branch", "preview");
  await asked.theatre.pass(Date.parse(asked.branch("preview").expiresAt ?? "") - asked.theatre.clock.now() + 2000);
  await life.settle("Branch", "preview");
});

const listed = z.array(
  z.object({ name: z.string(), project_ref: z.string(), deletion_scheduled_at: z.string().nullish() }),
);

/** Refs of the branches `preview` that the platform keeps, and of the one that is about to go. */
async function previews(): Promise<{ readonly kept: readonly string[]; readonly going: string | undefined }> {
  const answer = await fetch(`${asked.theatre.emulator.url}/v1/projects/${asked.shopRef()}/branches`, {
    headers: { authorization: "Bearer token" },
  });
  const all = listed.parse(await answer.json()).filter(({ name }) => name === "preview");
  const isGoing = ({ deletion_scheduled_at: at }: (typeof all)[number]): boolean => typeof at === "string";
  const kept = all.filter((one) => !isGoing(one)).map(({ project_ref: ref }) => ref);
  return { kept, going: all.find(isGoing)?.project_ref };
}

/** The operator dies after some requests of a restoration, and the spec is another one in its next life. */
async function dieAndEdit(requests: number): Promise<void> {
  asked.ask("Branch", "preview", "restore", "1");
  await (await asked.theatre.life(requests)).run("Branch", "preview");
  asked.put("Branch", "preview", edited);
  life = await asked.theatre.life();
}

const restorations = (): readonly { readonly state: string; readonly message?: string | undefined }[] =>
  asked.requests("Branch", "preview", "restore");

describe("a restoration amid which the operator dies and the spec changes", () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])("leaves no branch that nobody has: after %s requests", async (requests) => {
    await dieAndEdit(requests);
    for (let minutes = 0; minutes < 6; minutes += 1) {
      await asked.settle(life, "Branch", "preview");
      await asked.theatre.pass(60_000);
    }
    expect((await previews()).kept).toEqual([asked.branch("preview").ref]);
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ status: "True", reason: "Available" });
    expect(asked.branch("preview").ttl).toBe("2h");
  });

  it("has the branch back that was kept, and no other one is made", async () => {
    const { going } = await previews();
    await dieAndEdit(3);
    expect(restorations()).toMatchObject([{ state: "Sending" }]);
    await asked.settle(life, "Branch", "preview");
    expect(restorations()).toMatchObject([{ state: "Succeeded" }]);
    expect(asked.branch("preview").ref).toBe(going);
    expect(asked.condition("Branch", "preview", "Expired")).toBeUndefined();
    expect(Date.parse(asked.branch("preview").expiresAt ?? "") - asked.theatre.clock.now()).toBeGreaterThan(
      1.9 * HOUR_MS,
    );
  });

  it("is found out before the spec counts, and until then the object says so", async () => {
    await dieAndEdit(2);
    expect(restorations()).toMatchObject([{ state: "Sending" }]);
    await life.run("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({
      status: "Unknown",
      reason: "Deleting",
      message: expect.stringContaining("is not known yet"),
    });
    expect(asked.branch("preview").id).toBeDefined();
    asked.ask("Branch", "preview", "restore", undefined);
    await asked.theatre.pass(180_000);
    await asked.settle(life, "Branch", "preview");
    expect(restorations()).toMatchObject([{ state: "Failed" }]);
    expect(await asked.calls("branches.restore")).toBe(0);
    expect((await previews()).kept).toEqual([asked.branch("preview").ref]);
  });

  it("is not told to have kept a branch that went meanwhile: another one is made as the spec is now", async () => {
    const { going } = await previews();
    await dieAndEdit(2);
    await asked.theatre.pass(2 * HOUR_MS);
    await life.run("Branch", "preview");
    expect(asked.condition("Branch", "preview", "Ready")).not.toMatchObject({ reason: "Deleting" });
    await asked.settle(life, "Branch", "preview");
    expect(restorations()).toMatchObject([{ state: "Failed", message: "the branch is gone" }]);
    expect(asked.branch("preview").ref).not.toBe(going);
    expect((await previews()).kept).toEqual([asked.branch("preview").ref]);
  });
});
