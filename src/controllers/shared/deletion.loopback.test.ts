import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { type EventDraft, runOf, storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { ApiError } from "../../api/errors.ts";
import { annotations } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { classify, TransientError } from "../../runtime/outcome.ts";
import { deleteRemotely } from "./deletion.ts";
import { UnderWayError } from "./deletion-failures.ts";
import { DeletionTimes } from "./deletion-times.ts";
import { explain, terminal, waiting } from "./failures.ts";
import { RELEASES_NAME } from "./releases.ts";
import type { Session } from "./sessions.ts";
import type { Sought } from "./sought.ts";

/** How a deletion ends when it cannot go on (engine.md §5): the bound, the hand, and what is told of what was left. */

const REF = "projectprojectprojec";
const MINUTE_MS = 60_000;

let kept: Keeping;

beforeEach(async () => {
  kept = await startKeeping();
  kept.server.put("namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "ns", finalizers: ["kubernetes"] },
  });
});

afterEach(() => kept[Symbol.asyncDispose]());

interface Situation {
  /** minutes since the deletion began; the timeout is 15 */
  readonly minutes?: number;
  /** minutes since this process has looked at it first; default: as many */
  readonly tried?: number;
  readonly terminating?: boolean;
  /** what the connection says of itself; absent: there is none */
  readonly connection?: { readonly status: "True" | "False"; readonly reason: string };
  /** whether it works in this process */
  readonly session?: Partial<Session>;
  readonly annotated?: string;
  readonly unconfirmed?: string;
}

function connectionObject({ status, reason }: NonNullable<Situation["connection"]>): KubeObject {
  const condition = { type: "Ready", status, reason, message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Connection",
    metadata: { name: "default", namespace: "ns", uid: "c", resourceVersion: "1" },
    spec: { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } },
    status: { observedGeneration: 1, conditions: [condition] },
  };
}

/** One look at an object under deletion. @returns how it ended, and what was told */
async function look(
  situation: Situation,
  work: (session: Session) => Promise<string> = () => Promise.resolve("deleted"),
) {
  const { minutes = 0, terminating = false, connection, session, annotated, unconfirmed } = situation;
  const { tried = minutes } = situation;
  if (terminating) kept.server.delete("namespaces", "", "ns");
  const stores = storesWith(connection === undefined ? [] : [connectionObject(connection)]);
  const events: EventDraft[] = [];
  const { clock, kube } = kept;
  const deletionTimestamp = new Date(clock.now() - (minutes - tried) * MINUTE_MS).toISOString();
  const deletions = new DeletionTimes(clock, () => kube.serverNow());
  deletions.elapsedMs({ uid: "uid", deletionTimestamp });
  clock.advance(tried * MINUTE_MS);
  const environment = testEnvironment({
    clock,
    kube,
    stores,
    deletions,
    onEvent: (draft) => void events.push(draft),
  });
  if (session !== undefined) environment.sessions.set(connectionOf("ns", session));
  const object: KubeObject = {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: {
      name: "shop",
      namespace: "ns",
      uid: "uid",
      resourceVersion: "1",
      deletionTimestamp,
      ...(annotated === undefined ? {} : { annotations: { [annotations.release]: annotated } }),
    },
    status: { observedGeneration: 1, conditions: [], ref: REF, recordedFor: "uid" },
  };
  const sought: Sought = { kind: "project", ref: REF };
  const target = { sought, ref: REF, timeout: "15m", unconfirmed };
  try {
    return { ended: await deleteRemotely(runOf(environment, projectKind, object), target, work), events };
  } catch (error) {
    const outcome = classify(error);
    return { ended: "reason" in outcome ? `${outcome.kind} ${outcome.reason}` : outcome.kind, events, outcome };
  }
}

const works = { connection: { status: "True", reason: "Available" }, session: {} } as const;
const rejected = { connection: { status: "False", reason: "CredentialInvalid" } } as const;
const leaving = { connection: { status: "False", reason: "CredentialTerminating" } } as const;
const down = { connection: { status: "False", reason: "ServerUnavailable" } } as const;

describe("a deletion without a connection that works", () => {
  it.each<Situation & { readonly why: string; readonly ends: string }>([
    { why: "nothing is in the way", ...works, ends: "deleted" },
    {
      why: "a credential that is being deleted may still be used for this",
      connection: works.connection,
      session: { deletionOnly: true },
      ends: "deleted",
    },
    { why: "there is none: it waits for the bound", ends: "waiting DeletionBlocked" },
    { why: "there is none, and the bound has passed", minutes: 15, ends: "released" },
    { why: "the bound has passed while nobody tried", minutes: 20, tried: 1.9, ends: "waiting DeletionBlocked" },
    { why: "and then it was tried", minutes: 22, tried: 2, ends: "released" },
    { why: "its token is not accepted", ...rejected, minutes: 14, ends: "waiting DeletionBlocked" },
    ...(["CredentialInvalid", "CredentialRevoked", "RefreshTokenLost", "AssertionRefused"] as const).map((reason) => ({
      why: `its credential is still not accepted at the bound: ${reason}`,
      connection: { status: "False", reason } as const,
      minutes: 15,
      ends: "released",
    })),
    {
      why: "its Secret is being deleted, and may be opened for this yet",
      ...leaving,
      minutes: 14,
      ends: "waiting ConnectionNotReady",
    },
    { why: "nothing in its Secret opened it before the bound", ...leaving, minutes: 15, ends: "released" },
    {
      why: "the platform is down: somebody must see to it, however long it takes",
      ...down,
      minutes: 1000,
      ends: "terminal DeletionBlocked",
    },
    {
      why: "the platform is down, and the namespace goes: it waits for the bound",
      ...down,
      terminating: true,
      ends: "waiting DeletionBlocked",
    },
    { why: "and is let go at the bound", ...down, terminating: true, minutes: 15, ends: "released" },
    {
      why: "a connection that worked is only not open yet in this process",
      connection: works.connection,
      ends: "waiting ConnectionNotReady",
    },
    {
      why: "and is not yet, after the bound has passed while nobody tried",
      connection: works.connection,
      minutes: 1000,
      tried: 0,
      ends: "waiting ConnectionNotReady",
    },
    { why: "let go by hand, whatever else", annotated: REF, ends: "released" },
    { why: "let go by hand though it could be deleted", ...works, annotated: REF, ends: "released" },
    { why: "a hand that names another ref lets nothing go", ...works, annotated: "another", ends: "deleted" },
    {
      why: "a record that nothing but its annotation has, where the connection does not let it be taken over",
      ...works,
      session: { allowedRefs: [] },
      unconfirmed: REF,
      ends: "leftAlone",
    },
    { why: "and where it does", ...works, session: { allowedRefs: [REF] }, unconfirmed: REF, ends: "deleted" },
  ])("ends as $ends: $why", async ({ ends, why: _why, ...situation }) => {
    expect((await look(situation)).ended).toBe(ends);
  });

  it("says how to let it go, and looks again before the bound", async () => {
    const { outcome } = await look({ ...rejected, minutes: 14.9 });
    expect(outcome).toMatchObject({
      message: expect.stringContaining(`annotate the object ${annotations.release}: ${REF}`),
    });
    expect(outcome).toMatchObject({ retryAfterMs: 6000 });
  });
});

describe("remote work that fails", () => {
  const refused = (): Promise<string> => Promise.reject(terminal("Rejected", "the platform says no"));
  const slow = (): Promise<string> => Promise.reject(waiting("Deleting", "it is going down", 30_000));
  const underWay = (): Promise<string> => Promise.reject(new UnderWayError("it is going down", 0));
  const broken = (): Promise<string> => Promise.reject(new TransientError("ServerUnavailable", "it does not answer"));
  const throttled = (minutes: number) => (): Promise<string> => {
    const failure = { code: "BUDGET", retryAfterMs: 30_000, refusedForMs: minutes * MINUTE_MS } as const;
    return Promise.reject(
      explain(new ApiError("projects.delete", failure, { message: "spent" }), "delete the project"),
    );
  };
  const unauthorized = (): Promise<string> => {
    const answer = new ApiError("projects.delete", { code: "UNAUTHORIZED", status: 401 }, { message: "no" });
    return Promise.reject(explain(answer, "delete the project"));
  };

  it.each<Situation & { readonly why: string; readonly work: () => Promise<string>; readonly ends: string }>([
    {
      why: "a refusal holds the object until somebody acts",
      work: refused,
      minutes: 1000,
      ends: "terminal DeletionBlocked",
    },
    {
      why: "a refusal in a Terminating namespace waits for the bound",
      work: refused,
      terminating: true,
      ends: "waiting DeletionBlocked",
    },
    { why: "and is let go there", work: refused, terminating: true, minutes: 15, ends: "released" },
    {
      why: "a credential that is in memory alone and not accepted any more is none",
      work: unauthorized,
      session: { deletionOnly: true },
      minutes: 15,
      ends: "released",
    },
    {
      why: "of one that its connection can look at, that looks whether it is accepted",
      work: unauthorized,
      minutes: 15,
      ends: "terminal DeletionBlocked",
    },
    {
      why: "its turn in a long queue comes, however long that takes",
      work: throttled(0),
      terminating: true,
      minutes: 1000,
      ends: "rateLimited",
    },
    {
      why: "a platform that has refused everything for less than the bound may let it through yet",
      work: throttled(14),
      terminating: true,
      minutes: 1000,
      ends: "rateLimited",
    },
    {
      why: "one that has for as long as that refuses for ever: in a Terminating namespace it is let go",
      work: throttled(15),
      terminating: true,
      minutes: 15,
      ends: "released",
    },
    {
      why: "and elsewhere told, and held",
      work: throttled(1000),
      minutes: 1000,
      ends: "terminal DeletionBlocked",
    },
    { why: "what takes time is waited for", work: slow, ends: "waiting Deleting" },
    { why: "what takes too long is told, and held", work: slow, minutes: 16, ends: "terminal DeletionBlocked" },
    { why: "what was accepted late takes its time", work: underWay, minutes: 16, ends: "waiting Deleting" },
    {
      why: "what takes too long in a Terminating namespace is let go",
      work: slow,
      terminating: true,
      minutes: 16,
      ends: "released",
    },
  ])("ends as $ends: $why", async ({ work, ends, why: _why, ...situation }) => {
    expect((await look({ ...works, ...situation }, work)).ended).toBe(ends);
  });

  it.each<{
    readonly why: string;
    readonly work: () => Promise<string>;
    readonly minutes: number;
    readonly in: unknown;
  }>([
    { why: "a rest of up to 5 min ends before the bound", work: broken, minutes: 10, in: undefined },
    { why: "a longer one than is left would pass it by", work: broken, minutes: 13, in: 30_000 },
    { why: "the last look is at the bound", work: broken, minutes: 14.75, in: 15_000 },
    { why: "also at what takes time", work: slow, minutes: 14.75, in: 15_000 },
  ])("is looked at again in time: $why", async ({ work, minutes, in: retryAfterMs }) => {
    const { outcome } = await look({ ...works, minutes }, work);
    expect(outcome).toHaveProperty("kind", work === slow ? "waiting" : "transient");
    expect(outcome && "retryAfterMs" in outcome ? outcome.retryAfterMs : undefined).toBe(retryAfterMs);
  });
});

describe("what is let go with something left remotely", () => {
  it("is told where it outlives the object: by an event about the namespace, and a line in the operator's own ConfigMap", async () => {
    const { events } = await look({ minutes: 15 });
    const [about] = events.filter(({ type }) => type === "Warning");
    expect(about).toMatchObject({ reason: "Released", regarding: { kind: "Namespace", metadata: { name: "ns" } } });
    expect(about?.note).toContain(`project ${REF} stays`);
    const lines = Object.values(kept.server.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {});
    expect(lines.map((line) => JSON.parse(String(line)) as unknown)).toEqual([
      expect.objectContaining({ kind: "Project", object: "ns/shop", remote: `project ${REF}`, cause: "NoCredential" }),
    ]);
  });

  it("is told once, though the look is repeated because the process died after it", async () => {
    await look({ minutes: 15 });
    await look({ minutes: 15 });
    expect(Object.keys(kept.server.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {})).toHaveLength(1);
  });
});
