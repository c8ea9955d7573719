import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ArtifactServer } from "../../../test/support/artifacts/server.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { walkedBranch } from "../../../test/support/controllers/walks/branch.ts";
import { walkedFunction } from "../../../test/support/controllers/walks/edge-function.ts";
import { putFirstPassword, walkedProject } from "../../../test/support/controllers/walks/project.ts";
import { putFirstValues, walkedSecret } from "../../../test/support/controllers/walks/secret.ts";
import { type Walk, walk, type Walked, type Walker, walks } from "../../../test/support/controllers/walks/walk.ts";
import { seedFrom } from "../../../test/support/seed.ts";

/**
 * engine.md §6 as a law: whatever a valid spec declares and whatever is there, what was applied and observed again asks for nothing more; declared
 * fields are then as declared, and all others as they were. `WALK_SEED=<seed of a failure>` walks those of
 * that run again, `WALKS=200` more of them.
 */

const seed = seedFrom("WALK_SEED");
const WALKS = Number(process.env["WALKS"] ?? 20);
const STEPS = 5;

let theatre: Theatre;
let artifacts: ArtifactServer;
let life: Life;
let made = 0;

beforeAll(async () => {
  artifacts = await ArtifactServer.start();
  theatre = await openTheatre({ timings: { bundleMs: 0, creatingBranchMs: 0, runningMigrationsMs: 0 } });
  await theatre.emulator.control.organizations.patch({
    slug: "acme",
    quotas: { projects: 1000, functionsPerProject: 1000 },
  });
  const metadata = { name: "shop", namespace: NAMESPACE };
  theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata,
    spec: { organization: "acme", name: "whose children walk" },
  });
  life = await theatre.life();
  await life.settle("Project", "shop");
});

afterAll(async () => {
  await theatre[Symbol.asyncDispose]();
  await artifacts[Symbol.asyncDispose]();
});

function statusOf(plural: string, name: string): Readonly<Record<string, unknown>> {
  return (theatre.kubernetes.get(plural, NAMESPACE, name)?.["status"] ?? {}) as Readonly<Record<string, unknown>>;
}

async function walkOnce<Spec extends object, Hand>(walked: Walked<Spec, Hand>, given: Walk<Spec, Hand>): Promise<void> {
  made += 1;
  const { plural } = walked.kind.type;
  const name = `walker-${made}`;
  const parentRef = String(statusOf("projects", "shop")["ref"]);
  const walker: Walker = {
    theatre,
    life,
    client: life.client,
    artifacts,
    name,
    parentRef,
    ref: () => String(statusOf(plural, name)["ref"]),
  };
  putFirstPassword(theatre);
  putFirstValues(theatre);
  await theatre.pass(600_001);
  await walk(walked, walker, given);
  theatre.kubernetes.delete(plural, NAMESPACE, name);
  await life.settle(walked.kind.type.kind, name);
}

/**
 * How the law of a kind was broken; undefined: it holds.
 *
 * @param examples walks that chance may not find
 */
async function violation<Spec extends object, Hand>(
  walked: Walked<Spec, Hand>,
  examples: readonly Walk<NoInfer<Spec>, NoInfer<Hand>>[],
): Promise<string | undefined> {
  const property = fc.asyncProperty(walks(walked, STEPS), (given) => walkOnce(walked, given));
  const options = { seed, numRuns: WALKS, endOnFailure: true, includeErrorInReport: true };
  const run = await fc.check(property, { ...options, examples: examples.map((example) => [example]) });
  return fc.asyncDefaultReportMessage(run);
}

describe(`what was applied and observed again asks for nothing (seed ${seed})`, () => {
  it("of a Project", async () => {
    const spec = { name: "first", state: "Running", passwordDeclared: true } as const;
    const broken = await violation(walkedProject, [
      {
        first: spec,
        steps: [
          { hand: { rename: "other" } },
          { hand: { switch: true } },
          { hand: { password: "rotated" } },
          { hand: { touch: "x" } },
        ],
      },
      {
        first: spec,
        steps: [{ declare: { ...spec, state: "Paused" } }, { hand: { password: "while paused" } }, { declare: spec }],
      },
      {
        first: spec,
        steps: [
          { declare: { name: undefined, state: undefined, passwordDeclared: false } },
          { hand: { rename: "theirs" } },
          { hand: { switch: true } },
        ],
      },
    ]);
    expect(broken).toBeUndefined();
  });

  it("of a Branch", async () => {
    const spec = { name: "first", gitBranch: "main", persistent: true, notifyUrl: "https://EXAMPLE.com" } as const;
    const nothing = { name: undefined, gitBranch: undefined, persistent: undefined, notifyUrl: undefined };
    const hand = { name: "theirs", gitBranch: "other", persistent: false, notifyUrl: "https://example.org/x" } as const;
    const broken = await violation(walkedBranch, [
      {
        first: spec,
        steps: [{ hand }, { declare: nothing }, { hand }, { declare: { ...nothing, gitBranch: "main" } }],
      },
    ]);
    expect(broken).toBeUndefined();
  });

  it("of an EdgeFunction", async () => {
    const spec = {
      name: "first",
      entrypoint: undefined,
      importMap: "deno.json",
      verifyJwt: false,
      staticPatterns: ["*.txt"],
      text: "one",
      more: false,
      artifact: undefined,
    } as const;
    const published = { ...spec, artifact: { kind: "GitRepository", path: "functions/one" } } as const;
    const broken = await violation(walkedFunction, [
      {
        first: published,
        steps: [
          { declare: { ...published, text: "another revision" } },
          { hand: { deploy: "by hand" } },
          { declare: { ...published, artifact: { kind: "OCIRepository", path: undefined } } },
          { declare: spec },
          { declare: published },
        ],
      },
      {
        first: spec,
        steps: [
          { hand: { set: { verify_jwt: true } } },
          { hand: { set: { name: "x", verify_jwt: true } } },
          { hand: { deploy: "by hand" } },
          { hand: { remove: true } },
        ],
      },
      {
        first: spec,
        steps: [
          { declare: { ...spec, name: undefined, importMap: undefined, staticPatterns: undefined } },
          { hand: { entrypoint: "src/main.ts" } },
        ],
      },
    ]);
    expect(broken).toBeUndefined();
  });

  it("of a Secret", async () => {
    const spec = { one: { keys: undefined, as: undefined }, two: "P_" } as const;
    const broken = await violation(walkedSecret, [
      {
        first: spec,
        steps: [
          { hand: { name: "A", value: "theirs" } },
          { hand: { name: "P_A", value: undefined } },
          { hand: { name: "THEIRS", value: "x" } },
        ],
      },
      {
        first: spec,
        steps: [
          { hand: { secret: "one", values: { A: "2", B: "b", C: "c", D: "" } } },
          { hand: { secret: "two", touched: "x" } },
          { declare: { one: { keys: ["A"], as: "NAMED_" }, two: undefined } },
        ],
      },
    ]);
    expect(broken).toBeUndefined();
  });
});
