import { expect, it } from "vitest";
import { factsOf } from "./status.ts";

const remote = { id: "id", slug: "hello", name: "hello", status: "ACTIVE", version: 3 };

it.each([
  {
    updated: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    moment: "2026-01-02T03:04:05Z",
    why: "in seconds, as a status has times",
  },
  { updated: undefined, moment: undefined, why: "told by no platform, shown nowhere" },
  { updated: 1e20, moment: undefined, why: "no time that exists" },
  { updated: NaN, moment: undefined, why: "no number" },
])("shows when the platform last changed the function: $why", ({ updated, moment }) => {
  expect(factsOf({ ...remote, updated_at: updated })).toEqual({
    id: "id",
    version: 3,
    state: "ACTIVE",
    deployedAt: moment,
  });
});
