import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { type Logger, silentLogger } from "../base/log.ts";
import { type Random, systemRandom } from "../base/random.ts";
import { unsayable } from "../base/json-value.ts";
import { issueWords } from "../base/schema-words.ts";
import { LOG_DATABASE } from "./analytics/log-query.ts";
import { checkOptions, NoTokenError, optionShape } from "./check-options.ts";
import { type Control, controlBy } from "./control/calls.ts";
import { dispatchTo } from "./control/dispatch.ts";
import { controlHandlers } from "./control/handlers.ts";
import { controlRoutes } from "./control/routes.ts";
import type { Databases } from "./postgres/database.ts";
import { DatabasePool } from "./postgres/pool.ts";
import { DrivenClock } from "./driven-clock.ts";
import { listenError } from "./listen-error.ts";
import { createHandlers } from "./handlers/handlers.ts";
import { recoveryWindow } from "./infrastructure/recovery-window.ts";
import { consentRoutes } from "./oauth/oauth-consent-routes.ts";
import { createFaults } from "./http/faults.ts";
import { createLimiter } from "./http/limits.ts";
import { openApiRoute } from "./http/openapi-route.ts";
import { createRequestLog, type KeptRequests } from "./http/request-log.ts";
import { createServer } from "./http/server.ts";
import { sqlRefusal } from "./sql/sql.ts";
import type { SavedStateOptions } from "./persistence/saved-state.ts";
import { applySeed } from "./state/apply-seed.ts";
import { changeSettings } from "./state/change-settings.ts";
import { definedOnly } from "./state/defined-only.ts";
import { addOrganization, addToken } from "./state/seed-people.ts";
import { projectByRef, stayingProject } from "./state/presence.ts";
import { type Seed, type SeedInput, seedSchema } from "./state/seed.ts";
import { SeedError } from "./state/seed-error.ts";
import { DEFAULT_SETTINGS, type RetryAfter, type SettingsChange, type Timings } from "./state/settings.ts";
import { sha256 } from "./state/ids.ts";
import { clearWorld, createWorld, type World } from "./state/world.ts";

/**
 * src/emulator: the Management API, server side, for tests, demos and development. Routes follow from src/api/contract. What the operations
 * of an area do and remember is in that area's folder (projects/, branches/, functions/, …), and handlers/ puts them together; what all
 * areas stand on is in state/, how a request is treated in http/, who may make it in access/, how tests steer it in control/.
 * Never here: a route that the contract does not declare (but the control calls, the consent page and the contract itself), a Kubernetes
 * object, a client of the API.
 */
export interface EmulatorOptions {
  /** default 127.0.0.1 */
  readonly host?: string;
  /** default 0: any free port */
  readonly port?: number;
  /**
   * Personal tokens; the first one's user is `owner` and owns the organization, the n-th one's is `user-n`, a member of nothing. Left out:
   * there may be none until a control call adds one.
   */
  readonly tokens?: readonly string[];
  /**
   * Slug of the organization that is there from the start, default `acme`: owned by the first token's user, also where the seed describes
   * it and names no Owner. On the plan pro unless the seed says otherwise.
   */
  readonly org?: string;
  /** default: the machine's; control calls push it ahead */
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Divides the durations of lives; default: what is saved or seeded, else 1. Of this start alone, as `timings` and `limits` are: seed and data
   * folder keep what they say.
   */
  readonly speed?: number;
  readonly timings?: Partial<Timings>;
  /** state to start with, as in a seed file */
  readonly seed?: SeedInput;
  readonly log?: Logger;
  /** Folder in which the state is kept; what is in it already goes before `seed` and `org`. Default: memory alone. */
  readonly dataDir?: string;
  readonly limits?: {
    /** default: what is saved or seeded, else 120; 0: nothing is refused */
    readonly requestsPerMinute?: number;
    /** whether a 429 says Retry-After; default: what is saved or seeded, else alternately */
    readonly retryAfter?: RetryAfter;
  };
}

export interface Emulator {
  /** base URL of the Management API, without a slash at the end */
  readonly url: string;
  readonly control: Control;
  /**
   * Resolves when every request that has arrived was worked off, but for those that a delay holds up. Whoever drives the clock waits for it
   * between two steps: work takes the machine's time, whatever the clock says.
   */
  idle(): Promise<void>;
  /** Ends every connection, also those that a fault left open. */
  stop(): Promise<void>;
}

/**
 * Starts an emulator and resolves when it listens; a start that fails leaves nothing open, and a data folder as it was.
 * @throws TypeError for an option that is unknown or of the wrong type; SeedError for a seed that its schema refuses or that contradicts
 * itself; NoTokenError for `tokens` that are empty where nothing else has one; StateError for a data folder that cannot be used; ListenError
 * with the system's `code` when the port is taken, or the host is none of this machine
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  return (await startWithWorld(options)).emulator;
}

/** How state is saved, where a test has it otherwise than everybody. */
type Saving = Omit<SavedStateOptions, "log">;

/** The same for those who look into its state, every row of it: tests of the emulator. */
export async function startWithWorld(
  options: EmulatorOptions,
  saving: Saving = {},
): Promise<{ readonly emulator: Emulator; readonly world: World }> {
  checkOptions(options, optionShape satisfies Readonly<Record<keyof EmulatorOptions, unknown>>);
  const { host = "127.0.0.1", port = 0, log = silentLogger } = options;
  const seed = parseSeed(options.seed ?? {});
  const clock = new DrivenClock(options.clock ?? systemClock);
  const world = createWorld(clock, options.random ?? systemRandom, DEFAULT_SETTINGS);
  await using opened = new AsyncDisposableStack();
  const { save, keep } = await openState(world, { options, saving, seed, opened });
  const databases = await openDatabases(world, options, save);
  opened.defer(() => databases.stop());
  const requests = createRequestLog(await openRequests(options, opened));
  const parts = { world, limiter: createLimiter(), faults: createFaults(), requests, save };
  const resetWorld = (): void => {
    const refs = [...world.projects.keys()];
    clearWorld(world, DEFAULT_SETTINGS);
    fillWorld(world, options, seed);
    // Last: a seed that is refused takes nothing away.
    for (const ref of refs) world.onProjectRemoved(ref);
  };
  const dispatch = dispatchTo(controlHandlers({ ...parts, resetWorld }), world.changes, async () => {
    await save();
    await databases.gaveWay(); // no operation gives a ref twice, but control calls do
  });
  const server = await createServer({ ...parts, log }, createHandlers(world, databases, parts.requests));
  opened.defer(() => server.close());
  controlRoutes(server, dispatch, log);
  consentRoutes(server, world, save);
  openApiRoute(server);
  await server.listen({ host, port }).catch((error: unknown) => {
    throw listenError(error, { host, port });
  });
  await keep();
  const url = urlOf(host, server.server.address());
  log.info({ url }, "emulator listens");
  const open = opened.move(); // ends in the opposite order: no connection, then no database, then the folder is given back
  const control = controlBy(dispatch);
  return { emulator: { url, control, idle: () => world.atWork.none(), stop: () => open.disposeAsync() }, world };
}

interface EmulatorOpening {
  readonly options: EmulatorOptions;
  readonly saving: Saving;
  readonly seed: Seed;
  readonly opened: AsyncDisposableStack;
}

interface OpenState {
  /** Saves everything that changed so far. */
  readonly save: () => Promise<void>;
  /** Saves what the start made, and whatever changes until the end: before it, the end leaves the folder with the state that it had. */
  readonly keep: () => Promise<void>;
}

/** Fills the world, from the data folder or as a first start does. */
async function openState(world: World, { options, saving, seed, opened }: EmulatorOpening): Promise<OpenState> {
  const { dataDir, log = silentLogger } = options;
  if (dataDir === undefined) {
    fillWorld(world, options, seed);
    refuseNobody(world, options);
    return { save: () => Promise.resolve(), keep: () => Promise.resolve() };
  }
  // What keeps a state is not loaded by those who keep none: they wait for the start.
  const { openSavedState } = await import("./persistence/saved-state.ts");
  const state = await openSavedState(dataDir, world, { ...saving, log });
  try {
    if (state.found) refreshWorld(world, options);
    else fillWorld(world, options, seed);
    refuseNobody(world, options);
    if (state.found && options.seed !== undefined) {
      log.warn({ dataDir }, "the folder holds a state already: the seed was not used");
    }
  } catch (error) {
    await state.abandon();
    throw error;
  }
  let isKept = false;
  opened.defer(() => (isKept ? state.close() : state.abandon()));
  const keep = async (): Promise<void> => {
    await state.flush();
    isKept = true;
  };
  return { save: () => state.flush(), keep };
}

/** The requests that earlier starts on the folder saw, and those to come. */
async function openRequests(
  { dataDir, log = silentLogger }: EmulatorOptions,
  opened: AsyncDisposableStack,
): Promise<KeptRequests | undefined> {
  if (dataDir === undefined) return undefined;
  const { openKeptRequests } = await import("./persistence/kept-requests.ts");
  return opened.use(openKeptRequests(join(dataDir, "requests"), log));
}

/** The databases of the projects that are there; none is started. They go with their projects. */
async function openDatabases(
  world: World,
  { dataDir, log = silentLogger }: EmulatorOptions,
  save: () => Promise<void>,
): Promise<Databases> {
  const databases = new DatabasePool({
    limits: () => ({ open: world.settings.openDatabases, timeoutMs: world.settings.sqlTimeoutMs }),
    clock: systemClock, // SQL takes the time that it takes, whatever clock the emulator was given
    log,
    isWanted: (ref) => ref === LOG_DATABASE || stayingProject(world, ref) !== undefined,
    refusal: (ref) => {
      const project = ref === LOG_DATABASE ? undefined : projectByRef(world, ref);
      return project === undefined ? undefined : sqlRefusal(world, project);
    },
    recoverable: (ref) => recoveryWindow(world, ref),
    saved: save,
    ...(dataDir === undefined ? {} : { folder: join(dataDir, "databases") }),
  });
  world.onProjectRemoved = (ref) => databases.drop(ref);
  await databases.retain(new Set(world.projects.keys()));
  return databases;
}

/** A state that was saved, as this start's options have it. */
function refreshWorld(world: World, options: EmulatorOptions): void {
  const { tokens = [] } = options;
  world.toldSettings = toldBy(options);
  for (const [index, token] of tokens.entries()) {
    if (!world.tokens.has(sha256(token))) addToken(world, token, { user: usernameOf(index) });
  }
}

function fillWorld(world: World, options: EmulatorOptions, seed: Seed): void {
  const { tokens = [], org = "acme" } = options;
  const { settings: seeded = {}, ...described } = seed;
  changeSettings(world, seeded);
  world.toldSettings = toldBy(options);
  for (const [index, token] of tokens.entries()) addToken(world, token, { user: usernameOf(index) });
  if (!seed.organizations.some(({ slug }) => slug === org)) {
    addOrganization(world, { slug: org, members: { [OWNER]: "Owner" } });
  }
  applySeed(world, {
    ...described,
    organizations: seed.organizations.map((one) => (one.slug === org ? owned(one) : one)),
  });
}

/** What the options say of the settings: for this start alone, so that the next one finds what was seeded or patched. */
function toldBy({ limits = {}, speed, timings = {} }: EmulatorOptions): SettingsChange {
  return { ...definedOnly({ ...limits, speed }), timings: definedOnly(timings) };
}

/** The organization of the start as a seed describes it: its first token could see nothing if nobody owned it. */
function owned(described: Seed["organizations"][number]): Seed["organizations"][number] {
  const { members = {} } = described;
  if (OWNER in members || Object.values(members).includes("Owner")) return described;
  return { ...described, members: { ...members, [OWNER]: "Owner" } };
}

/** @throws NoTokenError when tokens were asked for, even none, and nobody has one */
function refuseNobody(world: World, { tokens }: EmulatorOptions): void {
  if (tokens !== undefined && world.tokens.size === 0) throw new NoTokenError();
}

const OWNER = "owner";

function usernameOf(index: number): string {
  return index === 0 ? OWNER : `user-${index + 1}`;
}

function parseSeed(input: unknown): Seed {
  const parsed = seedSchema.safeParse(input, { error: issueWords });
  if (!parsed.success) throw new SeedError(parsed.error.issues);
  const found = unsayable(parsed.data, input);
  if (found !== undefined) throw new SeedError([found]);
  return structuredClone(parsed.data); // what a schema takes as it comes is in it, and stays the caller's to change
}

function urlOf(host: string, address: AddressInfo | string | null): string {
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
