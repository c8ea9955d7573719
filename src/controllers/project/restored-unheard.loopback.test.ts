import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked, SHOP } from "../../../test/support/controllers/asked.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/**
 * A restoration whose answer was lost and that had ended before anybody looked, or that was cancelled: the database may be as it was before, and
 * nothing tells.
 */

const DECLARED = { databasePassword: { secretKeyRef: { name: "db" } }, database: { webhooksEnabled: true } };

let theatre: Theatre;
let asked: Asked;
let life: Life;

async function open(): Promise<void> {
  theatre = await openTheatre();
  asked = new Asked(theatre);
  putPassword("first-password");
  life = await asked.withShop(DECLARED);
}

beforeEach(open);
afterEach(() => theatre[Symbol.asyncDispose]());

function putPassword(password: string): void {
  const data = { password: Buffer.from(password).toString("base64") };
  const metadata = { name: "db", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

/** Asks for the database as it was a minute ago, and rotates its password since then. */
async function askAfterRotation(): Promise<void> {
  await theatre.pass(120_000);
  const time = new Date(theatre.clock.now() - 60_000).toISOString().replace(/\.\d+Z$/u, "Z");
  putPassword("second-password");
  await life.settle("Project", "shop");
  asked.ask("Project", "shop", "restore-to", `1@${time}`);
}

/** How often what no read tells was sent. */
async function sent(): Promise<object> {
  const passwords = await asked.calls("projects.updatePassword");
  return { passwords, webhooks: await asked.calls("database.enableWebhooks") };
}

async function looks(): Promise<void> {
  const next = await theatre.life();
  await asked.settle(next, "Project", "shop");
  await theatre.pass(600_000);
  await next.run("Project", "shop", "drift");
}

describe("a restoration to a point in time", () => {
  it("of which nobody knows whether it was done has what no read tells sent once more", async () => {
    const arrivedUnheard = async (survived: number): Promise<boolean> => {
      await theatre[Symbol.asyncDispose]();
      await open();
      await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), pitr: true });
      await askAfterRotation();
      await (await theatre.life(survived)).run("Project", "shop");
      const [record] = asked.requests("Project", "shop", "restore-to");
      return record?.state === "Sending" && (await asked.calls("backups.restorePitr")) === 1;
    };
    let survived = 1;
    while (survived < 20 && !(await arrivedUnheard(survived))) survived += 1;
    expect(await sent()).toEqual({ passwords: 1, webhooks: 1 });
    await theatre.pass(600_000);
    await looks();
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state: "Unknown" }]);
    expect(await sent()).toEqual({ passwords: 2, webhooks: 2 });
  });

  it("that was cancelled on its way has what no read tells sent once more", async () => {
    await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), pitr: true });
    await askAfterRotation();
    await life.run("Project", "shop");
    asked.ask("Project", "shop", "cancel-restore", "1");
    await asked.settle(life, "Project", "shop");
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state: "Failed" }]);
    asked.put("Project", "shop", { ...SHOP, ...DECLARED, state: "Running" });
    await life.settle("Project", "shop");
    await looks();
    expect(await sent()).toEqual({ passwords: 2, webhooks: 2 });
  });

  it("whose project was not found for a minute has what no read tells sent once more", async () => {
    await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), pitr: true });
    await askAfterRotation();
    await life.run("Project", "shop");
    const fault = { kind: "status", status: 404, phase: "before" } as const;
    await theatre.emulator.control.faults.add({ operation: "projects.get", count: null, fault });
    for (const afterMs of [0, 59_999, 1]) {
      await theatre.pass(afterMs);
      expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state: "Running" }]);
      await life.run("Project", "shop");
    }
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state: "Unknown" }]);
    await theatre.emulator.control.faults.clear();
    await theatre.pass(600_000);
    await life.settle("Project", "shop");
    await looks();
    expect(await sent()).toEqual({ passwords: 2, webhooks: 2 });
  });

  it("that was refused has nothing sent", async () => {
    await askAfterRotation();
    await looks();
    expect(asked.requests("Project", "shop", "restore-to")).toMatchObject([{ state: "Failed" }]);
    expect(await sent()).toEqual({ passwords: 1, webhooks: 1 });
  });
});
