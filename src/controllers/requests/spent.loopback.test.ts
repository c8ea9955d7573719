import { expect, it } from "vitest";
import { SHOP } from "../../../test/support/controllers/asked.ts";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { annotations } from "../../resources/annotations.ts";

/** Ids whose records are forgotten, when the spec's repository goes back to one of them: it may ask for the loss of all data since. */

const asked = askedInEach();

const VERB = "shut-down-realtime";

/** A life in which a verb was asked for with the ids 1 to 12. */
async function askedOften(verb = VERB): Promise<Life> {
  const life = await asked.withShop();
  await askOn(life, 1, 12, verb);
  expect(asked.requests("Project", "shop", verb).map(({ id }) => id)).not.toContain("1");
  return life;
}

async function askOn(life: Life, first: number, last: number, verb = VERB): Promise<void> {
  for (let id = first; id <= last; id += 1) await ask(life, `${id}`, verb);
}

/** Asks, and has what comes of it. */
async function ask(life: Life, request: string, verb = VERB): Promise<object | undefined> {
  asked.ask("Project", "shop", verb, request);
  await asked.settle(life, "Project", "shop");
  return asked.requests("Project", "shop", verb).find((record) => record.request === request);
}

const refusal = (verb = VERB): object => {
  return { state: "Refused", message: `nothing was sent: the id 1 was used for an earlier ${verb}: write a new one` };
};

it("a request of long ago is not carried out again, nor when its refusal is forgotten too", async () => {
  const life = await askedOften();
  expect(await ask(life, "1")).toMatchObject(refusal());
  expect(asked.condition("Project", "shop", "RequestFailed")).toMatchObject({ status: "True" });
  await askOn(life, 13, 24);
  expect(await ask(life, "1")).toMatchObject(refusal());
  expect(await asked.calls("realtime.shutdown")).toBe(24);
  expect(await ask(life, "1", "lift-network-bans"), "the id of another verb").toMatchObject({ state: "Succeeded" });
});

it("nor is its id with another parameter", async () => {
  const life = await askedOften("lift-network-bans");
  const request = "1@203.0.113.7";
  expect(await ask(life, request, "lift-network-bans")).toMatchObject(refusal("lift-network-bans"));
});

it("nor in a project that is made anew", async () => {
  const life = await askedOften();
  const gone = asked.shopRef();
  await asked.theatre.emulator.control.projects.remove({ ref: gone });
  asked.put("Project", "shop", SHOP, { [annotations.recreate]: gone });
  await asked.settle(life, "Project", "shop");
  expect(asked.shopRef()).not.toBe(gone);
  expect(await ask(life, "1")).toMatchObject(refusal());
  expect(await asked.calls("realtime.shutdown")).toBe(12);
});

it("nor where the object was made again with its status, in which its records are void", async () => {
  const life = await askedOften();
  const object = asked.theatre.kubernetes.get("projects", NAMESPACE, "shop");
  if (object === undefined) throw new Error("there is no Project");
  const metadata = { ...object.metadata, uid: "another" };
  asked.theatre.kubernetes.put("projects", { ...object, metadata, spec: { ...SHOP, ref: asked.shopRef() } });
  await asked.settle(life, "Project", "shop");
  expect(asked.project("shop")).toMatchObject({ requestsFor: "another", requests: [{ id: "12", state: "Ignored" }] });
  for (const id of ["1", "11"]) expect(await ask(life, id)).toMatchObject({ id, state: "Refused" });
  expect(await asked.calls("realtime.shutdown")).toBe(12);
  expect(await ask(life, "13")).toMatchObject({ state: "Succeeded" });
});
