import { describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { openSectionStage } from "../../test/support/sections/stage.ts";
import { projectKind } from "../resources/project/kind.ts";
import { readIfExists } from "./shared/core-objects.ts";

/** What a status says of when something began is the apiserver's time, by which every process counts: each starts where its own clock is another. */

const MINUTE_MS = 60_000;
/** An answer's date tells whole seconds, and the status too. */
const ABOUT_MS = 2000;

const APART = [
  { what: "ahead of the apiserver's", apiserverAheadMs: -31 * MINUTE_MS },
  { what: "behind the apiserver's", apiserverAheadMs: 31 * MINUTE_MS },
];

const status = ({ kubernetes }: Theatre) => projectKind.parseStatus(kubernetes.get("projects", NAMESPACE, "shop"));

function expectSince(theatre: Theatre, since: string | undefined, apiserverAheadMs: number): void {
  const offMs = Date.parse(since ?? "") - theatre.clock.now() - apiserverAheadMs;
  expect(Math.abs(offMs)).toBeLessThanOrEqual(ABOUT_MS);
}

/** One that has had an answer of the apiserver, as has who has its lists. */
async function begunLife(theatre: Theatre): Promise<Life> {
  const life = await theatre.life();
  const { signal } = new AbortController();
  await readIfExists(life.environment.kube, projectKind.type, { namespace: NAMESPACE, name: "shop" }, signal);
  return life;
}

describe.each(APART)("a process whose clock is half an hour $what", ({ apiserverAheadMs }) => {
  it("counts what is under way by the apiserver's", async () => {
    await using theatre = await openTheatre({}, { apiserverAheadMs });
    await theatre.emulator.control.projects.hold({ refOrName: "shop", at: "COMING_UP" });
    const metadata = { name: "shop", namespace: NAMESPACE };
    const spec = { organization: "acme", provisioningTimeout: "30m" };
    theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
    const life = await theatre.life();
    for (let run = 0; run < 20 && status(theatre).underway === undefined; run += 1) {
      await life.run("Project", "shop");
      await theatre.pass(1000);
    }
    expectSince(theatre, status(theatre).underway?.since, apiserverAheadMs);
    await theatre.pass(29 * MINUTE_MS);
    const next = await begunLife(theatre);
    expect(await next.run("Project", "shop", "progress")).toMatchObject({ kind: "waiting", reason: "Provisioning" });
    await theatre.pass(2 * MINUTE_MS);
    expect(await next.run("Project", "shop", "progress")).toMatchObject({
      kind: "terminal",
      reason: "DeadlineExceeded",
    });
  });

  it("counts so what of a section is not in force yet", async () => {
    const acme = { slug: "acme", name: "Acme", plan: "pro" } as const;
    await using stage = await openSectionStage({ seed: { organizations: [acme] } }, { apiserverAheadMs });
    const { theatre } = stage;
    const body = { currentConfig: { database: true }, appliedSuccessfully: false };
    await theatre.emulator.control.faults.add({
      operation: "*",
      pathContains: "ssl-enforcement",
      count: null,
      fault: { kind: "status", status: 200, body },
    });
    await stage.start({ provisioningTimeout: "30m", database: { ssl: { enforced: true } } });
    expectSince(theatre, stage.entry("database.ssl")?.since, apiserverAheadMs);
    await theatre.pass(29 * MINUTE_MS);
    const next = await begunLife(theatre);
    await next.run("Project", "shop", "progress");
    expect(stage.entry("database.ssl")).toMatchObject({ state: "Applying" });
    await theatre.pass(2 * MINUTE_MS);
    await next.run("Project", "shop", "progress");
    expect(stage.entry("database.ssl")).toMatchObject({ state: "Failed", reason: "DeadlineExceeded" });
  });
});
