import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Connected, connected } from "../../../test/support/kube-server/connected.ts";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import type { SecretValue } from "./core-objects.ts";
import { KEY_RING_NAME, KeyRing } from "./key-ring.ts";

const NAMESPACE = "baas-system";
const { signal } = new AbortController();

function value(text: string, resourceVersion = "1", uid = "uid"): SecretValue {
  return { value: text, uid, resourceVersion };
}

let kept: Keeping;

beforeEach(async () => {
  kept = await startKeeping();
});

afterEach(() => kept[Symbol.asyncDispose]());

const stored = () => kept.server.get("secrets", NAMESPACE, KEY_RING_NAME);

/** Puts a newer key into the ring. */
function rotate(): void {
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const data = { ...(stored()?.["data"] as object), current: encode("newer"), newer: encode("k".repeat(32)) };
  const metadata = { namespace: NAMESPACE, name: KEY_RING_NAME };
  kept.server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

describe("KeyRing", () => {
  it("makes its Secret when the first value is remembered, with a key that is no constant", async () => {
    const sent = await new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal);
    expect(stored()).toMatchObject({ type: "baas.dev/key-ring", data: { current: expect.any(String) } });
    expect(Object.keys(stored()?.["data"] ?? {})).toContain(sent.keyId);
    expect(sent).toMatchObject({
      hash: expect.stringMatching(/^[0-9a-f]{64}$/u),
      secretUid: "uid",
      secretResourceVersion: "1",
    });
  });

  it("shows nothing of a value: not in the hash, and not to who lacks the key", async () => {
    const first = await new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal);
    kept.server.delete("secrets", NAMESPACE, KEY_RING_NAME);
    const other = await new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal);
    expect(other.keyId).not.toBe(first.keyId);
    expect(other.hash).not.toBe(first.hash);
  });

  it("tells the same value from another one, after a restart too", async () => {
    const sent = await new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal);
    const later = new KeyRing(kept.kube, NAMESPACE);
    expect(await later.compare(sent, value("secret", "9"), signal)).toEqual({ kind: "same" });
    expect(await later.compare(sent, value("rotated", "9"), signal)).toEqual({ kind: "changed" });
    expect(await later.compare(undefined, value("secret"), signal)).toEqual({ kind: "changed" });
  });

  it("takes over what a lost key hashed, without a write, where the Secret is the very version that was sent", async () => {
    const sent = await new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal);
    kept.server.delete("secrets", NAMESPACE, KEY_RING_NAME);
    const later = new KeyRing(kept.kube, NAMESPACE);
    expect(await later.compare(sent, value("secret"), signal)).toEqual({ kind: "takeOver" });
    expect(await later.compare(sent, value("secret", "2"), signal)).toEqual({ kind: "changed" });
    expect(await later.compare(sent, value("secret", "1", "made-again"), signal)).toEqual({ kind: "changed" });
  });

  it("uses the keys that are there and never changes them", async () => {
    await new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal);
    const before = stored();
    await new KeyRing(kept.kube, NAMESPACE).remember(value("other"), signal);
    expect(stored()).toEqual(before);
  });

  it("goes on with an older key beside a newer one", async () => {
    const sent = await new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal);
    rotate();
    const later = new KeyRing(kept.kube, NAMESPACE);
    expect(await later.compare(sent, value("secret"), signal)).toEqual({ kind: "same" });
    expect((await later.remember(value("secret"), signal)).keyId).toBe("newer");
  });

  it("marks a text by the key that made the mark before, and another text by the key in use", async () => {
    const { told, mark } = await new KeyRing(kept.kube, NAMESPACE).mark("text", undefined, signal);
    expect([told, mark]).toEqual(["unknown", expect.stringMatching(/^[0-9a-f]{12}:[0-9a-f]{12}$/u)]);
    rotate();
    const later = new KeyRing(kept.kube, NAMESPACE);
    expect(await later.mark("text", mark, signal)).toEqual({ told: "same", mark });
    const newer: unknown = expect.stringMatching(/^newer:[0-9a-f]{12}$/u);
    expect(await later.mark("other", mark, signal)).toEqual({ told: "changed", mark: newer });
    expect(await later.mark("text", undefined, signal)).toEqual({ told: "unknown", mark: newer });
  });

  it.each(["lost:0123456789ab", "no mark", ""])("tells nothing by a mark of no key of the ring: %s", async (before) => {
    const ring = new KeyRing(kept.kube, NAMESPACE);
    const { mark } = await ring.mark("text", undefined, signal);
    expect(await ring.mark("text", before, signal)).toEqual({ told: "unknown", mark });
  });

  it("refuses a ring whose current key is not in it, rather than hashing with nothing", async () => {
    const data = { current: Buffer.from("lost").toString("base64") };
    kept.server.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace: NAMESPACE, name: KEY_RING_NAME },
      data,
    });
    await expect(new KeyRing(kept.kube, NAMESPACE).remember(value("secret"), signal)).rejects.toThrow("does not hold");
  });
});

describe("a ring whose Secret cannot be made", () => {
  it("is none: what would be remembered is refused, and the next try makes one", async () => {
    const ring = new KeyRing(kept.kube, NAMESPACE);
    kept.server.refuseWrites("secrets", { status: 403, reason: "Forbidden", message: "exceeded quota" });
    await expect(ring.remember(value("secret"), signal)).rejects.toThrow("exceeded quota");
    expect(stored()).toBeUndefined();
    kept.server.refuseWrites("secrets", undefined);
    const sent = await ring.remember(value("secret"), signal);
    expect(Object.keys(stored()?.["data"] ?? {})).toContain(sent.keyId);
  });

  it.each(["lost", "refused"] as const)("makes no second one where the request for it was %s", async (fault) => {
    kept.server.failWrite(0, fault);
    const ring = new KeyRing(kept.kube, NAMESPACE);
    const sent = await ring.remember(value("secret"), signal).catch(() => ring.remember(value("secret"), signal));
    expect(Object.keys(stored()?.["data"] ?? {}).toSorted()).toEqual([sent.keyId, "current"].toSorted());
    expect(await new KeyRing(kept.kube, NAMESPACE).compare(sent, value("secret", "2"), signal)).toEqual({
      kind: "same",
    });
  });
});

describe("two leaders at the same time", () => {
  let scripted: Connected;
  beforeEach(async () => {
    scripted = await connected();
  });
  afterEach(() => scripted[Symbol.asyncDispose]());

  it("agree on the ring that was made first", async () => {
    const ring = new KeyRing(scripted.client, NAMESPACE);
    const remembered = ring.remember(value("secret"), signal);
    (await scripted.server.next()).failure(404, "NotFound"); // it looks
    (await scripted.server.next()).failure(409, "AlreadyExists"); // and is too late
    const encode = (text: string): string => Buffer.from(text).toString("base64");
    const metadata = { namespace: NAMESPACE, name: KEY_RING_NAME, uid: "u", resourceVersion: "5" };
    const data = { current: encode("first"), first: encode("k".repeat(32)) };
    (await scripted.server.next()).json(200, { apiVersion: "v1", kind: "Secret", metadata, data });
    expect((await remembered).keyId).toBe("first");
  });
});
