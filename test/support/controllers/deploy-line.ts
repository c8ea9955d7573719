import { ManualClock } from "../../../src/base/manual-clock.ts";
import { DeployLine, type DeployTurn } from "../../../src/controllers/edge-function/deploy-line.ts";
import { baseLevel } from "../../../src/runtime/lane.ts";

export const EDIT = baseLevel("change", true);
export const SYNC = baseLevel("change", false);
export const POLL = baseLevel("progress", false);
export const DRIFT = baseLevel("drift", false);

/** A line, who was woken in it, and works that end when the test says so. */
export function lineUnderTest(): {
  readonly line: DeployLine;
  readonly clock: ManualClock;
  readonly woken: readonly (readonly [id: string, afterMs: number])[];
  /** whose work began, and which visit it is told to have come with: the first one of all is 1 */
  readonly came: readonly (readonly [id: string, visit: number])[];
  readonly enter: (
    id: string,
    place?: string,
    level?: number,
  ) => { readonly turn: Promise<DeployTurn<string>>; end(): void; fail(error: unknown): void };
} {
  const clock = new ManualClock();
  const line = new DeployLine(clock);
  const woken: [string, number][] = [];
  const came: [string, number][] = [];
  let marks = 0;
  return {
    line,
    clock,
    woken,
    came,
    enter(id, place = "project", level = SYNC) {
      const work = Promise.withResolvers<string>();
      const wake = (afterMs: number): void => void woken.push([id, afterMs]);
      const pauseMs = (error: unknown): number => (error === "no budget" ? 5000 : 0);
      marks += 1;
      const begin = (cameAt: number): Promise<string> => {
        came.push([id, cameAt]);
        return work.promise;
      };
      const turn = line.enter({ id, place, level, wake, mark: marks }, begin, pauseMs);
      return { turn, end: () => work.resolve(id), fail: (error) => work.reject(error) };
    },
  };
}
