import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ConnectionBench,
  FORBIDDEN_URL,
  openConnectionBench,
} from "../../../test/support/controllers/connection-bench.ts";
import { NAMESPACE, openTheatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import type { Session } from "../shared/sessions.ts";
import { finalizers } from "../../resources/annotations.ts";

/** What becomes of a connection and of the Secret with its token, look by look. */

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const ID = "Connection/ns/default";

let bench: ConnectionBench;

beforeEach(async () => {
  bench = await openConnectionBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("a Secret under deletion whose token is in use", () => {
  it.each<{
    readonly why: string;
    readonly secretMs: number;
    /** how long the process has looked at it before */
    readonly triedMs?: number;
    readonly terminating?: boolean;
    readonly protection?: boolean;
    readonly dependents: readonly { readonly timeout: string; readonly deletedMs?: number }[];
    readonly held: boolean;
  }>([
    { why: "nothing depends on it", secretMs: 0, dependents: [], held: false },
    { why: "what depends on it is not being deleted", secretMs: 0, dependents: [{ timeout: "15m" }], held: false },
    {
      why: "a deletion needs it, and somebody may be replacing it",
      secretMs: 29 * SECOND_MS,
      dependents: [{ timeout: "15m", deletedMs: MINUTE_MS }],
      held: true,
    },
    {
      why: "who replaces it has waited for 30 s",
      secretMs: 30 * SECOND_MS,
      dependents: [{ timeout: "15m", deletedMs: MINUTE_MS }],
      held: false,
    },
    {
      why: "the namespace goes, and the deletion has its timeout",
      secretMs: 14 * MINUTE_MS,
      terminating: true,
      dependents: [{ timeout: "15m", deletedMs: 14 * MINUTE_MS }],
      held: true,
    },
    {
      why: "the namespace goes, and the deletion has had its timeout",
      secretMs: 13 * MINUTE_MS,
      triedMs: 2 * MINUTE_MS,
      terminating: true,
      dependents: [{ timeout: "15m", deletedMs: 13 * MINUTE_MS }],
      held: false,
    },
    {
      why: "the deletion has had its timeout while nobody tried it",
      secretMs: 20 * MINUTE_MS,
      triedMs: 2 * MINUTE_MS - SECOND_MS,
      terminating: true,
      dependents: [{ timeout: "15m", deletedMs: 20 * MINUTE_MS }],
      held: true,
    },
    {
      why: "the longest timeout counts",
      secretMs: 50 * MINUTE_MS,
      terminating: true,
      dependents: [
        { timeout: "1m", deletedMs: 50 * MINUTE_MS },
        { timeout: "1h", deletedMs: 50 * MINUTE_MS },
      ],
      held: true,
    },
    {
      why: "short timeouts hold it no longer than they last",
      secretMs: MINUTE_MS,
      triedMs: MINUTE_MS,
      terminating: true,
      dependents: [{ timeout: "1m", deletedMs: MINUTE_MS }],
      held: false,
    },
    {
      why: "the object was deleted later than the Secret",
      secretMs: 16 * MINUTE_MS,
      terminating: true,
      dependents: [{ timeout: "15m", deletedMs: 10 * MINUTE_MS }],
      held: true,
    },
    {
      why: "the namespace goes, and what depends on it is about to",
      secretMs: MINUTE_MS,
      terminating: true,
      dependents: [{ timeout: "15m" }],
      held: true,
    },
    {
      why: "credentialProtection is off",
      secretMs: 0,
      terminating: true,
      protection: false,
      dependents: [{ timeout: "15m", deletedMs: 0 }],
      held: false,
    },
  ])("is held: $held, since $why", async ({ secretMs, triedMs, terminating, protection, dependents, held }) => {
    if (terminating === true) bench.putNamespace({ deletedForMs: secretMs });
    bench.putSecret("token", { deletedForMs: secretMs });
    bench.putConnection("default");
    for (const { timeout, deletedMs } of dependents) bench.putDependent(timeout, deletedMs);
    if (triedMs !== undefined) {
      await bench.look("default", protection);
      bench.advance(triedMs);
    }
    const { outcome, environment } = await bench.look("default", protection);
    expect(bench.guarded("token")).toBe(held);
    expect(bench.says("CredentialTerminating")).toBe("True CredentialTerminating");
    expect(bench.words("CredentialTerminating")).toContain("what is applied to it now is lost: create it again");
    expect(outcome).toMatchObject({ kind: "done", result: held ? { requeueAfterMs: 5000, lane: "progress" } : {} });
    // This process has just started: the Secret is where the token still is, and it is taken from there before that goes.
    expect(environment.sessions.get(ID)?.deletionOnly).toBe(dependents.length > 0 ? true : undefined);
  });

  it("is looked at again, and goes in time, also while its token is not accepted", async () => {
    bench.putNamespace({ deletedForMs: 0 });
    bench.putSecret("token", { token: "nobody-knows-this", deletedForMs: 0 });
    bench.putConnection("default");
    bench.putDependent("1m", 0);
    const first = await bench.look();
    expect(first.outcome).toMatchObject({ kind: "done", result: { requeueAfterMs: 5000 } });
    expect(first.environment.sessions.get(ID)).toBeUndefined();
    expect(bench.says("Ready")).toBe("False CredentialTerminating");
    expect(bench.guarded("token")).toBe(true);
    bench.advance(MINUTE_MS);
    await bench.look();
    expect(bench.guarded("token")).toBe(false);
  });

  it.each([
    { why: "it is empty", token: "", held: false },
    { why: "it holds what is no token", token: "no token at all", held: false },
    { why: "its token is refused, which may be wrong", token: "nobody-knows-this", held: true },
  ])("is held after 30 s, while its value is not in memory: $held, since $why", async ({ token, held }) => {
    bench.putSecret("token", { token, deletedForMs: 30 * SECOND_MS });
    bench.putConnection("default");
    bench.putDependent("15m", MINUTE_MS);
    await bench.look();
    expect(bench.guarded("token")).toBe(held);
  });
});

describe("a token that was in use when its Secret was deleted", () => {
  it("is in memory still, for deletions alone, and is good until the Secret is let go", async () => {
    await using theatre = await openTheatre(AT_ONCE, { ownConnections: true });
    const { kubernetes, emulator, clock } = theatre;
    const at = (name: string): object => ({ name, namespace: NAMESPACE });
    const token = { secretRef: { name: "token", key: "token" } };
    const ours = { apiVersion: "baas.dev/v1alpha1" };
    kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
    const stringData = { token: "token" };
    kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: { ...at("token") }, stringData });
    const spec = { baseUrl: emulator.url, token };
    kubernetes.put("connections", { ...ours, kind: "Connection", metadata: { ...at("default") }, spec });
    const project = { ...at("shop"), finalizers: [finalizers.remote] };
    kubernetes.put("projects", { ...ours, kind: "Project", metadata: project, spec: { organization: "acme" } });
    const life = await theatre.life();
    const session = (): Session | undefined => life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
    expect(await life.run("Connection", "default")).toMatchObject({ kind: "done" });
    const before = session();
    kubernetes.delete("projects", NAMESPACE, "shop", clock.now());
    kubernetes.delete("secrets", NAMESPACE, "token", clock.now());
    await life.run("Connection", "default");
    expect(session()).toEqual({ ...before, deletionOnly: true });
    expect(session()?.client).toBe(before?.client);
  });
});

describe("a Secret whose token is in use", () => {
  it.each([
    { why: "an object depends on it", used: true, protection: true, before: false, after: true },
    { why: "none does", used: false, protection: true, before: true, after: false },
    { why: "credentialProtection was switched off", used: true, protection: false, before: true, after: false },
  ])("is guarded: $after, since $why", async ({ used, protection, before, after }) => {
    bench.putSecret("token", { guarded: before });
    bench.putConnection("default");
    if (used) bench.putDependent("15m");
    expect((await bench.look("default", protection)).outcome.kind).toBe("done");
    expect(bench.guarded("token")).toBe(after);
    expect(bench.says("Ready")).toBe("True Available");
  });

  it("is let go when another one is named, which may be missing", async () => {
    bench.putSecret("token", { guarded: false });
    bench.putConnection("default");
    bench.putDependent("15m");
    await bench.look();
    expect(bench.guarded("token")).toBe(true);
    bench.putConnection("default", { secret: "later" });
    expect((await bench.look()).outcome).toMatchObject({ kind: "terminal", reason: "CredentialMissing" });
    expect(bench.guarded("token")).toBe(false);
  });
});

describe("a connection whose Secret holds no token", () => {
  it.each([
    { token: "one\ntwo", says: "on one line; correct the Secret", againMs: undefined },
    // The platform may have been wrong: it is asked again, seldom.
    { token: "nobody-knows-this", says: "put a valid one into the Secret", againMs: 600_000 },
  ])("$token: says what to do: $says; looks again after $againMs", async ({ token, says, againMs }) => {
    bench.putSecret("token", { token });
    bench.putConnection("default");
    const { outcome, asked } = await bench.look();
    expect(outcome).toMatchObject({
      kind: "terminal",
      reason: "CredentialInvalid",
      message: expect.stringContaining(says),
    });
    expect(outcome.kind === "terminal" && outcome.recheckAfterMs).toBe(againMs);
    // Its own attempt does not wake it: else it would ask for ever.
    expect(asked).toEqual([]);
  });
});

describe("a connection that is deleted", () => {
  it("lets go of the Secret that its status names, also when its spec cannot be read", async () => {
    bench.putSecret("token", { guarded: false });
    bench.putConnection("default");
    bench.putDependent("15m");
    await bench.look();
    bench.removeDependent("15m");
    bench.putConnection("default", { deleted: true, spec: { baseUrl: 7 } });
    expect((await bench.look()).outcome.kind).toBe("done");
    expect(bench.guarded("token")).toBe(false);
    expect(bench.server.get("connections", "ns", "default")).toBeUndefined();
  });

  it("leaves the Secret to another connection that uses it", async () => {
    bench.putSecret("token");
    bench.putConnection("default", { deleted: true });
    bench.putConnection("other");
    await bench.look();
    expect(bench.guarded("token")).toBe(true);
  });

  it.each([
    { inUse: true, does: "leaves the Secret to another connection that objects use and that" },
    {
      inUse: false,
      does: "leaves no Secret to another connection that nothing uses, of whose end nobody would hear, and that",
    },
  ])("$does cannot be read any more", async ({ inUse }) => {
    bench.putSecret("token", { guarded: false });
    bench.putConnection("other");
    await bench.look("other");
    bench.putConnection("other", { spec: { baseUrl: 7 }, inUse });
    bench.putSecret("token");
    bench.putConnection("default", { deleted: true });
    await bench.look();
    expect(bench.guarded("token")).toBe(inUse);
  });

  it("reads its Secret anew while objects depend on it", async () => {
    bench.putSecret("token");
    bench.putConnection("default", { deleted: true });
    bench.putDependent("15m");
    const { outcome, environment } = await bench.look();
    expect(outcome).toMatchObject({ kind: "waiting", reason: "InUse" });
    expect(environment.sessions.get(ID)).toBeDefined();
    bench.putSecret("token", { token: "nobody-knows-this" });
    expect((await bench.look()).outcome).toMatchObject({ kind: "terminal", reason: "CredentialInvalid" });
    expect(bench.server.get("connections", "ns", "default")?.metadata.finalizers).toContain(finalizers.connectionInUse);
  });
});

describe("what the operator allows no Connection of a namespace", () => {
  it.each([
    {
      why: "a base URL that it was not started with: the token would be sent there",
      spec: { baseUrl: FORBIDDEN_URL, token: { secretRef: { name: "token" } } },
      says: "--allowed-base-url",
    },
    {
      why: "its own identity, which is no tenant's",
      spec: { baseUrl: "http://127.0.0.1:1", workloadIdentity: { clientId: "app" } },
      says: "--workload-identity-namespace",
    },
  ])("$why", async ({ spec, says }) => {
    bench.putSecret("token");
    bench.putConnection("default", { spec });
    const { outcome, environment } = await bench.look();
    const message = expect.stringContaining(says);
    expect(outcome).toMatchObject({ kind: "terminal", reason: "NotAllowed", message });
    expect(environment.sessions.get(ID)).toBeUndefined();
  });
});

describe("a base URL that the definition takes and the client does not", () => {
  it.each([
    { baseUrl: "https://api.0x1", says: "not a URL: write it like https://api.example.com" },
    { baseUrl: "https://api.example.com/v1/.", says: "must not end in /v1: drop it" },
    { baseUrl: "https://api.example.com/v2/a/..", says: "must not end in /v2: drop it" },
  ])("$baseUrl: is told in the client's words, and is not tried again", async ({ baseUrl, says }) => {
    bench.putSecret("token");
    bench.putConnection("default", { spec: { baseUrl, token: { secretRef: { name: "token" } } } });
    const { outcome, environment } = await bench.look();
    const message = expect.stringContaining(says);
    expect(outcome).toMatchObject({ kind: "terminal", reason: "InvalidSpec", message });
    expect(outcome.kind === "terminal" && outcome.recheckAfterMs).toBeUndefined();
    expect(environment.sessions.get(ID)).toBeUndefined();
  });
});
