import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KEPT_PLACE, type OAuthBench, openOAuthBench } from "../../../test/support/controllers/oauth-bench.ts";
import { finalizers } from "../../resources/annotations.ts";

/** What becomes of an app's refresh token while its Secret and its Connection come and go, and processes follow each other. */

const HOUR_MS = 3_600_000;

let bench: OAuthBench;

beforeEach(async () => {
  bench = await openOAuthBench();
  await bench.consent();
});

afterEach(() => bench[Symbol.asyncDispose]());

/** The operator's own Secret is being deleted, and our finalizer holds it. */
function deleteHeld(): void {
  const metadata = { ...KEPT_PLACE, finalizers: [finalizers.credential] };
  bench.server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata });
  bench.server.delete("secrets", KEPT_PLACE.namespace, KEPT_PLACE.name);
}

describe("the operator's own Secret, deleted", () => {
  it("while no process ran, is put back by the next one with the token that it held, which works on", async () => {
    expect((await bench.startProcess("one").look()).outcome.kind).toBe("done");
    const token = bench.keptToken();
    deleteHeld();
    bench.clock.advance(HOUR_MS);
    const two = bench.startProcess("two");
    expect((await two.look()).outcome.kind).toBe("done");
    expect(bench.keptToken()).not.toBe(token);
    expect(
      bench.server.get("secrets", KEPT_PLACE.namespace, KEPT_PLACE.name)?.metadata.deletionTimestamp,
    ).toBeUndefined();
    expect(await bench.under.control.oauth.grants()).toHaveLength(1);
  });

  it.each([
    { why: "held", kept: deleteHeld },
    { why: "gone at once", kept: () => bench.server.delete("secrets", KEPT_PLACE.namespace, KEPT_PLACE.name) },
  ])("is put back also while the user's own Secret is missing: $why", async ({ kept }) => {
    const one = bench.startProcess("one");
    expect((await one.look()).outcome.kind).toBe("done");
    const token = bench.keptToken();
    kept();
    bench.server.delete("secrets", "ns", "app");
    expect((await one.look()).outcome).toMatchObject({ kind: "terminal", reason: "CredentialMissing" });
    expect(bench.keptToken()).toBe(token);
    expect(
      bench.server.get("secrets", KEPT_PLACE.namespace, KEPT_PLACE.name)?.metadata.deletionTimestamp,
    ).toBeUndefined();
  });

  it("with the user's own while no process ran, is put back, so that the user's may come again with the token that was used", async () => {
    expect((await bench.startProcess("one").look()).outcome.kind).toBe("done");
    const { name, token } = { name: "app", token: bench.keptToken() };
    const user = bench.server.get("secrets", "ns", name);
    const metadata = { name, namespace: "ns", finalizers: [finalizers.credential] };
    bench.server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata });
    bench.server.delete("secrets", "ns", name);
    deleteHeld();
    const two = bench.startProcess("two");
    await two.look();
    expect([bench.server.get("secrets", "ns", name), bench.keptToken()]).toEqual([undefined, token]);
    bench.server.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: "ns" },
      data: user?.["data"],
    });
    expect((await two.look()).outcome.kind).toBe("done");
    expect(await bench.under.control.oauth.grants()).toHaveLength(1);
  });
});

describe("an app's access token that the platform does not accept for a while", () => {
  it("closes the connection until the next look, which comes by itself", async () => {
    await bench.under.control.faults.add({
      operation: "organizations.list",
      count: null,
      fault: { kind: "status", status: 401 },
    });
    const one = bench.startProcess("one");
    expect((await one.look()).outcome).toMatchObject({ kind: "terminal", recheckAfterMs: 60_000 });
    await bench.under.control.faults.clear();
    bench.clock.advance(60_000);
    expect((await one.look()).outcome.kind).toBe("done");
  });
});

describe("a Connection that is made anew under its name", () => {
  it("keeps its tokens in a Secret of its own, not of the one before it", async () => {
    const one = bench.startProcess("one");
    expect((await one.look()).outcome.kind).toBe("done");
    bench.replaceConnection();
    // as the garbage collector does
    bench.server.delete("secrets", KEPT_PLACE.namespace, KEPT_PLACE.name);
    bench.clock.advance(HOUR_MS);
    await one.look();
    const uid = bench.server.get("connections", "ns", "default")?.metadata.uid;
    const secret = bench.server.get("secrets", KEPT_PLACE.namespace, KEPT_PLACE.name);
    expect(secret?.metadata.ownerReferences).toMatchObject([{ uid }]);
  });
});

describe("a run that ended", () => {
  it("is told no more of the refresh tokens that are stored after it", async () => {
    let changes = 0;
    const one = bench.startProcess("one");
    const { environment } = await one.look(() => (changes += 1));
    const [before, token] = [changes, bench.keptToken()];
    bench.clock.advance(HOUR_MS);
    await environment.sessions.get("Connection/ns/default")?.client.organizations.list(undefined);
    expect(bench.keptToken()).not.toBe(token);
    expect(changes).toBe(before);
  });
});
