import { describe, expect, it } from "vitest";
import { type ObservedInput, onlyObserved } from "./observed.ts";

const nobody: ObservedInput = { declared: undefined, effective: undefined, connection: undefined, operator: {} };
const heldBy = (origin: string, value = "Observe"): ObservedInput["effective"] => ({ value, origin });

describe("an object under deletion", () => {
  it.each<{ why: string; given: Partial<ObservedInput>; observed: boolean }>([
    { why: "nobody says anything: it manages", given: {}, observed: false },
    {
      why: "the spec was set to Observe after the last look, or while it was paused",
      given: { declared: "Observe", effective: heldBy("Default", "Manage") },
      observed: true,
    },
    {
      why: "the spec was set to Manage after the last look",
      given: { declared: "Manage", effective: heldBy("Object") },
      observed: false,
    },
    {
      why: "the spec says Manage and its connection Observe: the object's word counts",
      given: { declared: "Manage", connection: { managementPolicy: "Observe" } },
      observed: false,
    },
    {
      why: "the word was taken out of the spec after the last look",
      given: { effective: heldBy("Object") },
      observed: false,
    },
    {
      why: "the connection said Observe at the last look, and is not known now",
      given: { effective: heldBy("Connection") },
      observed: true,
    },
    {
      why: "the status was lost, and the connection says Observe",
      given: { connection: { managementPolicy: "Observe" } },
      observed: true,
    },
    {
      why: "the status was lost, and the operator was told Observe",
      given: { operator: { managementPolicy: "Observe" } },
      observed: true,
    },
    {
      why: "the connection overrules the operator",
      given: { connection: { managementPolicy: "Manage" }, operator: { managementPolicy: "Observe" } },
      observed: false,
    },
  ])("only observes: $observed, when $why", ({ given, observed }) => {
    expect(onlyObserved({ ...nobody, ...given })).toBe(observed);
  });
});
