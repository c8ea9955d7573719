import fc from "fast-check";
import type { EmulatorUnderTest, Received } from "../api.ts";
import type { Request, Resource } from "./resource.ts";

/** Things of which a list has several. */

type Named = readonly { readonly id: string; readonly [field: string]: unknown }[];
type Edit =
  | { readonly create: string }
  | { readonly nth: number; readonly rename: string }
  | { readonly nth: number; readonly remove: true };

export interface NamedThings {
  readonly name: string;
  readonly names: readonly string[];
  readonly list: string;
  readonly one: (id: string) => string;
  readonly creation: (name: string) => unknown;
  readonly renaming: { readonly method: string; readonly body: (name: string) => unknown };
  /** the rows of a list, and what is compared of each */
  readonly rows: (json: unknown) => Named;
  readonly created: (received: Received) => Named[number];
  readonly renamed: (thing: Named[number], name: string) => Named[number];
}

export const NONE = "00000000-0000-4000-8000-000000000000";

/** Things that have an id of the server's and a name of the caller's. Which one is meant is said by its place in the order of creation. */
export function namedThings(of: NamedThings): Resource<Named, Edit> {
  const idOf = (state: Named, nth: number): string => state[nth % (state.length + 1)]?.id ?? NONE;
  return {
    name: of.name,
    forms: ["create", "rename", "remove"],
    command: fc.oneof(
      fc.record({ create: fc.constantFrom(...of.names) }),
      fc.record({ nth: fc.nat(4), rename: fc.constantFrom(...of.names) }),
      fc.record({ nth: fc.nat(4), remove: fc.constant(true as const) }),
    ),
    initial: async (under) => of.rows((await under.call("GET", of.list)).json),
    request: (command, state): Request => {
      if ("create" in command) return { method: "POST", path: of.list, body: of.creation(command.create) };
      const path = of.one(idOf(state, command.nth));
      if ("remove" in command) return { method: "DELETE", path };
      return { method: of.renaming.method, path, body: of.renaming.body(command.rename) };
    },
    after: (command, state, received) => {
      if ("create" in command) return [...state, of.created(received)];
      const id = idOf(state, command.nth);
      if ("remove" in command) return state.filter((thing) => thing.id !== id);
      return state.map((thing) => (thing.id === id ? of.renamed(thing, command.rename) : thing));
    },
    read: async (under: EmulatorUnderTest) => byId(of.rows((await under.call("GET", of.list)).json)),
    shown: byId,
  };
}

/** No list promises an order of what is in it. */
const byId = (all: Named): Named => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
