import { describe, expect, it } from "vitest";
import { setKeyByHand, SHOWN, shownKey } from "../../test/support/controllers/env-secret.ts";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";
import { projectKind } from "../resources/project/kind.ts";
import type { KubeObject } from "../resources/meta.ts";
import { KEY_RING_NAME } from "./shared/key-ring.ts";

/** engine.md §6: a newer key in the ring is for what is sent later. By itself it has nothing written, asked for or told, after a start either. */

const stage = operatorInEach();

const RING = { namespace: "baas-system", name: KEY_RING_NAME };
/** In which each object is looked at. */
const DRIFT_MS = 600_000;
const encode = (text: string): string => Buffer.from(text).toString("base64");

function put(kind: "Project" | "Secret", name: string, spec: object): void {
  const plural = { Project: "projects", Secret: "secrets" }[kind];
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function putValues(key: string): void {
  const data = { KEY: encode(key), password: encode("a-long-password") };
  const metadata = { name: "values", namespace: NAMESPACE };
  stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

/** The key that the platform has. */
async function putRootKey(): Promise<void> {
  const { client } = await stage.theatre.life();
  const { root_key: rootKey } = await client.encryptionKey.get({ ref: refOf() });
  const metadata = { name: "root", namespace: NAMESPACE };
  const data = { rootKey: encode(rootKey) };
  stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

/** Other labels alone: a version that nothing is written of. */
function touchValues(): void {
  const { kubernetes } = stage.theatre;
  const found = kubernetes.get("secrets", NAMESPACE, "values");
  if (found === undefined) throw new Error("there is no Secret values");
  kubernetes.put("secrets", { ...found, metadata: { ...found.metadata, labels: { touched: "yes" } } });
}

/** All that keeps a mark: a password, a setting, the root key, a Secret object and outputs; for a refusal see sections/refused-data.loopback.test.ts. */
async function apply(secret: object = {}): Promise<void> {
  const clientSecret = { secretKeyRef: { name: "values", key: "KEY" } };
  putValues("one");
  const spec = {
    organization: "acme",
    databasePassword: { secretKeyRef: { name: "values", key: "password" } },
    auth: { providers: { github: { enabled: true, clientId: "x", clientSecret } } },
    writeConnectionSecretToRef: { name: "out" },
    writeConnectionConfigMapToRef: { name: "out" },
  };
  put("Project", "shop", spec);
  const from = [{ secretRef: { name: "values" }, keys: [{ key: "KEY" }] }];
  put("Secret", "env", { projectRef: { name: "shop" }, from, ...secret });
  await settle(() => isReady("projects", "shop") && isReady("secrets", "env"));
  await putRootKey();
  put("Project", "shop", { ...spec, encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } } });
  await settle(() => isReady("projects", "shop"));
}

async function settle(done: () => boolean): Promise<void> {
  stage.operator.look();
  await stage.operator.advanceUntil(done);
  await stage.operator.advance(60_000);
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

function find(plural: string, name: string): KubeObject {
  const kind = plural === "projects" ? "Project" : "Secret";
  const found = stage.theatre.kubernetes
    .list(plural)
    .find(({ metadata, apiVersion, ...one }) => metadata.name === name && one["kind"] === kind && apiVersion !== "v1");
  if (found === undefined) throw new Error(`there is no ${plural} ${name}`);
  return found;
}

function conditionOf(plural: string, name: string, type: string): { readonly status: string } | undefined {
  return ((find(plural, name)["status"] ?? {}) as Status).conditions?.find((one) => one.type === type);
}

function isReady(plural: string, name: string): boolean {
  return conditionOf(plural, name, "Ready")?.status === "True";
}

/** Puts a newer key beside the one that made all marks. @param keep whether that one stays */
function rotate({ keep }: { readonly keep: boolean }): void {
  const { kubernetes } = stage.theatre;
  const before = kubernetes.get("secrets", RING.namespace, RING.name)?.["data"] as object;
  const data = { ...(keep ? before : {}), current: encode("newer"), newer: encode("k".repeat(32)) };
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: RING, data });
}

/** What a start, and two hours of it, have written to either server, and told. */
async function started(): Promise<{
  readonly kube: number;
  readonly remote: readonly string[];
  readonly told: readonly string[];
}> {
  const { kubernetes, emulator } = stage.theatre;
  const { last } = await emulator.control.log.read({});
  const before = kubernetes.writes;
  await using operator = await WholeOperator.start(stage.theatre);
  await operator.advance(7_200_000);
  const { entries } = await emulator.control.log.read({ after: last });
  const remote = entries.flatMap(({ method, operation }) => (method === "GET" ? [] : [operation ?? "unknown"]));
  return { kube: kubernetes.writes - before, remote, told: operator.events.map(({ reason }) => reason) };
}

const NOTHING = { kube: 0, remote: [], told: [] };

const shown = (): Promise<readonly string[]> => shownKey(stage.theatre, refOf());
const setByHand = (): Promise<void> => setKeyByHand(stage.theatre, refOf());

function refOf(): string {
  return projectKind.parseStatus(find("projects", "shop")).ref ?? "none";
}

describe("a newer key in the ring", () => {
  it("has nothing written, asked for or told of what is at rest, after a start", async () => {
    await apply();
    rotate({ keep: true });
    expect(await started()).toEqual(NOTHING);
  });

  it("nor where the Secrets are other versions with the same values", async () => {
    await apply();
    touchValues();
    stage.operator.look();
    await stage.operator.advance(60_000);
    rotate({ keep: true });
    expect(await started()).toEqual(NOTHING);
  });

  it.each([
    { what: "stays", keep: true },
    { what: "is lost", keep: false },
  ])(
    "makes no edit of what somebody set by hand, where the key of the mark $what and the Secret is another version with the same values",
    async ({ keep }) => {
      await apply({ driftPolicy: "Report" });
      touchValues();
      stage.operator.look();
      await stage.operator.advance(60_000);
      rotate({ keep });
      await setByHand();
      await started();
      expect(conditionOf("secrets", "env", "Drifted")?.status).toBe("True");
      expect(await shown()).toEqual([SHOWN.byHand]);
    },
  );

  it.each([
    { what: "stays", keep: true },
    { what: "is lost", keep: false },
  ])("makes the marks of what is edited later, where the key before it $what", async ({ keep }) => {
    await apply({ driftPolicy: "Report" });
    rotate({ keep });
    await using operator = await WholeOperator.start(stage.theatre);
    await operator.advance(DRIFT_MS);
    putValues("two");
    operator.look();
    await operator.advance(60_000);
    expect(await shown()).toEqual([SHOWN.two]);
    expect(JSON.stringify(find("secrets", "env")["status"])).toContain('"valuesMark":"newer:');
  });
});
