import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { KEY_RING_NAME } from "../shared/key-ring.ts";

/** What was refused hangs on the values that it was made of: another version of a Secret or ConfigMap with the same ones asks for nothing. */

let stage: SectionStage;
/** What happens before the operator's next request; default: nothing. */
let between: () => void;

beforeEach(async () => {
  between = () => undefined;
  stage = await openSectionStage(
    { seed: { organizations: [{ slug: "acme", name: "Acme", plan: "free" }] } },
    { onRequest: () => between() },
  );
  stage.putSecret("github", { clientSecret: "one" });
  stage.putSecret("hook", { secrets: HOOK_SECRET });
  stage.putConfigMap("texts", { body: "<p>one</p>" });
});

afterEach(() => stage[Symbol.asyncDispose]());

const WRITE = "authConfig.update";
const HOOK_SECRET = `v1,whsec_${Buffer.from("one".repeat(12)).toString("base64")}`;
const OTHER_HOOK_SECRET = `v1,whsec_${Buffer.from("two".repeat(12)).toString("base64")}`;

const auth = {
  passwords: { minLength: 12 },
  providers: { github: { enabled: true, clientId: "x", clientSecret: { secretKeyRef: { name: "github" } } } },
  mailer: { templates: { invite: { content: { configMapKeyRef: { name: "texts", key: "body" } } } } },
};
const hook = { enabled: true, uri: "https://hooks.example.com", secrets: { secretKeyRef: { name: "hook" } } };
const gated = { auth: { ...auth, hooks: { sendSms: hook } } };

const written = async (): Promise<number> => (await stage.calls()).filter((id) => id === WRITE).length;

async function refuseAll(): Promise<void> {
  const fault = { kind: "status", status: 400, body: { message: "not now" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation: WRITE, count: null, fault });
}

async function applyGated(): Promise<void> {
  expect(await stage.apply(gated)).toMatchObject({ kind: "terminal", reason: "PlanLimit" });
  expect(stage.entry("auth")?.refused?.fields).toContain("spec.auth.hooks.sendSms.enabled");
  await stage.calls();
}

async function applyRefused(): Promise<void> {
  await refuseAll();
  expect(await stage.apply({ auth })).toMatchObject({ kind: "terminal", reason: "Rejected" });
  expect(stage.entry("auth")?.refused).not.toHaveProperty("fields");
  await stage.calls();
}

/** As operators of secrets do that write down when they looked. */
function annotate(plural: "secrets" | "configmaps", name: string): void {
  const { kubernetes } = stage.theatre;
  const found = kubernetes.get(plural, NAMESPACE, name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  const annotations = { "example.com/looked-at": kubernetes.version };
  kubernetes.put(plural, { ...found, metadata: { ...found.metadata, annotations } });
}

const SAME = [
  { what: "a Secret with other annotations", change: () => annotate("secrets", "github") },
  { what: "the hook's own Secret with other annotations", change: () => annotate("secrets", "hook") },
  { what: "a ConfigMap with other annotations", change: () => annotate("configmaps", "texts") },
  {
    what: "a Secret with another key beside the one that is named",
    change: () => stage.putSecret("github", { clientSecret: "one", other: "two" }),
  },
];

const ANOTHER = [
  { what: "a Secret", change: () => stage.putSecret("github", { clientSecret: "two" }) },
  { what: "a ConfigMap", change: () => stage.putConfigMap("texts", { body: "<p>two</p>" }) },
];

describe("fields that were refused", () => {
  beforeEach(applyGated);

  it("are not asked for again where the ring of the marks has a newer key, after a start", async () => {
    const { kubernetes } = stage.theatre;
    const ring = { namespace: "baas-system", name: KEY_RING_NAME };
    const before = kubernetes.get("secrets", ring.namespace, ring.name)?.["data"] as object;
    const data = { ...before, current: btoa("newer"), newer: btoa("k".repeat(32)) };
    kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: ring, data });
    const writes = kubernetes.writes;
    const life = await stage.theatre.life();
    for (const lane of ["change", "drift"] as const) await life.run("Project", "shop", lane);
    expect([await written(), kubernetes.writes - writes]).toEqual([0, 0]);
  });

  it.each(SAME)("are not asked for again by $what", async ({ change }) => {
    change();
    for (const lane of ["change", "drift"] as const) await stage.run(lane);
    expect(await written()).toBe(0);
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", reason: "PlanLimit" });
  });

  it("are asked for at once, and once, with another value in their own Secret", async () => {
    stage.putSecret("hook", { secrets: OTHER_HOOK_SECRET });
    await stage.run("change");
    expect(await written()).toBe(1);
    for (const lane of ["change", "drift"] as const) await stage.run(lane);
    expect(await written()).toBe(0);
  });

  it.each(ANOTHER)("are not asked for with another value in $what beside them, which is written", async (one) => {
    const { refused } = stage.entry("auth") ?? {};
    one.change();
    await stage.run("change");
    expect(await written()).toBe(1);
    for (const lane of ["change", "drift"] as const) await stage.run(lane);
    expect(await written()).toBe(0);
    expect(stage.entry("auth")).toMatchObject({ state: "Failed", refused });
  });
});

describe("a section that was refused", () => {
  beforeEach(applyRefused);

  it.each(SAME.filter(({ what }) => !what.includes("hook")))("is not asked for again by $what", async ({ change }) => {
    change();
    await stage.run("change");
    expect(await written()).toBe(0);
  });

  it.each(ANOTHER)("is asked for at once, and once, with another value in $what", async ({ change }) => {
    change();
    await stage.run("change");
    expect(await written()).toBe(1);
    for (const lane of ["change", "drift"] as const) await stage.run(lane);
    expect(await written()).toBe(0);
  });

  it("waits for a Secret that is there no more", async () => {
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "github");
    expect(await stage.run("change")).toMatchObject({ kind: "waiting", reason: "ReferenceNotFound" });
  });
});

it("what changes while the platform refuses what was there before is asked for by the next run", async () => {
  await stage.apply({ auth: { passwords: { minLength: 12 } } });
  await refuseAll();
  stage.putSecret("github", { clientSecret: "one" });
  await stage.calls();
  between = () => {
    // What is about to be sent is recorded: its Secrets are read by then.
    if (stage.entry("auth")?.sending === undefined) return;
    between = () => undefined;
    stage.putSecret("github", { clientSecret: "two" });
  };
  await stage.start({ auth });
  expect(await written()).toBe(1);
  await stage.run("change");
  expect(await written()).toBe(1);
  await stage.run("change");
  expect(await written()).toBe(0);
});
