import { expect } from "vitest";
import type { ApiClient } from "../../../src/api/client.ts";
import type { SectionEntry } from "../../../src/resources/settings/status.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import type { Outcome } from "../../../src/runtime/outcome.ts";
import type { Lane } from "../../../src/runtime/lane.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../controllers/life.ts";
import { AT_ONCE } from "../controllers/shop.ts";

/** test/support/sections: one Project between the emulator and an apiserver, whose sections a test declares, drifts and looks at. */

/** A Project that is up, and what a test does with its sections. */
export interface SectionStage extends AsyncDisposable {
  readonly theatre: Theatre;
  readonly life: Life;
  readonly client: ApiClient;
  readonly ref: string;
  /** Declares those sections, and nothing else, and runs the Project until it rests. */
  apply(spec: object): Promise<Outcome>;
  /** As `apply`, and runs the Project once. */
  start(spec: object): Promise<Outcome>;
  /** Runs the Project once, as a drift check by default. */
  run(lane?: Lane): Promise<Outcome>;
  /** A Secret of the Project's namespace. */
  putSecret(name: string, values: Readonly<Record<string, string>>): void;
  putConfigMap(name: string, data: Readonly<Record<string, string>>): void;
  /** The stored status. */
  stored(): ReturnType<typeof projectKind.parseStatus>;
  /** The entry of a section in it. */
  entry(name: string): SectionEntry | undefined;
  /** The stored condition. */
  condition(type: string): { readonly status: string; readonly reason: string; readonly message: string } | undefined;
  /** Operations that the platform was asked for since the last time, by id; `health` and the look at the project itself aside. */
  calls(): Promise<readonly string[]>;
}

const NAME = "shop";
const ASIDE: ReadonlySet<string> = new Set(["projects.get", "projects.health", "profile.get"]);

/** A stage with a project that is up and has no section declared. */
export async function openSectionStage(
  options: Parameters<typeof openTheatre>[0] = {},
  theatreOptions: Parameters<typeof openTheatre>[1] = {},
): Promise<SectionStage> {
  const theatre = await openTheatre({ ...AT_ONCE, ...options }, theatreOptions);
  const life = await theatre.life();
  const put = (spec: object): void => {
    theatre.kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: NAME, namespace: NAMESPACE },
      spec: { organization: "acme", ...spec },
    });
  };
  put({});
  expect(await life.settle("Project", NAME)).toMatchObject({ kind: "done" });
  const session = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
  const stored = () => projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, NAME));
  const { ref } = stored();
  if (session === undefined || ref === undefined) throw new Error("the project did not come up");
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
    client: session.client,
    ref,
    apply: (spec) => {
      put(spec);
      return life.settle("Project", NAME);
    },
    start: (spec) => {
      put(spec);
      return life.run("Project", NAME);
    },
    run: (lane = "drift") => life.run("Project", NAME, lane),
    putSecret: (name, values) => {
      const data = Object.fromEntries(
        Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
      );
      theatre.kubernetes.put("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name, namespace: NAMESPACE },
        data,
      });
    },
    putConfigMap: (name, data) => {
      const metadata = { name, namespace: NAMESPACE };
      theatre.kubernetes.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data });
    },
    stored,
    entry: (name) => stored().sections?.find((one) => one.name === name),
    condition: (type) => stored().conditions.find((one) => one.type === type),
    calls,
    [Symbol.asyncDispose]: () => theatre[Symbol.asyncDispose](),
  };
}
