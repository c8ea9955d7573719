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
});
