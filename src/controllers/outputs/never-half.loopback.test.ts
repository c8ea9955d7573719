import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import {
  applyBranch,
  applyProject,
  branchStatus,
  configMapData,
  listedKeys,
  permitAllBut,
  projectCondition,
  projectStatus,
  secretData,
} from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** Whoever reads an output reads it as it was or as it is to be, whole: nothing of one ref beside another's, and nothing of what is not valid any more. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

type Data = Readonly<Record<string, string>> | undefined;

const BOTH = { writeConnectionSecretToRef: { name: "out" }, writeConnectionConfigMapToRef: { name: "out" } };

/** The same for every project. */
const COMMON = /^(type|provider|(pooler-(transaction|session)-)?port|database|username|pooler-host)$/u;

/** Keys whose texts are as they were. */
function kept(before: Data, now: Data): readonly string[] {
  return Object.keys(now ?? {}).filter((key) => !COMMON.test(key) && now?.[key] === before?.[key]);
}

async function settled(kind: "Project" | "Branch", name: string): Promise<void> {
  expect(await life.settle(kind, name)).toMatchObject({ kind: "done" });
}

/** Runs until the object is as declared, and checks both outputs after each run. */
async function runWhole(kind: "Project" | "Branch", name: string, check: () => void): Promise<void> {
  let lane: "drift" | "progress" = "drift";
  for (let run = 0; run < 60; run += 1) {
    const outcome = await life.run(kind, name, lane);
    check();
    if (outcome.kind === "done") return;
    await theatre.pass(2000);
    lane = "progress";
  }
  throw new Error(`${kind} ${name} did not come to rest`);
}

/** Both outputs are what they were, or neither has anything of that. */
function wholeSince(): () => void {
  const before = { secret: secretData(theatre, "out"), configMap: configMapData(theatre, "out") };
  expect([before.secret, before.configMap]).not.toContain(undefined);
  return () => {
    const now = { secret: secretData(theatre, "out"), configMap: configMapData(theatre, "out") };
    if (JSON.stringify(now) === JSON.stringify(before)) return;
    expect(kept(before.secret, now.secret)).toEqual(["password"].filter((key) => isGenerated(before.secret, key)));
    expect(kept(before.configMap, now.configMap)).toEqual([]);
    expect(Object.keys(now.secret ?? {}).toSorted()).toEqual(Object.keys(before.secret ?? {}).toSorted());
  };
}

/** The password of a project that is made anew is the one of its Secret, as before. */
function isGenerated(data: Data, key: string): boolean {
  return data?.[key] === secretData(theatre, "shop-database-password")?.["password"];
}

async function projectIsGone(): Promise<void> {
  const { ref = "" } = projectStatus(theatre);
  await theatre.emulator.control.projects.remove({ ref });
  const metadata = { name: "shop", namespace: NAMESPACE };
  const { annotations } = theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata ?? {};
  theatre.kubernetes.put("projects", {
    metadata: { ...metadata, annotations: { ...annotations, "baas.dev/recreate": ref } },
  });
}

describe("[K-08] another project or branch behind an output", () => {
  it("that is made again as somebody asks is read whole, while its keys are awaited", async () => {
    applyProject(theatre, BOTH);
    await settled("Project", "shop");
    const whole = wholeSince();
    const { ref } = projectStatus(theatre);
    await projectIsGone();
    await listedKeys(theatre, [], 3);
    await runWhole("Project", "shop", whole);
    expect(projectStatus(theatre).ref).not.toBe(ref);
    expect(secretData(theatre, "out")?.["host"]).toBe(projectStatus(theatre).host);
    expect(configMapData(theatre, "out")?.["host"]).toBe(projectStatus(theatre).host);
  });

  it("that is a branch and comes back by itself is read whole, while its keys are awaited", async () => {
    applyProject(theatre, {});
    await settled("Project", "shop");
    applyBranch(theatre, BOTH);
    await settled("Branch", "preview");
    const whole = wholeSince();
    const { ref = "", parentRef = "" } = branchStatus(theatre);
    await life.client.branches.delete({ branch_id_or_ref: ref }, { parentRef });
    await theatre.pass(600_000);
    await listedKeys(theatre, [], 5);
    await runWhole("Branch", "preview", whole);
    expect(branchStatus(theatre).ref).not.toBe(ref);
    expect(secretData(theatre, "out")?.["host"]).toBe(branchStatus(theatre).host);
    expect(configMapData(theatre, "out")?.["host"]).toBe(branchStatus(theatre).host);
  });

  it("leaves nothing of the one before, also where the token may not see what takes its place", async () => {
    applyProject(theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(theatre, "out");
    await permitAllBut(theatre, "api_gateway_keys_secret_read", "database_pooling_config_read");
    await projectIsGone();
    await settled("Project", "shop");
    const now = secretData(theatre, "out");
    expect(kept(before, now)).toEqual(["password"]);
    expect(Object.keys(now ?? {}).toSorted()).toEqual(
      ["database", "host", "password", "port", "provider", "type", "uri", "url", "username"].toSorted(),
    );
    expect(Object.keys(configMapData(theatre, "out") ?? {})).not.toContain("pooler-host");
    expect(projectCondition(theatre, "OutputsComplete")).toMatchObject({ status: "False", reason: "Forbidden" });
  });
});

describe("an output of the same project", () => {
  it("says of which one it is, and is written once where it does not", async () => {
    applyProject(theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(theatre, "out");
    const { ref } = projectStatus(theatre);
    const marks = (): unknown[] =>
      (["secrets", "configmaps"] as const).map(
        (plural) => theatre.kubernetes.get(plural, NAMESPACE, "out")?.metadata.annotations?.["baas.dev/output-of"],
      );
    expect(marks()).toEqual([ref, ref]);
    theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE, annotations: {} } });
    expect(marks()).toEqual([undefined, ref]);
    await theatre.pass(600_000);
    await life.run("Project", "shop", "drift");
    expect([marks(), secretData(theatre, "out")]).toEqual([[ref, ref], before]);
    const { version } = theatre.kubernetes;
    await theatre.pass(600_000);
    await life.run("Project", "shop", "drift");
    expect(theatre.kubernetes.version).toBe(version);
  });

  it("[K-08] whose keys are edited holds the old ones until all new ones are there", async () => {
    applyProject(theatre, { writeConnectionSecretToRef: { name: "out", keys: [{ key: "ref" }, { key: "url" }] } });
    await settled("Project", "shop");
    const before = secretData(theatre, "out");
    await listedKeys(theatre, [], 3);
    applyProject(theatre, { writeConnectionSecretToRef: { name: "out", keys: [{ key: "uri" }, { key: "anon-key" }] } });
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "waiting", reason: "OutputsAwaited" });
    expect(secretData(theatre, "out")).toEqual(before);
    expect(projectStatus(theatre).binding).toEqual({ name: "out" });
    await settled("Project", "shop");
    expect(Object.keys(secretData(theatre, "out") ?? {}).toSorted()).toEqual(
      ["anon-key", "provider", "type", "uri"].toSorted(),
    );
  });

  it("[K-08] that somebody deletes is nothing to bind to until all of it can be written again", async () => {
    applyProject(theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(theatre, "out");
    theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await listedKeys(theatre, [], 2);
    await theatre.pass(600_000);
    expect(await life.run("Project", "shop", "drift")).toMatchObject({ kind: "waiting", reason: "OutputsAwaited" });
    expect([secretData(theatre, "out"), projectStatus(theatre).binding]).toEqual([undefined, undefined]);
    await settled("Project", "shop");
    expect([secretData(theatre, "out"), projectStatus(theatre).binding]).toEqual([before, { name: "out" }]);
  });

  it("under deletion is left alone, and made again once it is gone", async () => {
    applyProject(theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(theatre, "out");
    const metadata = { name: "out", namespace: NAMESPACE };
    const data = { host: Buffer.from("elsewhere").toString("base64") };
    theatre.kubernetes.put("secrets", { metadata: { ...metadata, finalizers: ["somebody.test/else"] }, data });
    theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await theatre.pass(600_000);
    expect(await life.run("Project", "shop", "drift")).toMatchObject({ kind: "waiting", reason: "OutputsAwaited" });
    expect(secretData(theatre, "out")).toEqual({ host: "elsewhere" });
    theatre.kubernetes.put("secrets", { metadata: { ...metadata, finalizers: [] } });
    theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await settled("Project", "shop");
    expect(secretData(theatre, "out")).toEqual(before);
  });

  it("loses what cannot be read and was made of what changed, and keeps the rest", async () => {
    const password = (text: string) =>
      theatre.kubernetes.put("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "db", namespace: NAMESPACE },
        data: { password: Buffer.from(text).toString("base64") },
      });
    password("first");
    applyProject(theatre, { ...BOTH, databasePassword: { secretKeyRef: { name: "db" } } });
    await settled("Project", "shop");
    const before = secretData(theatre, "out") ?? {};
    await permitAllBut(theatre, "api_gateway_keys_secret_read", "database_pooling_config_read");
    await theatre.pass(600_000);
    await life.run("Project", "shop", "drift");
    expect(secretData(theatre, "out")).toEqual(before);
    password("second");
    await settled("Project", "shop");
    const now = secretData(theatre, "out") ?? {};
    expect(Object.values(now).filter((text) => text.includes("first"))).toEqual([]);
    expect([now["password"], now["anon-key"]]).toEqual(["second", before["anon-key"]]);
    expect(Object.keys(before).filter((key) => !(key in now))).toEqual([
      "pooler-transaction-uri",
      "pooler-session-uri",
    ]);
    expect(configMapData(theatre, "out")).toHaveProperty("pooler-host");
  });
});
