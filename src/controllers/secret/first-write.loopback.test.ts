import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, callsOf, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { secretKind } from "../../resources/secret/kind.ts";

/** engine.md §4: what an object writes first it looks up before, in a list that is no older than what declares it, however fresh another one's is. */

const digest = (value: string): string => createHash("sha256").update(value).digest("hex");

let theatre: Theatre;
let operator: WholeOperator;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  operator = await WholeOperator.start(theatre);
  const metadata = { name: "shop", namespace: NAMESPACE };
  const project = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec: { organization: "acme" } };
  theatre.kubernetes.put("projects", project);
  putValues("first", { A: "ours" });
  putSecret("first");
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

function putValues(name: string, stringData: Readonly<Record<string, string>>): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData });
}

function putSecret(name: string, values: readonly string[] = [name]): void {
  const spec = { projectRef: { name: "shop" }, from: values.map((from) => ({ secretRef: { name: from } })) };
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "baas.dev/v1alpha1", kind: "Secret", metadata, spec });
}

async function secretsOf(): Promise<Readonly<Record<string, string>>> {
  const [project] = (await theatre.emulator.control.state.read({})).projects;
  return Object.fromEntries((project?.secrets ?? []).map(({ name, digest: value }) => [name, value]));
}

/** Somebody else's client. */
async function setByHand(name: string, value: string): Promise<void> {
  const ref = (await theatre.emulator.control.state.read({})).projects[0]?.ref ?? "";
  const response = await fetch(`${theatre.emulator.url}/v1/projects/${ref}/secrets`, {
    method: "POST",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify([{ name, value }]),
  });
  await response.text();
  expect(response.status).toBe(201);
}

const conflict = { type: "Stalled", status: "True", reason: "Conflict" };

function conditionsOf(name: string): unknown {
  return secretKind.parseStatus(theatre.kubernetes.get("secrets", NAMESPACE, name)).conditions;
}

describe("what somebody set a moment ago, and a list that another object has just looked at does not show, is not written over", () => {
  it("by an object that comes then", async () => {
    await setByHand("X", "theirs");
    await operator.advance(1000);
    putValues("second", { X: "ours" });
    putSecret("second");
    operator.look();
    await operator.advance(5000);
    expect(await secretsOf()).toMatchObject({ A: digest("ours"), X: digest("theirs") });
    expect(conditionsOf("second")).toEqual(expect.arrayContaining([expect.objectContaining(conflict)]));
  });

  it("by an object that comes to declare it as well", async () => {
    await setByHand("X", "theirs");
    await operator.advance(1000);
    putValues("second", { X: "ours" });
    putSecret("first", ["first", "second"]);
    operator.look();
    await operator.advance(5000);
    expect(await secretsOf()).toMatchObject({ A: digest("ours"), X: digest("theirs") });
    expect(conditionsOf("first")).toEqual(expect.arrayContaining([expect.objectContaining(conflict)]));
  });
});

it("many that come at once share their looks, and what stands among them is nobody's to write over", async () => {
  const MANY = 80;
  await setByHand("X", "theirs");
  await operator.advance(1000);
  const before = (await callsOf(theatre))["secrets.list"] ?? 0;
  for (let nth = 0; nth < MANY; nth += 1) {
    putValues(`values-${nth}`, { [nth === MANY / 2 ? "X" : `N_${nth}`]: "ours" });
    putSecret(`values-${nth}`);
  }
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 1);
  expect((await secretsOf())["X"]).toBe(digest("theirs"));
  expect(conditionsOf(`values-${MANY / 2}`)).toEqual(expect.arrayContaining([expect.objectContaining(conflict)]));
  // Eight of one project run at a time, and look once after they wrote: those that come next share that look.
  expect(((await callsOf(theatre))["secrets.list"] ?? 0) - before).toBeLessThanOrEqual(MANY / 8 + 2);
});
