import { expect } from "vitest";
import type { ApiClient } from "../../../src/api/client.ts";
import type { SectionEntry } from "../../../src/resources/settings/status.ts";
import type { SectionedStatus } from "../../../src/controllers/sections/turn.ts";
import { annotations } from "../../../src/resources/annotations.ts";
import { branchKind } from "../../../src/resources/branch/kind.ts";
import type { ResourceType } from "../../../src/resources/meta.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import type { Outcome } from "../../../src/runtime/outcome.ts";
import type { Lane } from "../../../src/runtime/lane.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../controllers/life.ts";
import { AT_ONCE } from "../controllers/shop.ts";

/** test/support/sections: one Project or Branch between the emulator and an apiserver, whose sections a test declares, drifts and looks at. */

/** An object that is up, and what a test does with its sections. */
export interface Stage<Status extends SectionedStatus> extends AsyncDisposable {
  readonly theatre: Theatre;
  readonly life: Life;
  readonly client: ApiClient;
  /** of the project or branch */
  readonly ref: string;
  /** Declares those sections, and nothing else, and runs the object until it rests. */
  apply(spec: object): Promise<Outcome>;
  /** As `apply`, and runs the object once. */
  start(spec: object): Promise<Outcome>;
  /** Runs the object once, as a drift check by default. */
  run(lane?: Lane): Promise<Outcome>;
  /** Runs the object until it rests. */
  settle(): Promise<Outcome>;
  /** Has the object say `said` in baas.dev/reconcile-at: somebody asks for a look. */
  ask(said: string): void;
  /** A Secret of the object's namespace. */
  putSecret(name: string, values: Readonly<Record<string, string>>): void;
  putConfigMap(name: string, data: Readonly<Record<string, string>>): void;
  /** The stored status. */
  stored(): Status;
  /** The entry of a section in it. */
  entry(name: string): SectionEntry | undefined;
  /** The stored condition. */
  condition(type: string): { readonly status: string; readonly reason: string; readonly message: string } | undefined;
  /** Operations that the platform was asked for since the last time, by id; `health` and the look at the project itself aside. */
  calls(): Promise<readonly string[]>;
}

/** Either kind. */
export type AnyStage = Stage<SectionedStatus>;
/** A Project that is up. */
export type SectionStage = Stage<ReturnType<typeof projectKind.parseStatus>>;
/** A Branch that is up, of such a Project. */
export type BranchStage = Stage<ReturnType<typeof branchKind.parseStatus>>;

const ASIDE: ReadonlySet<string> = new Set(["projects.get", "projects.health", "profile.get"]);

const PROJECT = { kind: projectKind, name: "shop", spec: { organization: "acme" } } as const;
const BRANCH = { kind: branchKind, name: "preview", spec: { projectRef: { name: "shop" } } } as const;

type Opening = Parameters<typeof openTheatre>;

/** A stage with a project that is up and has no section declared. @param made what of its spec is fixed once it is created */
export async function openSectionStage(
  options: Opening[0] = {},
  theatreOptions: Opening[1] = {},
  made: object = {},
): Promise<SectionStage> {
  const theatre = await openTheatre({ ...AT_ONCE, ...options }, theatreOptions);
  return stageOf(theatre, await theatre.life(), { ...PROJECT, spec: { ...PROJECT.spec, ...made } });
}

/** The same, with a branch of such a project. */
export async function openBranchStage(options: Opening[0] = {}, made: object = {}): Promise<BranchStage> {
  const { theatre, life } = await openSectionStage(options);
  return stageOf(theatre, life, { ...BRANCH, spec: { ...BRANCH.spec, ...made } });
}

interface Staged<Status> {
  readonly kind: { readonly type: ResourceType; readonly parseStatus: (object: unknown) => Status };
  readonly name: string;
  /** what is declared beside sections */
  readonly spec: object;
}

async function stageOf<Status extends SectionedStatus & { readonly ref?: string | undefined }>(
  theatre: Theatre,
  life: Life,
  { kind: { type, parseStatus }, name, spec: base }: Staged<Status>,
): Promise<Stage<Status>> {
  const { kind, plural } = type;
  const put = (spec: object): void => {
    theatre.kubernetes.put(plural, {
      apiVersion: "baas.dev/v1alpha1",
      kind,
      metadata: { name, namespace: NAMESPACE },
      spec: { ...base, ...spec },
    });
  };
  put({});
  expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
  const stored = (): Status => {
    const status = parseStatus(theatre.kubernetes.get(plural, NAMESPACE, name));
    // Whatever a section waits for, applies or failed at, its entry says of which fields that is.
    const open = (status.sections ?? []).filter(({ state }) => state !== "InSync" && state !== "Drifted");
    expect(open.filter(({ fields = [] }) => fields.length === 0)).toEqual([]);
    return status;
  };
  const { ref } = stored();
  if (ref === undefined) throw new Error(`the ${kind} did not come up`);
  let seen = 0;
  const calls = async (): Promise<readonly string[]> => {
    const { entries, last } = await theatre.emulator.control.log.read({ after: seen });
    seen = last;
    return entries.flatMap(({ operation }) => (operation === null || ASIDE.has(operation) ? [] : [operation]));
  };
  await calls();
  return {
    theatre,
    life,
    client: life.client,
    ref,
    apply: (spec) => {
      put(spec);
      return life.settle(kind, name);
    },
    start: (spec) => {
      put(spec);
      return life.run(kind, name);
    },
    run: (lane = "drift") => life.run(kind, name, lane),
    settle: () => life.settle(kind, name),
    ask: (said) => {
      const { metadata, ...object } = theatre.kubernetes.get(plural, NAMESPACE, name) ?? {};
      const noted = { ...metadata?.annotations, [annotations.reconcileAt]: said };
      theatre.kubernetes.put(plural, { ...object, metadata: { ...metadata, annotations: noted } });
    },
    putSecret: (secret, values) => {
      const data = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
      );
      theatre.kubernetes.put("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: secret, namespace: NAMESPACE },
        data,
      });
    },
    putConfigMap: (configMap, data) => {
      const metadata = { name: configMap, namespace: NAMESPACE };
      theatre.kubernetes.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
    },
    stored,
    entry: (section) => stored().sections?.find((one) => one.name === section),
    condition: (type) => stored().conditions.find((one) => one.type === type),
    calls,
    [Symbol.asyncDispose]: () => theatre[Symbol.asyncDispose](),
  };
}
