import { SECRETS_PER_CALL } from "../../api/contract/secrets.ts";
import { calling } from "../shared/failures.ts";
import type { SecretContext, SecretRun } from "./context.ts";
import { changingEnvironment } from "./environment.ts";
import type { WantedSecret } from "./names.ts";
import { writingUntold } from "../shared/shared-write.ts";
import type { SecretChange } from "./plan.ts";

function* chunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

interface Due {
  readonly due: readonly SecretChange[];
  readonly wanted: readonly WantedSecret[];
  /** whether the values are others than those that were set last */
  readonly edited: boolean;
}

/** What gives the names, and takes them away. */
const FIELDS = ["spec.from"] as const;

/**
 * Makes the requests of a plan: everything that is set before anything that is deleted (K-34), 100 names a request (facts.md §2). What functions are
 * deployed again for is recorded before the first.
 */
export async function applySecrets(
  run: SecretRun,
  context: SecretContext,
  { due, wanted, edited }: Due,
): Promise<void> {
  const puts = due.filter(({ kind }) => kind === "put");
  const removes = due.filter(({ kind }) => kind === "remove");
  const requests = [
    ...[...chunks(puts, SECRETS_PER_CALL)].map((changes) => () => put(run, context, { changes, wanted })),
    ...[...chunks(removes, SECRETS_PER_CALL)].map((changes) => () => remove(run, context, changes)),
  ];
  await changingEnvironment(run, context.object, { requests, edited });
}

interface Put {
  readonly changes: readonly SecretChange[];
  readonly wanted: readonly WantedSecret[];
}

async function put(run: SecretRun, { object, place, list }: SecretContext, { changes, wanted }: Put): Promise<void> {
  const names = changes.map(({ field }) => field);
  const chosen = new Set(names);
  const body = wanted.filter(({ name }) => chosen.has(name)).map(({ name, value }) => ({ name, value }));
  const { secrets } = place.session.client;
  const set = (): Promise<unknown> => secrets.create({ ref: place.ref, body }, run.call);
  await calling("set the secrets", () => writingUntold(list, set), FIELDS);
  for (const change of changes) run.environment.convergence.wrote(object, change);
  run.wrote("Updated", "set secrets", names);
}

async function remove(
  run: SecretRun,
  { object, place, list }: SecretContext,
  changes: readonly SecretChange[],
): Promise<void> {
  const names = changes.map(({ field }) => field);
  const { secrets } = place.session.client;
  const input = { ref: place.ref, body: names };
  const unset = (): Promise<void> => writingUntold(list, () => secrets.delete(input, run.call));
  await calling("delete secrets", unset, FIELDS);
  for (const change of changes) run.environment.convergence.wrote(object, change);
  run.wrote("Updated", "deleted secrets", names);
}
