import { describe, expect, it } from "vitest";
import { PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { isFailedState, isUp, passingState } from "./project-states.ts";

describe("states of a project", () => {
  it.each([
    { state: "UNKNOWN", is: "Provisioning Creating", why: "what a new project is called first" },
    {
      state: "COMING_UP",
      is: "Provisioning Creating",
      why: "the same operation, so that its deadline counts from the beginning",
    },
    { state: "PAUSING", is: "Pausing Pausing", why: "" },
    { state: "RESTORING", is: "Resuming Resuming", why: "" },
    { state: "RESIZING", is: "Resizing Resizing", why: "" },
    { state: "GOING_DOWN", is: "Deleting Deleting", why: "" },
    { state: "ACTIVE_UNHEALTHY", is: "Unhealthy Recovering", why: "" },
    { state: "SOMETHING_NEW", is: "Provisioning SOMETHING_NEW", why: "enums are open" },
    { state: "constructor", is: "Provisioning constructor", why: "a word that every object inherits" },
  ])("$state passes as $is $why", ({ state, is }) => {
    const { reason, operation } = passingState(state);
    expect(`${reason} ${operation}`).toBe(is);
  });

  it("every known state is up, failed, off, or passes in a way that has a name", () => {
    const named = (state: string): boolean => passingState(state).operation !== state || state === "INACTIVE";
    const unnamed = PROJECT_STATUSES.filter(
      (state) => state !== "ACTIVE_HEALTHY" && !isFailedState(state) && !named(state),
    );
    // REMOVED is what a deletion ends in: nobody waits for it to become anything else.
    expect(unnamed).toEqual(["REMOVED"]);
  });

  it.each([
    { state: "ACTIVE_HEALTHY", up: true },
    { state: "ACTIVE_UNHEALTHY", up: true },
    { state: "COMING_UP", up: false },
    { state: "INACTIVE", up: false },
  ])("$state serves requests: $up", ({ state, up }) => {
    expect(isUp(state)).toBe(up);
  });
});
