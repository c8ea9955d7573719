import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FaultRuleInput } from "../../src/emulator/http/faults.ts";
import { conditionOf, type Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What goes wrong between operator and platform, and passes unseen. */

let stage: Stage;

let rooms = 0;

function nextRoom(): Promise<Room> {
  rooms += 1;
  return stage.room(`faults-${rooms}`);
}

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const passing: readonly { readonly name: string; readonly fault: FaultRuleInput["fault"]; readonly because: string }[] =
  [
    { name: "a 502", fault: { kind: "status", status: 502 }, because: "a proxy lost its backend" },
    { name: "a 503", fault: { kind: "status", status: 503 }, because: "the platform is being deployed" },
    { name: "a 504", fault: { kind: "html", status: 504 }, because: "a proxy answers with a page of its own" },
    {
      name: "a 429",
      fault: { kind: "status", status: 429, headers: { "retry-after": "1" } },
      because: "somebody else spends the same budget",
    },
    { name: "a reset", fault: { kind: "reset" }, because: "a connection dies" },
    { name: "half an answer", fault: { kind: "truncated" }, because: "a connection dies within the answer" },
  ];

/** Told, and asked again later: who answers so may be no platform. */
const told: typeof passing = [
  {
    name: "half an answer that seems whole",
    fault: { kind: "truncated", framing: "whole" },
    because: "a proxy lost the rest",
  },
];

describe("[K-40] reads that fail once", () => {
  it.each(passing)("recover unseen from $name: $because", async ({ fault }) => {
    const room = await nextRoom();
    await room.apply(room.project("shop"));
    const before = await room.ready("Project", "shop");
    const { id } = await stage.emulator.control.faults.add({ operation: "projects.get", fault });
    const after = await room.reconcile("Project", "shop");
    expect((await stage.emulator.control.faults.list({})).find((rule) => rule.id === id)?.hits).toBe(1);
    expect(conditionOf(after, "Ready")).toEqual(conditionOf(before, "Ready"));
    expect(conditionOf(after, "Reconciling")).toBeUndefined();
  });
});

describe("[K-40] creating requests that fail", () => {
  it.each(
    [...passing, ...told]
      .flatMap(({ fault, ...rest }) => [
        { ...rest, when: "before", fault: { ...fault, phase: "before" as const } },
        { ...rest, when: "after", fault: { ...fault, phase: "after" as const } },
      ])
      // A 429 says that nothing happened, so it never comes after an effect.
      .filter(({ name, when }) => name !== "a 429" || when === "before"),
  )("never make a second project: $name $when the effect", async ({ fault }) => {
    const room = await nextRoom();
    await stage.emulator.control.faults.add({ operation: "projects.create", fault });
    await room.apply(room.project("shop"));
    const object = await room.ready("Project", "shop");
    expect(object.status["ref"]).toBe((await room.remoteProject("shop")).ref);
    expect(await room.projects()).toHaveLength(1);
  });
});
