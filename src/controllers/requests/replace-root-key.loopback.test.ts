import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** A request for a root key that cannot be carried out at once, or whose answer is lost: only the key that was meant is ever sent. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const WRITE = "encryptionKey.update";
const ONE = "0f".repeat(32);
const TWO = "a5".repeat(32);
const spec = { encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } } };

async function rootKey(): Promise<string> {
  return (await stage.client.encryptionKey.get({ ref: stage.ref })).root_key;
}

/** The annotation as somebody sets it. */
function ask(verb: string, id: string): void {
  const { kubernetes } = stage.theatre;
  const found = kubernetes.get("projects", "test", "shop");
  if (found === undefined) throw new Error("there is no Project");
  const annotations = { ...found.metadata.annotations, [`baas.dev/${verb}`]: id };
  kubernetes.put("projects", { ...found, metadata: { ...found.metadata, annotations } });
}

/** Asks for the declared key with an id, where nothing of the request arrives. */
async function askInVain(): Promise<void> {
  const { emulator } = stage.theatre;
  stage.putSecret("root", { rootKey: ONE });
  await stage.apply(spec);
  await emulator.control.faults.add({ operation: WRITE, count: null, fault: { kind: "reset", phase: "before" } });
  ask("replace-root-key", "7");
  await stage.life.runWhileTimePasses("Project", "shop");
  expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Sending" }]);
  await emulator.control.faults.clear({});
  await stage.calls();
}

/** Looks until nothing of the request can arrive any more. */
async function lookUntilCertain(): Promise<void> {
  await stage.run("progress");
  await stage.theatre.pass(130_000);
  await stage.run("progress");
}

describe("a root key whose answer was lost", () => {
  it("is sent again where it certainly did not arrive", async () => {
    await askInVain();
    await lookUntilCertain();
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Succeeded" }]);
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([WRITE]);
    expect(await rootKey()).toBe(ONE);
  });

  it("is not followed by another key that the Secret holds by then: that takes another id", async () => {
    const before = await rootKey();
    await askInVain();
    stage.putSecret("root", { rootKey: TWO });
    await lookUntilCertain();
    expect(stage.stored().requests).toMatchObject([
      { id: "7", state: "Unknown", message: expect.stringContaining("another key") },
    ]);
    expect(await stage.calls()).not.toContain(WRITE);
    expect(await rootKey()).toBe(before);
    const { kubernetes } = stage.theatre;
    const told = JSON.stringify([kubernetes.get("projects", "test", "shop"), stage.life.events]).toLowerCase();
    expect(told).not.toMatch(new RegExp(`${ONE}|${TWO}|${before}`, "i"));
  });

  it("is not sent again where the Secret is gone, and holds up nothing else", async () => {
    await askInVain();
    stage.theatre.kubernetes.delete("secrets", "test", "root");
    await lookUntilCertain();
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Unknown" }]);
    expect(await stage.calls()).not.toContain(WRITE);
  });
});

describe("a root key that cannot be sent at once", () => {
  const waits = [
    {
      why: "another request is under way",
      begin: () => Promise.resolve(ask("restart", "1")),
      end: () => stage.theatre.pass(60_000),
    },
    {
      why: "the platform answers 429",
      begin: () => refuse(WRITE, 429),
      end: () => stage.theatre.emulator.control.faults.clear({}),
    },
    {
      why: "nothing of the project can be read",
      begin: () => refuse("projects.get", 503),
      end: () => stage.theatre.emulator.control.faults.clear({}),
    },
  ];

  async function refuse(operation: string, status: number): Promise<void> {
    const fault = { kind: "status", status } as const;
    await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
  }

  async function waitAndGo(begin: () => Promise<unknown>, end: () => Promise<unknown>, then: string): Promise<void> {
    stage.putSecret("root", { rootKey: ONE });
    await stage.apply(spec);
    await begin();
    await stage.life.runWhileTimePasses("Project", "shop", "change");
    ask("replace-root-key", "7");
    await stage.life.runWhileTimePasses("Project", "shop", "change");
    expect(stage.stored().requests?.at(-1)?.state).toMatch(/^(?:Waiting|Sending)$/u);
    stage.putSecret("root", { rootKey: then });
    await end();
    for (let look = 0; look < 5; look += 1) {
      await stage.theatre.pass(120_000);
      await stage.run("progress");
    }
  }

  it.each(waits)("is sent later, the same one: $why", async ({ begin, end }) => {
    await waitAndGo(begin, end, ONE);
    expect(stage.stored().requests?.at(-1)).toMatchObject({ verb: "replace-root-key", state: "Succeeded" });
    expect(await rootKey()).toBe(ONE);
  });

  it.each(waits)(
    "is refused once the Secret holds another one, which takes another id: $why",
    async ({ begin, end }) => {
      const before = await rootKey();
      await waitAndGo(begin, end, TWO);
      const message = expect.stringContaining("ask with another id");
      expect(stage.stored().requests?.at(-1)).toMatchObject({ verb: "replace-root-key", state: "Refused", message });
      expect(await rootKey()).toBe(before);
      const stored = JSON.stringify([stage.theatre.kubernetes.get("projects", "test", "shop"), stage.life.events]);
      expect(stored.toLowerCase()).not.toMatch(new RegExp(`${ONE}|${TWO}|${before}`, "i"));
      ask("replace-root-key", "8");
      await stage.settle();
      expect(await rootKey()).toBe(TWO);
    },
  );
});

it("a key that is there already is not told to be asked for", async () => {
  stage.putSecret("root", { rootKey: await rootKey() });
  await stage.apply(spec);
  await stage.calls();
  ask("replace-root-key", "7");
  await stage.settle();

  expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Succeeded" }]);
  expect(await stage.calls()).not.toContain(WRITE);
  expect(stage.life.events.map(({ reason }) => reason)).not.toContain("Requested");
});

it("a root key whose Secret is not there yet is looked for when that comes, and not every few seconds until then", async () => {
  stage.putSecret("root", { rootKey: ONE });
  await stage.apply(spec);
  stage.theatre.kubernetes.delete("secrets", "test", "root");
  ask("replace-root-key", "7");
  const before = stage.life.asked.length;
  await stage.run("change");
  expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Waiting" }]);
  expect(stage.life.asked.slice(before)).toEqual([]);
});
