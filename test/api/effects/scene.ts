import type { ApiClient } from "../../../src/api/client.ts";
import type { Contract } from "../../../src/api/contract/contract.ts";
import { createControlClient } from "../../../src/emulator/control-client.ts";
import type { Emulator } from "../../../src/emulator/emulator.ts";
import type { SeedInput } from "../../../src/emulator/state/seed.ts";
import { emulatorUnderTest } from "../../support/emulator/api.ts";
import { A_WHILE } from "../../support/emulator/scenario.ts";
import { typedClient } from "../../support/emulator/typed-client.ts";

/**
 * test/api/effects: for each operation, how it is called through the typed client, and what is then read back and expected. One table for
 * each section of the contract, whose type says that no operation is missing; ../every-effect.test.ts runs them. Refusals are not here:
 * they stand beside the handlers (src/emulator).
 */

/** The project of every scene, in the organization `acme`, on PostgreSQL 17.4 and a small instance. */
export const SHOP = "abcdefghijklmnopqrst";
/** When a scene begins. */
export const START = "2026-01-01T00:00:00.000Z";

const seed: SeedInput = {
  organizations: ["acme", "beta"].map((slug) => ({ slug, plan: "enterprise", members: { owner: "Owner" } })),
  projects: [{ name: "shop", ref: SHOP, instanceSize: "small", postgresVersion: "17.4.1.048" }],
};

/** What a proof acts on; of its own, so that proofs know nothing of each other. */
export interface Scene {
  /** of the owner of everything in the scene */
  readonly client: ApiClient;
  /** a client with another token */
  readonly as: (token: string) => ApiClient;
  readonly control: Emulator["control"];
  /** names of the control calls that were made, in order */
  readonly steered: readonly string[];
  /** lets time pass, milliseconds; default: until whatever was begun is done */
  readonly pass: (ms?: number) => void;
}

type Proof = (scene: Scene) => Promise<void>;

/**
 * The proof of an operation. After what it changes the client reads; before it reads, the client has changed something by another operation.
 * Where no operation does that, `because` says why: control calls do, or nothing can.
 */
export type Effect = Proof | { readonly because: string; readonly proof: Proof };

export type EffectsOf<Section extends keyof Contract> = { readonly [Verb in keyof Contract[Section]]: Effect };

export async function openScene(): Promise<Scene & AsyncDisposable> {
  const under = await emulatorUnderTest({ seed });
  const opened = new AsyncDisposableStack();
  opened.use(under);
  const steered: string[] = [];
  const control = createControlClient({
    url: under.emulator.url,
    fetch: (input, init) => {
      steered.push(new Request(input).url.replace(/.*\//, ""));
      return fetch(input, init);
    },
  });
  const as = (token?: string): ApiClient => opened.use(typedClient(under, token));
  return {
    client: as(),
    as,
    control,
    steered,
    pass: (ms = A_WHILE) => under.clock.advance(ms),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
