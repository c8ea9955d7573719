import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What drift checks alone look at, of a project that is looked at sooner, time and again, for something else (engine.md §6). */

const MINUTE_MS = 60_000;
const TWO_INTERVALS_MS = 20 * MINUTE_MS;

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

const refused = { auth: { hooks: { sendSms: { enabled: true } } } };
const output = { writeConnectionSecretToRef: { name: "out", keys: [{ key: "host" }] } };

function heldHost(): string | undefined {
  const { data } = (stage.theatre.kubernetes.get("secrets", NAMESPACE, "out") ?? {}) as {
    data?: Record<string, string>;
  };
  const host = data?.["host"];
  return host === undefined ? undefined : Buffer.from(host, "base64").toString();
}

/** Somebody else keeps writing the output, until it is left to them. */
async function contest(operator: WholeOperator): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    const { metadata } = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out") ?? {};
    const data = { host: Buffer.from("theirs").toString("base64") };
    stage.theatre.kubernetes.put("secrets", { metadata: { ...metadata, name: "out", namespace: NAMESPACE }, data });
    operator.look();
    await operator.advance(1000);
  }
  expect(heldHost()).toBe("theirs");
}

/** An operator that has looked at what is declared and was refused what the plan has not; somebody fights for its output. */
async function declare(spec: object): Promise<WholeOperator> {
  await stage.start({ ...refused, ...output, ...spec });
  const operator = await WholeOperator.start(stage.theatre);
  operator.look();
  await operator.advance(30_000);
  expect(stage.entry("auth")).toMatchObject({ state: "Failed" });
  await contest(operator);
  return operator;
}

async function leaveBranch(): Promise<void> {
  const { client, ref, theatre } = stage;
  await client.branches.create({ ref, body: { branch_name: "main" } });
  await client.branches.create({ ref, body: { branch_name: "preview" } });
  await theatre.pass(60_001);
}

describe("what the plan refused, and an output that somebody else writes", () => {
  it.each([
    { what: "a branch is in the way of branching: Disabled", spec: { branching: "Disabled" } },
    {
      what: "a section waits for a Secret that is not there",
      spec: { encryptionRootKey: { secretKeyRef: { name: "none-yet", key: "rootKey" } }, driftInterval: "9m" },
    },
  ])("are looked at by the drift check while $what", async ({ spec }) => {
    await leaveBranch();
    await using operator = await declare(spec);
    await stage.theatre.emulator.control.organizations.patch({ slug: "acme", plan: "pro" });
    await operator.advance(TWO_INTERVALS_MS);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(heldHost()).not.toBe("theirs");
  });

  it("are not looked at with what is looked at each minute, which is that alone", async () => {
    await leaveBranch();
    await using operator = await declare({ branching: "Disabled" });
    await operator.advance(MINUTE_MS);
    await stage.calls();
    await operator.advance(3 * MINUTE_MS);
    expect(await stage.calls()).toEqual(["branches.list", "branches.list", "branches.list"]);
    await operator.advance(TWO_INTERVALS_MS);
    const looks = (await stage.calls()).filter((id) => id === "branches.list");
    expect(looks).toHaveLength(20);
  });
});

it("a section that waits as it waited keeps no edit beside it from being told of", async () => {
  const waits = { encryptionRootKey: { secretKeyRef: { name: "none-yet", key: "rootKey" } } };
  await stage.start(waits);
  await stage.start({ ...waits, name: "renamed" });
  const { metadata } = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop") ?? {};
  expect(stage.stored().observedGeneration).toBe(metadata?.generation);
  expect(stage.condition("Ready")).toMatchObject({ status: "Unknown", observedGeneration: metadata?.generation });
});
