import { describe, expect, it, vi } from "vitest";
import { kubeconfigText } from "../../test/support/kube-server/kubeconfig.ts";
import { type Candidate, candidate } from "../../test/support/runtime/candidate.ts";
import { type LeaseHttpServer, startLeaseHttpServer } from "../../test/support/runtime/lease-http.ts";

const patience = { timeout: 10_000, interval: 10 };

/** Candidates over HTTP; at each request that the server gets, no two of them may start one. */
async function race(): Promise<
  AsyncDisposable & {
    readonly server: LeaseHttpServer;
    readonly join: (name: string) => Candidate;
    readonly most: () => number;
  }
> {
  const all: Candidate[] = [];
  let most = 0;
  const leaders = (): number => all.filter(({ elector }) => elector.mayStart()).length;
  const server = await startLeaseHttpServer(() => {
    most = Math.max(most, leaders());
  });
  const text = kubeconfigText({ server: server.url, user: { token: "t" } });
  return {
    server,
    most: () => most,
    join: (name) => {
      const joined = candidate(name, { kind: "text", text }, { namespace: "ns", name: "leader" });
      all.push(joined);
      return joined;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(all.map((each) => each[Symbol.asyncDispose]()));
      await server[Symbol.asyncDispose]();
    },
  };
}

const leading = (...candidates: readonly Candidate[]): readonly boolean[] =>
  candidates.map(({ elector }) => elector.mayStart());

describe("LeaderElector over HTTP", () => {
  it("has one of two that race for a new lease lead, and the other wait", async () => {
    await using scene = await race();
    const [a, b] = [scene.join("a"), scene.join("b")];
    await Promise.race([a.acquired, b.acquired]);
    expect(leading(a, b).filter(Boolean)).toHaveLength(1);
    expect(scene.server.lease()).toMatchObject({
      kind: "Lease",
      metadata: { name: "leader", namespace: "ns" },
      spec: { holderIdentity: (a.elector.mayStart() ? a : b).identity, leaseDurationSeconds: 2, leaseTransitions: 0 },
    });
    expect(scene.most()).toBeLessThanOrEqual(1);
  });

  it("hands over to the one that waits when the leader releases", async () => {
    await using scene = await race();
    const a = scene.join("a");
    await a.acquired;
    const b = scene.join("b");
    await a.elector.release({ clean: true });
    await b.acquired;
    expect(leading(a, b)).toEqual([false, true]);
    expect(scene.server.lease()).toMatchObject({ spec: { holderIdentity: b.identity } });
    expect(scene.most()).toBeLessThanOrEqual(1);
  });

  it("loses the lease when the server answers nothing, and has a leader again when it does", async () => {
    await using scene = await race();
    const a = scene.join("a");
    await a.acquired;
    scene.server.mute(true);
    await vi.waitFor(() => expect(a.elector.lost.aborted).toBe(true), patience);
    const b = scene.join("b");
    scene.server.mute(false);
    await b.acquired;
    expect(leading(a, b)).toEqual([false, true]);
    expect(scene.most()).toBeLessThanOrEqual(1);
  });
});
