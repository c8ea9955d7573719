import { deepStrictEqual } from "node:assert/strict";
import fc from "fast-check";
import type { SeedInput } from "../../../src/emulator/state/seed.ts";
import { type EmulatorUnderTest, emulatorUnderTest, type Received } from "./api.ts";
import { type Request, REF } from "./models/resource.ts";

/** One state machine of a project, in the words of the texts: what each act is answered, and what a reader sees at any time. */

/** `M`: what is known, `A`: what can be done. */
export interface Machine<M, A extends string> {
  readonly initial: M;
  readonly project?: Partial<NonNullable<SeedInput["projects"]>[number]>;
  readonly acts: readonly A[];
  /** how long may be waited, milliseconds: a moment before and at each end of a span of the texts */
  readonly waitsMs: readonly number[];
  /** what is asked; nothing where the act was done by a control call */
  readonly request: (act: A, model: M, under: EmulatorUnderTest) => Request | Promise<Request | undefined>;
  /** the status code, and what is known afterwards; a code of 0 says that nothing was asked */
  readonly answer: (act: A, model: M, nowMs: number) => { readonly code: number; readonly next: M };
  /** what only an accepted answer tells, such as an id */
  readonly learn?: (model: M, received: Received) => M;
  readonly shown: (model: M, nowMs: number) => string;
  readonly read: (under: EmulatorUnderTest) => Promise<string>;
  /** a way that shows everything that can be shown, whatever chance adds to it: acts, and waits */
  readonly way: readonly (A | number)[];
}

/**
 * Holds the emulator to the machine: on the way, then on any other one.
 * @returns everything that was shown on the way
 */
export async function keepsTo<M, A extends string>(machine: Machine<M, A>, numRuns = 25): Promise<ReadonlySet<string>> {
  const shown = new Set<string>();
  await play(machine, machine.way, shown);
  const step = fc.oneof(fc.constantFrom(...machine.acts), fc.constantFrom(...machine.waitsMs));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), (steps) => play(machine, steps, new Set())),
    { numRuns },
  );
  return shown;
}

async function play<M, A extends string>(
  machine: Machine<M, A>,
  steps: readonly (A | number)[],
  shown: Set<string>,
): Promise<void> {
  await using under = await emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: {
      organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }],
      projects: [{ name: "shop", ref: REF, ...machine.project }],
      dns: [{ name: "example.com", obeys: true }],
    },
  });
  let model = machine.initial;
  for (const one of steps) {
    if (typeof one === "number") under.clock.advance(one);
    else model = await act(machine, one, { model, under });
    const expected = machine.shown(model, under.clock.now());
    deepStrictEqual({ one, model, shown: await machine.read(under) }, { one, model, shown: expected });
    shown.add(expected);
  }
}

async function act<M, A extends string>(
  machine: Machine<M, A>,
  one: A,
  { model, under }: { readonly model: M; readonly under: EmulatorUnderTest },
): Promise<M> {
  const asked = await machine.request(one, model, under);
  const { code, next } = machine.answer(one, model, under.clock.now());
  if (asked === undefined) return next;
  const received = await under.call(asked.method, asked.path, { body: asked.body });
  const { status, text } = received;
  deepStrictEqual({ one, model, status, text }, { one, model, status: code, text });
  return code < 300 && machine.learn !== undefined ? machine.learn(next, received) : next;
}
