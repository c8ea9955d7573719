import { expect, it } from "vitest";
import { unreadAfterDeploy } from "../../../test/support/controllers/deploys-read.ts";
import { openTheatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, putShop, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";

/** K-30 on driven time: many functions of one project under the platform's real limits, which nobody else spends. */

const FUNCTIONS = 150;
const WINDOW_MS = 60_000;
/** A deployment each and few lists are one window of 120, less what is kept for others, and the beginning of the next one. */
const MOST_WINDOWS = 1.5;
/** Between two looks at what says Ready, milliseconds. */
const LOOK_MS = 250;

it(`[K-30] ${FUNCTIONS} functions are Ready within ${MOST_WINDOWS} windows: no answer of 429, each deployed once and read between that and its first Ready`, async () => {
  await using theatre = await openTheatre(AT_ONCE);
  const { emulator, clock, kubernetes } = theatre;
  const { control } = emulator;
  await control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: FUNCTIONS } });
  await using operator = await WholeOperator.start(theatre);
  putShop(theatre, { branches: 0, functions: 0, secrets: 0 });
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  await operator.advance(2 * WINDOW_MS); // a window of its own for what is measured
  const { last: after } = await control.log.read({});
  const beganMs = clock.monotonic();
  putShop(theatre, { branches: 0, functions: FUNCTIONS, secrets: 0 });
  operator.look();
  const ready = new Set<string>();
  while (ready.size < FUNCTIONS) {
    await operator.advance(LOOK_MS);
    const unsaid = new Set(unready(theatre).map(({ metadata }) => metadata.name));
    const names = kubernetes.list("edgefunctions").map(({ metadata }) => metadata.name);
    const fresh = names.filter((name) => !unsaid.has(name) && !ready.has(name));
    for (const name of fresh) ready.add(name);
    const { entries } = await control.log.read({ after });
    expect(unreadAfterDeploy(entries, fresh)).toEqual([]);
    expect((clock.monotonic() - beganMs) / WINDOW_MS).toBeLessThan(MOST_WINDOWS);
  }
  const { entries } = await control.log.read({ after });
  expect(entries.filter(({ status }) => status === 429)).toEqual([]);
  expect(entries.filter(({ operation }) => operation === "functions.deploy")).toHaveLength(FUNCTIONS);
});
