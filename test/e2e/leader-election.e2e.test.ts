import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { type Candidate, candidate } from "../support/runtime/candidate.ts";

const namespace = `election-${randomUUID().slice(0, 8)}`;
const run = async (...args: readonly string[]): Promise<string> =>
  succeeded(await kubectl(inject("cluster"), [...args])).trim();
const join = (name: string, lease: string): Candidate =>
  candidate(name, { kind: "file", path: inject("cluster").kubeconfigPath }, { namespace, name: lease });
const holder = (lease: string): Promise<string> =>
  run("get", "lease", lease, "-n", namespace, "-o", "jsonpath={.spec.holderIdentity}");

beforeAll(async () => {
  await run("create", "namespace", namespace);
});

afterAll(async () => {
  await run("delete", "namespace", namespace, "--wait=false");
});

describe("leader election on a real apiserver", () => {
  it("has one of two lead, keep the lease over edits of its labels, and hand over on release", async () => {
    await using a = join("a", "operator");
    await a.acquired;
    await using b = join("b", "operator");
    expect(await holder("operator")).toBe(a.identity);
    await run("label", "lease", "operator", "-n", namespace, "team=db");
    expect([a.elector.mayStart(), b.elector.mayStart()]).toEqual([true, false]);
    await a.elector.release({ clean: true });
    await b.acquired;
    expect([a.elector.mayStart(), b.elector.mayStart()]).toEqual([false, true]);
    expect(await holder("operator")).toBe(b.identity);
    expect(await run("get", "lease", "operator", "-n", namespace, "-o", "jsonpath={.metadata.labels.team}")).toBe("db");
    expect(await run("get", "lease", "operator", "-n", namespace, "-o", "jsonpath={.spec.leaseTransitions}")).toBe("1");
  });

  it("takes over from a holder that is gone, when its time is over", async () => {
    await using a = join("a", "gone");
    await a.acquired;
    await a.elector.release({ clean: false });
    await using b = join("b", "gone");
    await b.acquired;
    expect(a.elector.mayStart()).toBe(false);
    expect(await holder("gone")).toBe(b.identity);
  });

  it("keeps the lease when somebody deletes it under the leader", async () => {
    await using a = join("a", "deleted");
    await a.acquired;
    await run("delete", "lease", "deleted", "-n", namespace);
    await expect.poll(() => holder("deleted").catch(() => ""), { timeout: 10_000 }).toBe(a.identity);
    expect(a.elector.lost.aborted).toBe(false);
  });
});
