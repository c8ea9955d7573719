import { expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { annotations, finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import type { Session } from "./sessions.ts";
import { isShutOut } from "./shut-out.ts";

/** ADR 4: who stands behind those who may have what it asks for. Nothing that may be its own is given away. */

const REF = "abcdefghijklmnopqrst";
const ID = "Connection/ns/default";
const ACCOUNT = "account";

function stalled(reason: string, observedGeneration = 1): object {
  const moment = { lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration };
  return { conditions: [{ type: "Stalled", status: "True", reason, message: "", ...moment }] };
}

interface Given {
  readonly connection?: { readonly status?: object; readonly metadata?: object } | undefined;
  readonly session?: Partial<Session>;
  readonly tried?: boolean;
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
}

function judged({ connection, session, tried = true, metadata = {}, spec = {}, status = {} }: Given): boolean {
  const common = { apiVersion: "baas.dev/v1alpha1", status: {} };
  const base = { namespace: "ns", uid: "uid", resourceVersion: "1", generation: 1 };
  const project: KubeObject = {
    ...common,
    kind: "Project",
    metadata: { ...base, name: "shop", ...metadata },
    spec: { organization: "acme", ...spec },
    status,
  };
  const through: KubeObject = {
    ...common,
    kind: "Connection",
    metadata: { ...base, name: "default", uid: "connection", ...connection?.metadata },
    spec: { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } },
    status: connection?.status ?? {},
  };
  const stores = storesWith(connection === undefined ? [project] : [project, through]);
  const environment = testEnvironment({ clock: new ManualClock(), stores });
  if (session !== undefined) environment.sessions.set(connectionOf("ns", session));
  else if (tried) environment.sessions.noteTried(ID);
  return isShutOut(environment, environment.objects.projects.known(project));
}

const refused = { status: stalled("CredentialInvalid") };
const noted = (identity: string, object = "ns/shop", cluster = CLUSTER): object => ({
  annotations: { [annotations.ref]: JSON.stringify({ ref: REF, identity, object, cluster }) },
});
const CLUSTER = testEnvironment({ clock: new ManualClock(), stores: storesWith([]) }).cluster;
const deleting = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const intent = { name: "acme/shop", uid: "uid", fingerprint: "f", time: "2020-01-01T00:00:00Z" };
const letIn = { status: { ...stalled("CredentialInvalid"), identity: { type: "User", id: ACCOUNT, name: "me" } } };

it.each<{ readonly why: string; readonly given: Given; readonly isOut: boolean }>([
  { why: "there is no connection", given: {}, isOut: true },
  { why: "its token is refused", given: { connection: refused }, isOut: true },
  { why: "its token is not there", given: { connection: { status: stalled("CredentialMissing") } }, isOut: true },
  { why: "that was said of an edit before", given: { connection: { status: stalled("NotAllowed", 0) } }, isOut: false },
  { why: "it has not said anything yet", given: { connection: {} }, isOut: false },
  { why: "it complains of something else", given: { connection: { status: stalled("Rejected") } }, isOut: false },
  { why: "it works, whatever it said", given: { connection: refused, session: {} }, isOut: false },
  { why: "its Secret goes", given: { connection: refused, session: { deletionOnly: true } }, isOut: false },
  {
    why: "it is paused, and nobody was let in",
    given: { connection: { metadata: { annotations: { [annotations.paused]: "true" } } }, tried: false },
    isOut: true,
  },
  {
    why: "it is paused, and works on",
    given: { connection: { metadata: { annotations: { [annotations.paused]: "true" } } }, session: {} },
    isOut: false,
  },
  {
    why: "it goes, and somebody else holds it",
    given: { connection: { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["theirs"] } } },
    isOut: true,
  },
  {
    why: "it goes, and we hold it",
    given: {
      connection: {
        metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizers.connectionInUse] },
      },
    },
    isOut: false,
  },
  { why: "its spec is refused", given: { connection: {}, session: {}, status: stalled("InvalidSpec") }, isOut: true },
  {
    why: "its spec was edited since",
    given: { connection: {}, session: {}, metadata: { generation: 2 }, status: stalled("InvalidSpec") },
    isOut: false,
  },
  { why: "it has no room", given: { connection: {}, session: {}, status: stalled("PlanLimit") }, isOut: false },
  { why: "its request is refused", given: { connection: {}, session: {}, status: stalled("Rejected") }, isOut: false },
  {
    why: "its account reads no such project",
    given: { connection: {}, session: {}, spec: { ref: REF }, status: stalled("Rejected") },
    isOut: true,
  },
  { why: "it has a ref", given: { connection: refused, status: { ref: REF } }, isOut: false },
  { why: "it has a ref, and no connection", given: { status: { ref: REF, recordedFor: "uid" } }, isOut: false },
  { why: "it asked for it", given: { connection: refused, status: { intent } }, isOut: false },
  {
    why: "its backup asked for it",
    given: { connection: refused, status: { intent: { ...intent, uid: "former" } } },
    isOut: true,
  },
  {
    why: "it is being deleted",
    given: { connection: refused, metadata: { ...deleting, finalizers: [finalizers.remote] } },
    isOut: false,
  },
  {
    why: "it is being deleted, and somebody else alone holds it",
    given: { connection: {}, session: {}, metadata: { ...deleting, finalizers: ["theirs"] } },
    isOut: true,
  },
  {
    why: "it is being deleted, and has a ref",
    given: { connection: {}, metadata: { ...deleting, finalizers: ["theirs"] }, status: { ref: REF } },
    isOut: false,
  },
  { why: "its record may be lost", given: { connection: letIn, metadata: noted(ACCOUNT) }, isOut: false },
  { why: "somebody typed a record", given: { connection: refused, metadata: noted(ACCOUNT) }, isOut: true },
  { why: "its record is of another account", given: { connection: letIn, metadata: noted("else") }, isOut: true },
  { why: "its record is another's", given: { connection: letIn, metadata: noted(ACCOUNT, "ns/one") }, isOut: true },
  {
    why: "its record is of another cluster",
    given: { connection: letIn, metadata: noted(ACCOUNT, "ns/shop", "elsewhere") },
    isOut: true,
  },
  { why: "it cannot be read", given: { connection: refused, spec: { organization: 1 } }, isOut: false },
])("who merely asks stands behind others: $isOut, where $why", ({ given, isOut }) => {
  expect(judged(given)).toBe(isOut);
});

it("is not judged by what a process before this one found", () => {
  expect(() => judged({ connection: refused, tried: false })).toThrowError(
    expect.objectContaining({ code: "NOT_STARTED" }),
  );
});
