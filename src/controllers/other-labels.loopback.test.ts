import { describe, expect, it } from "vitest";
import { setKeyByHand, SHOWN, shownKey } from "../../test/support/controllers/env-secret.ts";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";
import { projectKind } from "../resources/project/kind.ts";
import { secretKind } from "../resources/secret/kind.ts";

/** Secrets and ConfigMaps with other labels or annotations and the same values: as operators of secrets write, time and again. */

const stage = operatorInEach();

const USERS = [
  { plural: "projects", name: "shop" },
  { plural: "branches", name: "preview" },
  { plural: "secrets", name: "env" },
  { plural: "edgefunctions", name: "hello" },
] as const;

const VALUES = { apiVersion: "v1", kind: "Secret", metadata: { name: "values", namespace: NAMESPACE } } as const;

function put(plural: (typeof USERS)[number]["plural"], name: string, spec: object): void {
  const kind = { projects: "Project", branches: "Branch", secrets: "Secret", edgefunctions: "EdgeFunction" }[plural];
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function putValues(value: string): void {
  const data = { KEY: btoa(value), password: btoa("a-long-password") };
  stage.theatre.kubernetes.put("secrets", { ...VALUES, data });
}

/** Everything that is made of a Secret or a ConfigMap, Ready. */
async function apply({ secret = {} }: { readonly secret?: object } = {}): Promise<void> {
  const clientSecret = { secretKeyRef: { name: "values", key: "KEY" } };
  const auth = { providers: { github: { enabled: true, clientId: "x", clientSecret } } };
  const { kubernetes } = stage.theatre;
  putValues("one");
  const metadata = { name: "source", namespace: NAMESPACE };
  kubernetes.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "index.ts": "// one" } });
  const projectRef = { name: "shop" };
  const databasePassword = { secretKeyRef: { name: "values", key: "password" } };
  put("projects", "shop", { organization: "acme", name: "shop", databasePassword, auth });
  put("branches", "preview", { projectRef, auth });
  put("secrets", "env", { projectRef, from: [{ secretRef: { name: "values" }, keys: [{ key: "KEY" }] }], ...secret });
  put("edgefunctions", "hello", { projectRef, source: { configMapRef: { name: "source" } } });
  stage.operator.look();
  await stage.operator.advanceUntil(() => USERS.every(({ plural, name }) => isReady(plural, name)));
  await stage.operator.advance(60_000);
}

function isReady(plural: string, name: string): boolean {
  return conditionOf(plural, name, "Ready")?.status === "True";
}

interface Status {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

function conditionOf(plural: string, name: string, type: string): { readonly status: string } | undefined {
  const found = find(plural, name);
  return ((found["status"] ?? {}) as Status).conditions?.find((one) => one.type === type);
}

function find(plural: string, name: string) {
  const found = stage.theatre.kubernetes.list(plural).find(({ metadata, apiVersion }) => {
    return metadata.name === name && apiVersion.startsWith("baas.dev/") === USERS.some((one) => one.name === name);
  });
  if (found === undefined) throw new Error(`there is no ${plural} ${name}`);
  return found;
}

const versions = () => USERS.map(({ plural, name }) => `${name} ${find(plural, name).metadata.resourceVersion}`);

async function annotate(plural: "secrets" | "configmaps", name: string, looked: string): Promise<void> {
  const found = find(plural, name);
  const annotations = { "example.com/looked-at": looked };
  stage.theatre.kubernetes.put(plural, { ...found, metadata: { ...found.metadata, annotations } });
  stage.operator.look();
  await stage.operator.advance(60_000);
}

const shown = (): Promise<readonly string[]> => shownKey(stage.theatre, refOf());
const setByHand = (): Promise<void> => setKeyByHand(stage.theatre, refOf());

function refOf(): string {
  return projectKind.parseStatus(find("projects", "shop")).ref ?? "none";
}

describe("other annotations of what objects are made of", () => {
  it("are no write to any of them, however often they change, and another value is one", async () => {
    await apply();
    const before = versions();
    for (const looked of ["once", "twice", "three times"]) {
      await annotate("secrets", "values", looked);
      await annotate("configmaps", "source", looked);
    }
    expect(versions()).toEqual(before);
    putValues("two");
    stage.operator.look();
    await stage.operator.advance(60_000);
    expect(versions()).not.toEqual(before);
    expect(await shown()).toEqual([SHOWN.two]);
  });

  it("are no write after a start, either", async () => {
    await apply();
    const before = versions();
    await annotate("secrets", "values", "once");
    await using operator = await WholeOperator.start(stage.theatre);
    await operator.advance(3_600_000);
    expect(versions()).toEqual(before);
  });

  it("are no edit: what somebody set by hand is told and left under driftPolicy Report, after a start as well", async () => {
    await apply({ secret: { driftPolicy: "Report" } });
    await annotate("secrets", "values", "once");
    await setByHand();
    await using operator = await WholeOperator.start(stage.theatre);
    await operator.advance(3_600_000);
    expect(conditionOf("secrets", "env", "Drifted")?.status).toBe("True");
    expect(await shown()).toEqual([SHOWN.byHand]);
  });

  it("are an edit where another value was on its way before: what may have been set of that is set back", async () => {
    await apply({ secret: { driftPolicy: "Report" } });
    const { faults } = stage.theatre.emulator.control;
    await faults.add({
      operation: "secrets.create",
      count: null,
      fault: { kind: "status", status: 500, phase: "after" },
    });
    await faults.add({ operation: "secrets.list", skip: 1, count: null, fault: { kind: "status", status: 500 } });
    putValues("two");
    stage.operator.look();
    await stage.operator.advance(10_000);
    await faults.clear({});
    expect(await shown()).toEqual([SHOWN.two]);
    putValues("one");
    stage.operator.look();
    await stage.operator.advance(600_000);
    expect(await shown()).toEqual([SHOWN.one]);
  });

  it("are told where functions wait for what may be another environment", async () => {
    await apply({ secret: { redeployOnSecretChange: true } });
    const before = versions();
    await annotate("secrets", "values", "once");
    expect(versions().filter((version) => !before.includes(version))).toHaveLength(1);
    const { sources } = secretKind.parseStatus(find("secrets", "env"));
    expect(sources?.[0]?.resourceVersion).toBe(find("secrets", "values").metadata.resourceVersion);
  });
});
