import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { KEY_RING_NAME } from "../shared/key-ring.ts";

/** engine.md §6: what was sent and cannot be read back is remembered by a keyed hash, whose key may change or be lost. */

const RING = { namespace: "baas-system", name: KEY_RING_NAME };
const secretKeyRef = { name: "database", key: "password" };

let theatre: Theatre;

beforeEach(async () => {
  theatre = await openTheatre();
  putPassword("good enough");
  const metadata = { name: "shop", namespace: NAMESPACE };
  const spec = { organization: "acme", databasePassword: { secretKeyRef } };
  theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
  await (await theatre.life()).settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

const encode = (text: string): string => Buffer.from(text).toString("base64");

function putPassword(password: string, labels: Readonly<Record<string, string>> = {}): void {
  const metadata = { name: secretKeyRef.name, namespace: NAMESPACE, labels };
  theatre.kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata,
    data: { password: encode(password) },
  });
}

function remembered(): ReturnType<typeof projectKind.parseStatus>["databasePassword"] {
  return projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop")).databasePassword;
}

/** Looks in lives of their own, so that each reads the ring. @returns writes to the platform, and to the object */
async function looks(times = 1): Promise<{ readonly remote: readonly string[]; readonly versions: number }> {
  const { last } = await theatre.emulator.control.log.read({});
  const versions = new Set([version()]);
  for (let look = 0; look < times; look += 1) {
    await theatre.pass(600_001);
    const life: Life = await theatre.life();
    expect(await life.run("Project", "shop", "drift")).toMatchObject({ kind: "done" });
    versions.add(version());
  }
  const { entries } = await theatre.emulator.control.log.read({ after: last });
  const writes = entries.flatMap(({ method, operation }) => (method === "GET" ? [] : [operation ?? "unknown"]));
  return { remote: writes, versions: versions.size - 1 };
}

function version(): string | undefined {
  return theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata.resourceVersion;
}

describe("the key of the hash", () => {
  it("is rotated without a write: a newer one beside it is for what is sent later", async () => {
    const before = theatre.kubernetes.get("secrets", RING.namespace, RING.name);
    const data = { ...(before?.["data"] as object), current: encode("newer"), newer: encode("k".repeat(32)) };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: RING, data });
    expect(await looks(2)).toEqual({ remote: [], versions: 0 });
    putPassword("another one");
    expect(await looks()).toEqual({ remote: ["projects.updatePassword"], versions: 1 });
    expect(remembered()?.sent?.keyId).toBe("newer");
  });

  it("is lost without a write to the platform: the hash is made anew with the next key, once", async () => {
    const before = remembered()?.sent;
    theatre.kubernetes.delete("secrets", RING.namespace, RING.name);
    expect(await looks()).toEqual({ remote: [], versions: 1 });
    expect(remembered()?.sent?.keyId).not.toBe(before?.keyId);
    expect(remembered()?.sent).toMatchObject({ secretUid: before?.secretUid });
    expect(await looks(2)).toEqual({ remote: [], versions: 0 });
  });

  it("is lost after the Secret was touched, which nothing was written of: what is in it is sent once more", async () => {
    putPassword("good enough", { touched: "yes" });
    expect(await looks(2)).toEqual({ remote: [], versions: 0 });
    theatre.kubernetes.delete("secrets", RING.namespace, RING.name);
    // Nobody can tell any more that it is the value that was sent, and it may be another one.
    expect((await looks(3)).remote).toEqual(["projects.updatePassword"]);
    expect(await looks(2)).toEqual({ remote: [], versions: 0 });
  });

  it("is lost, and the value rotated meanwhile: that is one write", async () => {
    theatre.kubernetes.delete("secrets", RING.namespace, RING.name);
    putPassword("another one");
    expect((await looks(3)).remote).toEqual(["projects.updatePassword"]);
  });
});
