import { beforeEach, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";

/** A Branch that adopted the default branch, whose ref is the project's own: it is no second owner of the project. */

const asked = askedInEach();
let life: Life;

beforeEach(async () => {
  life = await asked.withShop({ dataApi: { maxRows: 20 } });
  asked.put("Branch", "preview", { projectRef: { name: "shop" } });
  await life.settle("Branch", "preview");
});

const MAIN = { projectRef: { name: "shop" }, name: "main", adoptionPolicy: "IfNameMatches" };

async function writes(): Promise<readonly string[]> {
  const { entries } = await asked.theatre.emulator.control.log.read({});
  return entries.filter(({ method }) => method !== "GET").map(({ path }) => path);
}

it("writes no section of it, and says to declare that on the Project", async () => {
  const before = await writes();
  const network = { denyAll: true };
  asked.put("Branch", "main", { ...MAIN, dataApi: { maxRows: 10 }, database: { networkRestrictions: network } });
  for (let check = 0; check < 3; check += 1) {
    // It is looked at for all else as one is that declares none.
    const ended = { kind: "terminal", reason: "InvalidSpec", recheckAfterMs: 600_000 };
    expect(await life.settle("Branch", "main")).toMatchObject(ended);
    await asked.theatre.pass(7_200_000);
    await life.run("Project", "shop", "drift");
  }
  expect(await writes()).toEqual(before);
  expect(asked.branch("main")).toMatchObject({ isDefault: true, ref: asked.shopRef() });
  expect(asked.branch("main").sections).toBeUndefined();
  expect(asked.condition("Branch", "main", "Stalled")).toMatchObject({
    message: expect.stringContaining("spec.dataApi, spec.database.networkRestrictions"),
  });
  asked.put("Branch", "main", MAIN);
  expect(await life.settle("Branch", "main")).toMatchObject({ kind: "done" });
});

it("tells once what is fixed at creation and otherwise than declared, and makes no drift of it", async () => {
  const before = await writes();
  const fixed = { region: { code: "eu-west-1" }, withData: true, postgresEngine: "15", releaseChannel: "beta" };
  asked.put("Branch", "main", { ...MAIN, ...fixed });
  expect(await life.settle("Branch", "main")).toMatchObject({ kind: "done" });
  expect(asked.condition("Branch", "main", "Drifted")).toBeUndefined();
  expect(await writes()).toEqual(before);
  await life.run("Branch", "main", "drift");
  expect(life.events.filter(({ reason }) => reason === "Adopted").map(({ note }) => note)).toEqual([
    `adopted the branch ${asked.shopRef()}, which has the declared name; it was made otherwise than declared, and stays so: ` +
      "spec.withData is false and not true, spec.postgresEngine is 17 and not 15, spec.releaseChannel is ga and not beta",
  ]);
});

it("tells nothing of what is as declared, or cannot be read", async () => {
  const { control } = asked.theatre.emulator;
  await control.faults.add({ operation: "branches.get", fault: { kind: "status", status: 403 } });
  asked.put("Branch", "main", { ...MAIN, withData: false, postgresEngine: "15" });
  expect(await life.settle("Branch", "main")).toMatchObject({ kind: "done" });
  expect(life.events.filter(({ reason }) => reason === "Adopted").map(({ note }) => note)).toEqual([
    `adopted the branch ${asked.shopRef()}, which has the declared name`,
  ]);
});

it("says so of what cannot be read of it, too", async () => {
  asked.put("Branch", "main", { ...MAIN, storage: { fileSizeLimit: "1Ti" } });
  expect(await life.settle("Branch", "main")).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
  const message: unknown = expect.stringContaining("nothing of spec.storage is written");
  expect(asked.condition("Branch", "main", "Ready")).toMatchObject({ status: "False", message });
});

it.each(["reset", "merge", "push", "restore", "restart", "request-review"])("sends no %s of it", async (verb) => {
  asked.put("Branch", "main", MAIN);
  await life.settle("Branch", "main");
  const before = await writes();
  asked.ask("Branch", "main", verb, "1");
  await asked.settle(life, "Branch", "main");
  expect(asked.requests("Branch", "main", verb)).toMatchObject([
    { state: "Refused", message: expect.stringContaining("ask the Project") },
  ]);
  expect(await writes()).toEqual(before);
});

it("has an output that somebody fights over put back by drift checks", async () => {
  const spec = { ...MAIN, writeConnectionSecretToRef: { name: "out", keys: [{ key: "ref" }] } };
  asked.put("Branch", "main", spec);
  await life.settle("Branch", "main");
  const { kubernetes } = asked.theatre;
  const read = () => kubernetes.get("secrets", NAMESPACE, "out")?.["data"];
  const ours = read();
  expect(ours).toHaveProperty("ref");
  const fight = (): void => {
    kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE }, data: { ref: btoa("theirs") } });
  };
  for (let round = 0; round < 5; round += 1) {
    fight();
    await life.run("Branch", "main");
  }
  expect(read()).not.toEqual(ours);
  await asked.theatre.pass(600_000);
  await life.run("Branch", "main", "drift");
  expect(read()).toEqual(ours);
});
