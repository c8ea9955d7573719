import { beforeEach, describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { projectStatus } from "../../../test/support/controllers/outputs.ts";

/** A password that the platform refuses again and again: what is recorded for each try and certainly untrue is not taken back and recorded without end. */

const asked = askedInEach();
let life: Life;

function put(password: string): void {
  const data = { password: Buffer.from(password).toString("base64") };
  const metadata = { name: "db", namespace: NAMESPACE };
  asked.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

beforeEach(async () => {
  put("first-password");
  life = await asked.withShop({ databasePassword: { secretKeyRef: { name: "db" } } });
});

async function look(): Promise<void> {
  await asked.theatre.pass(600_000);
  await life.runWhileTimePasses("Project", "shop", "drift");
}

async function refuseSecond(status: number): Promise<void> {
  await asked.theatre.emulator.control.faults.add({
    operation: "projects.updatePassword",
    count: null,
    fault: { kind: "status", status, phase: "before" },
  });
  put("second-password");
  await life.runWhileTimePasses("Project", "shop");
  for (let n = 0; n < 2; n += 1) await look();
}

const sent = (): unknown => projectStatus(asked.theatre).databasePassword?.sent;

describe.each([403, 400, 429])("refused with %i again and again", (status) => {
  it("is told once and written no more", async () => {
    await refuseSecond(status);
    const calls = await asked.calls("projects.updatePassword");
    const { writes } = asked.theatre.kubernetes;
    for (let n = 0; n < 6; n += 1) await look();
    expect(asked.theatre.kubernetes.writes - writes).toBe(0);
    expect(await asked.calls("projects.updatePassword")).toBeGreaterThan(calls);
  });

  it("leaves the one before in force: it is not sent where it is declared again", async () => {
    const before = sent();
    await refuseSecond(status);
    await asked.theatre.emulator.control.faults.clear();
    const calls = await asked.calls("projects.updatePassword");
    put("first-password");
    for (let n = 0; n < 2; n += 1) await look();
    expect(await asked.calls("projects.updatePassword")).toBe(calls);
    expect(sent()).toMatchObject({ hash: (before as { readonly hash: string }).hash });
  });

  it("tells nothing of a later try whose answer is lost: the one before is sent where it is declared again", async () => {
    await refuseSecond(status);
    await asked.theatre.emulator.control.faults.clear();
    const lost = { kind: "reset", phase: "after" } as const;
    await asked.theatre.emulator.control.faults.add({ operation: "projects.updatePassword", count: null, fault: lost });
    for (let n = 0; n < 2; n += 1) await look();
    await asked.theatre.emulator.control.faults.clear();
    const calls = await asked.calls("projects.updatePassword");
    put("first-password");
    for (let n = 0; n < 2; n += 1) await look();
    expect(await asked.calls("projects.updatePassword")).toBe(calls + 1);
  });

  it("may be in force for all that a life knows which has not seen the tries, and is sent once more than needed at worst", async () => {
    await refuseSecond(status);
    await asked.theatre.emulator.control.faults.clear();
    const calls = await asked.calls("projects.updatePassword");
    put("first-password");
    life = await asked.theatre.life();
    for (let n = 0; n < 2; n += 1) await look();
    expect(await asked.calls("projects.updatePassword")).toBeLessThanOrEqual(calls + 1);
    expect(sent()).toMatchObject({ hash: expect.any(String) });
  });
});
