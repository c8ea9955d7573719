import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { requestAnnotation } from "../../../src/resources/requests.ts";
import type { EndingCredential } from "./ending-credentials.ts";
import { NAMESPACE, openTheatre, type Theatre } from "./life.ts";
import { AT_ONCE, unready } from "./shop.ts";
import { WholeOperator } from "./whole-operator.ts";

/** An operator through whose Connection an operation is carried out while its token ends before a request of it, and how that went. */

const API = "baas.dev/v1alpha1";
const LOOK_MS = 5000;
/** In which a Connection tells of a token that was refused: none that waits for its next look by itself does. */
const SOON_MS = 4 * LOOK_MS;
const MOST_MS = 2 * 3_600_000;

const options: Parameters<typeof openTheatre>[0] = {
  ...AT_ONCE,
  limits: { requestsPerMinute: 0 },
  seed: { organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }] },
};

const projectRef = { name: "shop" };
const specs = {
  projects: { kind: "Project", name: "shop", spec: { organization: "acme", deletionPolicy: "Delete" } },
  edgefunctions: {
    kind: "EdgeFunction",
    name: "hello",
    spec: { projectRef, source: { inline: { files: { "index.ts": "// hello" } } } },
  },
  branches: { kind: "Branch", name: "preview", spec: { projectRef, deletionPolicy: "Delete" } },
  secrets: { kind: "Secret", name: "env", spec: { projectRef, from: [{ secretRef: { name: "values" } }] } },
} as const;
type Plural = keyof typeof specs;
const PLURALS = ["connections", "projects", "edgefunctions", "branches", "secrets"] as const;

/** The operator with a Connection of its own, and what its requests meet. */
class EndingTokenStage implements AsyncDisposable {
  readonly theatre: Theatre;
  readonly operator: WholeOperator;
  /** what the Connection's Ready and the objects have said, each once */
  readonly said = new Set<string>();
  readonly #before: { onRequest: () => void };
  readonly #folder: string;

  private constructor(
    theatre: Theatre,
    operator: WholeOperator,
    { before, folder }: { readonly before: { onRequest: () => void }; readonly folder: string },
  ) {
    this.theatre = theatre;
    this.operator = operator;
    this.#before = before;
    this.#folder = folder;
  }

  static async open(credential: EndingCredential): Promise<EndingTokenStage> {
    const before = { onRequest: (): void => undefined };
    const onRequest = (): void => before.onRequest();
    const folder = await mkdtemp(join(tmpdir(), "ending-token-"));
    const workloadIdentityTokenFile = join(folder, "token");
    const theatre = await openTheatre(options, { ownConnections: true, onRequest, workloadIdentityTokenFile });
    const metadata = { name: "default", namespace: NAMESPACE };
    theatre.kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
    const values = { name: "values", namespace: NAMESPACE };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: values, stringData: { A: "1" } });
    const given = await credential.give(theatre, workloadIdentityTokenFile);
    const spec = { baseUrl: theatre.emulator.url, ...given };
    theatre.kubernetes.put("connections", { apiVersion: API, kind: "Connection", metadata, spec });
    return new EndingTokenStage(theatre, await WholeOperator.start(theatre), { before, folder });
  }

  /** @param more of the spec, beside what is always declared */
  put(plural: Plural, more: object = {}): void {
    const { kind, name, spec } = specs[plural];
    const metadata = { name, namespace: NAMESPACE };
    this.theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata, spec: { ...spec, ...more } });
  }

  /** As kubectl delete. */
  delete(plural: Plural): void {
    const { kubernetes, clock } = this.theatre;
    kubernetes.delete(plural, NAMESPACE, specs[plural].name, clock.now());
  }

  isThere(plural: Plural): boolean {
    return this.theatre.kubernetes.get(plural, NAMESPACE, specs[plural].name) !== undefined;
  }

  /** As kubectl annotate, for the first request of a verb. */
  ask(plural: "projects" | "branches", verb: string): void {
    const object = this.theatre.kubernetes.get(plural, NAMESPACE, specs[plural].name);
    if (object === undefined) throw new Error(`there is none of ${plural}`);
    const annotations = { ...object.metadata.annotations, [requestAnnotation(verb)]: "1" };
    this.theatre.kubernetes.put(plural, { ...object, metadata: { ...object.metadata, annotations } });
  }

  /** Whether everything is Ready, and nothing that was asked for is under way. */
  isAtRest(): boolean {
    const { kubernetes } = this.theatre;
    const requests = [...kubernetes.list("projects"), ...kubernetes.list("branches")].flatMap(
      ({ status }) => statusSchema.parse(status ?? {}).requests,
    );
    return unready(this.theatre).length === 0 && requests.every(({ state }) => state === "Succeeded");
  }

  /** How many requests of one operation were accepted since the log was cleared. */
  async accepted(operation: string): Promise<number> {
    const { entries } = await this.theatre.emulator.control.log.read({ operation });
    return entries.filter(({ status }) => status !== null && status < 300).length;
  }

  /** What there is on the platform. */
  async remote(): Promise<readonly string[]> {
    const { projects, branches } = await this.theatre.emulator.control.state.read({});
    const isBranch = (ref: string): boolean => branches.some((one) => one.projectRef === ref && !one.isDefault);
    return [
      ...projects.filter(({ ref }) => !isBranch(ref)).map(({ name }) => `project ${name}`),
      ...branches.filter(({ isDefault }) => !isDefault).map(({ name }) => `branch ${name}`),
      ...projects.flatMap(({ functions }) => functions.map(({ slug }) => `function ${slug}`)),
      ...projects.flatMap(({ secrets }) => secrets.filter((one) => !one.platform).map(({ name }) => `secret ${name}`)),
    ];
  }

  /** @param act is done before the request of this number, from 0. @returns tells how many there were until it is called */
  before(number: number, act: () => void): () => number {
    let begun = 0;
    this.#before.onRequest = () => {
      this.#hear(); // what the last write said may be over when time has passed
      if (begun === number) act();
      begun += 1;
    };
    return () => begun;
  }

  async pass(ms: number): Promise<void> {
    this.operator.look();
    await this.operator.advance(ms);
    this.#hear();
  }

  /** What the Connection's Ready says now. */
  connection(): string {
    return readyOf(this.theatre.kubernetes.get("connections", NAMESPACE, "default")?.["status"]);
  }

  #hear(): void {
    for (const { apiVersion, kind, ...object } of PLURALS.flatMap((plural) => this.theatre.kubernetes.list(plural))) {
      if (apiVersion === API) this.said.add(`${kind} ${readyOf(object["status"])}`);
    }
  }

  /** @throws Error where it does not come to be so */
  async until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let passedMs = 0; passedMs < MOST_MS; passedMs += LOOK_MS) {
      if (await done()) return;
      await this.pass(LOOK_MS);
    }
    throw new Error(`not so: ${what}; said: ${[...this.said].join(", ")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]();
    await this.theatre[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }
}

const statusSchema = z.looseObject({
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string(), reason: z.string() })).default([]),
  requests: z.array(z.looseObject({ state: z.string() })).default([]),
});

function readyOf(status: unknown): string {
  const { conditions } = statusSchema.parse(status ?? {});
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready === undefined ? "silent" : `${ready.status} ${ready.reason}`;
}

export interface EndingOperation {
  readonly what: string;
  readonly needs: readonly Plural[];
  begin(stage: EndingTokenStage): Promise<void> | void;
  /** object that goes by it; absent: it ends when all is Ready and the changes were accepted */
  readonly goes?: Plural;
  /** accepted requests that make, change or delete the one thing */
  readonly changes: { readonly operation: string; readonly times: number };
  /** what is there in the end */
  readonly remote: readonly string[];
}

async function isEnded(
  stage: EndingTokenStage,
  { goes, changes: { operation, times } }: EndingOperation,
): Promise<boolean> {
  if (goes !== undefined) return !stage.isThere(goes);
  return stage.isAtRest() && (await stage.accepted(operation)) >= times;
}

/** How an operation went whose token ended before a request. */
interface PlayedEnd {
  readonly number: number;
  /** how many requests there were */
  readonly begun: number;
  /** whether the platform refused any for its token */
  readonly refused: boolean;
  /** whether the Connection told of it soon, as it should where somebody must act */
  readonly told: boolean;
  /** reasons that were told beside that, though they are no news of this token */
  readonly mistaken: readonly string[];
  /** accepted requests of the operation's one kind */
  readonly changes: number;
  readonly remote: readonly string[];
  readonly open: boolean;
}

/** What a token that is not accepted must not be taken for. */
const OTHER_REASONS = /Rejected|Forbidden|Revoked|Lost|Missing|Unavailable|Unexpected/;
const OF_TOKENS = /NotReady|Credential/;

async function playEnd(operation: EndingOperation, credential: EndingCredential, number: number): Promise<PlayedEnd> {
  const why = `${credential.what} ended before request ${number} of ${operation.what}`;
  await using stage = await EndingTokenStage.open(credential);
  const { theatre, said } = stage;
  const { log } = theatre.emulator.control;
  await stage.until(() => said.has("Connection True Available"), "the connection is open");
  for (const plural of operation.needs) {
    stage.put(plural);
    await stage.until(() => stage.isAtRest(), `${plural} are ready`);
  }
  await operation.begin(stage);
  await log.clear();
  said.clear();
  const begun = stage.before(number, () => credential.end(theatre));
  const isTold = (): boolean => said.has(`Connection ${credential.reason}`);
  await stage.until(() => isTold() || isEnded(stage, operation), why);
  const [refusal] = (await log.read({ status: 401 })).entries;
  const refused = refusal !== undefined;
  const told = isTold() && theatre.clock.now() - Date.parse(refusal?.at ?? "") <= SOON_MS;
  const mistaken = [...said].filter((text) => OTHER_REASONS.test(text) || (!told && OF_TOKENS.test(text)));
  if (begun() > number) await credential.mend(theatre);
  await stage.until(() => isEnded(stage, operation), `${why}, and it goes on`);
  await stage.pass(60_000);
  const changes = await stage.accepted(operation.changes.operation);
  const remote = await stage.remote();
  return {
    number,
    begun: begun(),
    refused,
    told,
    mistaken,
    changes,
    remote,
    open: stage.connection().startsWith("True "),
  };
}

/** Plays an operation with the token ending before each of its requests. @returns as it went each time, and as it should have gone */
export async function playEnds(
  operation: EndingOperation,
  credential: EndingCredential,
): Promise<readonly { readonly played: PlayedEnd; readonly wanted: Partial<PlayedEnd> }[]> {
  const undisturbed = await playEnd(operation, credential, Infinity);
  const { remote, changes } = operation;
  const all: { readonly played: PlayedEnd; readonly wanted: Partial<PlayedEnd> }[] = [];
  for (let number = 0; number < undisturbed.begun; number += 1) {
    const played = await playEnd(operation, credential, number);
    // A first dependent waits until its Connection is marked as in use, whatever its token.
    const mistaken = played.mistaken.filter((text) => !undisturbed.mistaken.includes(text));
    const told = played.refused && credential.reason !== undefined;
    const wanted = { number, told, mistaken: [], changes: changes.times, remote, open: true };
    all.push({ played: { ...played, mistaken }, wanted });
  }
  return all;
}
