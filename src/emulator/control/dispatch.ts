import { unsayable } from "../../base/json-value.ts";
import { nearInWords } from "../../base/near.ts";
import { issueLines, issueWords } from "../../base/schema-words.ts";
import { ApiFailure } from "../failure.ts";
import { SeedError } from "../state/seed-error.ts";
import type { ChangeLog } from "../state/table.ts";
import { done } from "./call.ts";
import { CONTROL_PATH, callsByName, type ControlHandlers } from "./calls.ts";

/** Runs a control call by its name. Rejects with ApiFailure 404 for an unknown call, 400 for an input that its schema refuses. */
export type Dispatch = (name: string, input: unknown) => Promise<unknown>;

type RunCall = (input: unknown) => unknown;

/**
 * Each call happens as a whole or, where it is refused, not at all.
 *
 * @param save resolves when what a call changed is saved
 */
export function dispatchTo(handlers: ControlHandlers, changes: ChangeLog, save: () => Promise<void>): Dispatch {
  const groups: Readonly<Record<string, Readonly<Record<string, unknown>>>> = handlers;
  const byName: ReadonlyMap<string, RunCall> = new Map(
    Object.entries(groups).flatMap(([group, verbs]) =>
      // the table's types were proved by ControlHandlers; the input that goes in was parsed by the same call's schema
      Object.entries(verbs).map(([verb, run]): [string, RunCall] => [`${group}.${verb}`, run as RunCall]),
    ),
  );
  return async (name, input) => {
    const declared = callsByName.get(name);
    const run = byName.get(name);
    if (declared === undefined || run === undefined) throw noCall(name);
    const parsed = declared.input.safeParse(input ?? {}, { error: issueWords });
    if (!parsed.success) throw new ApiFailure(400, issueLines(parsed.error.issues).join("\n"));
    const found = unsayable(parsed.data, input);
    if (found !== undefined) throw new ApiFailure(400, issueLines([found]).join("\n"));
    try {
      // A promise would settle after its changes could be taken back: no handler gives one.
      // A copy, since what a schema takes as it comes stays the caller's to change, and rows are never changed.
      const output = changes.allOrNothing(() => run(structuredClone(parsed.data)));
      return declared.output === done ? {} : output;
    } catch (error) {
      if (error instanceof SeedError) throw new ApiFailure(400, issueLines(error.issues).join("\n"));
      throw error;
    } finally {
      await save();
    }
  };
}

/** The refusal of a name that no call has. */
export function noCall(name: string): ApiFailure {
  const words = name === "" ? "is named" : name.slice(0, 80);
  const near = nearInWords(name.slice(0, 80), callsByName.keys());
  const instead = near === "" ? `; GET ${CONTROL_PATH} lists the control calls` : near;
  return new ApiFailure(404, `no control call ${words}${instead}`);
}
