import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { StateView } from "../../../src/emulator/control/views.ts";
import type { Emulator } from "../../../src/emulator/emulator.ts";
import { annotations } from "../../../src/resources/annotations.ts";
import { type Declared, expectedRemote, type Family, type Member, remoteOf } from "./family.ts";
import { isReady, type Seen } from "./seen.ts";
import { requests } from "./specs.ts";

/** What is wrong with a family, in words; nothing is wrong where there are none. */
export type Faults = readonly string[];

/** Both sides at one moment. */
export interface Picture {
  readonly objects: readonly Seen[];
  readonly state: StateView;
}

/** Every object is Ready, with no request in doubt; nothing else is in the namespace; the platform has what is declared, once. */
export function faultsOf(family: Family, declared: Declared, { objects, state }: Picture): Faults {
  const own = objects.filter(({ metadata }) => metadata.namespace === family.namespace);
  const wanted = family.members.filter(({ type }) => declared.editions.has(type.kind));
  const faults = wanted.flatMap(({ type: { kind }, name }) => {
    const found = own.find((object) => object.kind === kind && object.metadata.name === name);
    return found === undefined ? [`${kind} ${name} is not there`] : objectFaults(found);
  });
  const more = own.filter(
    ({ kind, metadata }) => !wanted.some(({ type, name }) => type.kind === kind && name === metadata.name),
  );
  faults.push(...more.map(({ kind, metadata }) => `${kind} ${metadata.name} is there`));
  return [...faults, ...environmentFaults(wanted, own), ...remoteFaults(family, declared, state)];
}

/** The function was deployed with the environment that the Secret object made last (K-36), and nothing of that is in doubt. */
function environmentFaults(wanted: readonly Member[], own: readonly Seen[]): Faults {
  const [secret, reader] = ["Secret", "EdgeFunction"].map((kind) =>
    wanted.some(({ type }) => type.kind === kind) ? own.find((object) => object.kind === kind) : undefined,
  );
  const made = environmentSchema.safeParse(secret?.status.environment).data;
  if (made?.pending !== undefined) return ["the Secret is in doubt about a change of the environment"];
  if (reader?.status.redeployment !== undefined) return ["the function is in doubt about a deployment"];
  if (made?.revision === undefined || reader === undefined) return [];
  const seen = seenSchema.safeParse(reader.status.environment).data ?? [];
  const has = seen.some(({ uid, revision }) => uid === secret?.metadata.uid && revision === made.revision);
  return has ? [] : [`the function was deployed with ${JSON.stringify(seen)}, and the environment is ${made.revision}`];
}

const environmentSchema = z.object({ revision: z.string().optional(), pending: z.string().optional() });
const seenSchema = z.array(z.object({ uid: z.string(), revision: z.string() }));

function objectFaults(object: Seen): Faults {
  const { kind, metadata, status } = object;
  const what = `${kind} ${metadata.name}`;
  if (metadata.deletionTimestamp !== undefined) return [`${what} is being deleted`];
  if (!isReady(object)) return [`${what} is not Ready: ${JSON.stringify(status.conditions)}`];
  const asked = metadata.annotations[annotations.reconcileAt];
  if (asked !== status.lastHandledReconcileAt) return [`${what} has not looked`];
  return status.intent === undefined ? [] : [`${what} is Ready and has an intent`];
}

/** What the platform has is what is declared, and what is somebody else's is as it was. */
export function remoteFaults(family: Family, declared: Declared, state: StateView): Faults {
  const expected = expectedRemote(declared);
  const remote = remoteOf(state, family);
  const faults: string[] = [];
  if (!isDeepStrictEqual(remote, expected)) {
    faults.push(`the platform has ${JSON.stringify(remote)} instead of ${JSON.stringify(expected)}`);
  }
  if (!isDeepStrictEqual(family.foreignIn(state), family.foreignBefore)) {
    faults.push(`somebody else's things became ${JSON.stringify(family.foreignIn(state))}`);
  }
  return faults;
}

type Entry = Awaited<ReturnType<Emulator["control"]["log"]["read"]>>["entries"][number];

/** What an account may have made at most, from first to last: its project, and of branches the default one and its own. */
const MOST: ReadonlyMap<string, number> = new Map([
  ["projects.create", 1],
  ["branches.create", 2],
]);

/** No more was ever made, or asked for once, than is declared, even where it is gone again, and nothing of somebody else's was written to. */
export function requestFaults({ account, foreign, asked }: Family, entries: readonly Entry[]): Faults {
  const writes = entries.filter(({ identity, method }) => identity === `user:${account}` && method !== "GET");
  const touched = writes.filter(({ path }) => foreign.some((ref) => path.includes(ref)));
  const askedFor = [
    [requests.Project.operation, asked.Project.length],
    [requests.Branch.operation, asked.Branch.length],
  ] as const;
  const made = [...MOST, ...askedFor].flatMap(([operation, most]) => {
    const count = writes.filter((entry) => entry.operation === operation && isDone(entry)).length;
    return count > most ? [`${count} times ${operation}`] : [];
  });
  return [...touched.map(({ method, path }) => `somebody else's: ${method} ${path}`), ...made];
}

function isDone({ status }: Entry): boolean {
  return status !== null && status >= 200 && status < 300;
}
