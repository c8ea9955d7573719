import type fc from "fast-check";
import { expect } from "vitest";
import { operations } from "../../../../src/api/contract/contract.ts";
import type { EmulatorUnderTest, Received } from "../api.ts";

/**
 * test/support/emulator/models: what a reader expects of a resource after any sequence of writes, each of which was accepted or refused.
 */

export const REF = "abcdefghijklmnopqrst";
export const PROJECT = `/v1/projects/${REF}`;

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** One kind of thing that can be written and read. `S` is what is expected of it, `C` what can be done to it. */
export interface Resource<S, C> {
  readonly name: string;
  readonly command: fc.Arbitrary<C>;
  /** the kinds of commands, each by the key that tells it from the others; none where there is one kind alone */
  readonly forms?: readonly string[];
  /** as a fresh project has it */
  readonly initial: (under: EmulatorUnderTest) => Promise<S>;
  readonly request: (command: C, state: S) => Request;
  /** which commands no state refuses; by default none is known */
  readonly mustAccept?: (command: C, state: S) => boolean;
  /** what is expected after the command was accepted; what no answer tells, such as an id, is looked up */
  readonly after: (command: C, state: S, received: Received, under: EmulatorUnderTest) => S | Promise<S>;
  /** what a reader sees */
  readonly read: (under: EmulatorUnderTest) => Promise<unknown>;
  /** what a reader shall see at a time, milliseconds since the epoch */
  readonly shown: (state: S, nowMs: number) => unknown;
  /** how long nothing is asked after a write, milliseconds; by default until everything that it began has ended */
  readonly restMs?: number;
}

/** What is expected of every resource in one run; and of which of them writes were accepted, and refused. */
export class Session {
  /** names of resources, and of their forms */
  readonly accepted = new Set<string>();
  readonly refused = new Set<string>();
  /** ids of operations by which something was written */
  readonly written = new Set<string>();
  readonly #states = new Map<unknown, unknown>();

  async stateOf<S, C>(resource: Resource<S, C>, under: EmulatorUnderTest): Promise<S> {
    if (!this.#states.has(resource)) this.#states.set(resource, await resource.initial(under));
    return this.#states.get(resource) as S; // set by the same resource alone
  }

  set<S, C>(resource: Resource<S, C>, state: S): void {
    this.#states.set(resource, state);
  }
}

/** Longer than anything that a write begins. */
const SETTLED_MS = 120_000;

/** Does something to a resource, and reads it back: what was accepted is there, what was refused changed nothing. */
class Write<S, C> implements fc.AsyncCommand<Session, EmulatorUnderTest> {
  readonly #resource: Resource<S, C>;
  readonly #command: C;

  constructor(resource: Resource<S, C>, command: C) {
    this.#resource = resource;
    this.#command = command;
  }

  check(): boolean {
    return true;
  }

  async run(session: Session, under: EmulatorUnderTest): Promise<void> {
    const resource = this.#resource;
    const state = await session.stateOf(resource, under);
    const { method, path, body } = resource.request(this.#command, state);
    const received = await under.call(method, path, { body });
    // 544 is a refusal: "delete the existing hostname first" (facts.md §5)
    if (received.status >= 500 && received.status !== 544) {
      throw new Error(`${this.toString()}: ${received.status} ${received.text}`);
    }
    const isAccepted = received.status < 300;
    if (!isAccepted && resource.mustAccept?.(this.#command, state) === true) {
      throw new Error(`${this.toString()}: refused with ${received.status} ${received.text}`);
    }
    if (isAccepted) for (const id of operationsAt(method, path)) session.written.add(id);
    if (isAccepted) session.set(resource, await resource.after(this.#command, state, received, under));
    const outcomes = isAccepted ? session.accepted : session.refused;
    for (const form of formsOf(resource, this.#command)) outcomes.add(form);
    await expectShown(resource, session, under);
    under.clock.advance(resource.restMs ?? SETTLED_MS);
  }

  toString(): string {
    return `${this.#resource.name} ${JSON.stringify(this.#command)}`;
  }
}

/** Which operation a request is; none: a control call. */
function operationsAt(method: string, path: string): readonly string[] {
  const asked = path.replace(/\?.*/u, "").split("/");
  const matching = operations.filter((one) => one.method === method && hasPath(one.path.split("/"), asked));
  // what a path names comes before what stands for anything
  const [first] = matching.toSorted((a, b) => a.path.split("{").length - b.path.split("{").length);
  return first === undefined ? [] : [first.id];
}

function hasPath(template: readonly string[], asked: readonly string[]): boolean {
  return (
    template.length === asked.length && template.every((part, index) => part.startsWith("{") || part === asked[index])
  );
}

/** What a command counts as. */
function formsOf<S, C>({ name, forms = [] }: Resource<S, C>, command: C): readonly string[] {
  const keys = typeof command === "object" && command !== null ? Object.keys(command) : [];
  return [name, ...forms.filter((form) => keys.includes(form))];
}

/** A resource among others, whatever is expected of it. */
export interface Modelled {
  readonly name: string;
  readonly forms: readonly string[];
  readonly commands: fc.Arbitrary<fc.AsyncCommand<Session, EmulatorUnderTest>>;
  readonly expectShown: (session: Session, under: EmulatorUnderTest) => Promise<void>;
}

export function modelled<S, C>(resource: Resource<S, C>): Modelled {
  return {
    name: resource.name,
    forms: resource.forms ?? [],
    commands: resource.command.map((command) => new Write(resource, command)),
    expectShown: (session, under) => expectShown(resource, session, under),
  };
}

/** Reads a resource and compares. */
async function expectShown<S, C>(resource: Resource<S, C>, session: Session, under: EmulatorUnderTest): Promise<void> {
  const state = await session.stateOf(resource, under);
  const seen = await resource.read(under);
  expect({ [resource.name]: seen }).toEqual({ [resource.name]: resource.shown(state, under.clock.now()) });
}
