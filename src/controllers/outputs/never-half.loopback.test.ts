import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { lifeInEach } from "../../../test/support/controllers/life-in-each.ts";
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

/** Whoever reads an output reads it as it was or as it is to be, whole: nothing of one ref beside another's, and nothing of what is not valid any more. */

const stage = lifeInEach();

type Data = Readonly<Record<string, string>> | undefined;

const BOTH = { writeConnectionSecretToRef: { name: "out" }, writeConnectionConfigMapToRef: { name: "out" } };

/** The same for every project. */
const COMMON = /^(type|provider|(pooler-(transaction|session)-)?port|database|username|pooler-host)$/u;

/** Keys whose texts are as they were. */
function kept(before: Data, now: Data): readonly string[] {
  return Object.keys(now ?? {}).filter((key) => !COMMON.test(key) && now?.[key] === before?.[key]);
}

async function settled(kind: "Project" | "Branch", name: string): Promise<void> {
  expect(await stage.life.settle(kind, name)).toMatchObject({ kind: "done" });
}

/** Runs until the object is as declared, and checks both outputs after each run. */
async function runWhole(kind: "Project" | "Branch", name: string, check: () => void): Promise<void> {
  let lane: "drift" | "progress" = "drift";
  for (let run = 0; run < 60; run += 1) {
    const outcome = await stage.life.run(kind, name, lane);
    check();
    if (outcome.kind === "done") return;
    await stage.theatre.pass(2000);
    lane = "progress";
  }
  throw new Error(`${kind} ${name} did not come to rest`);
}

/** Both outputs are what they were, or neither has anything of that. */
function wholeSince(): () => void {
  const before = { secret: secretData(stage.theatre, "out"), configMap: configMapData(stage.theatre, "out") };
  expect([before.secret, before.configMap]).not.toContain(undefined);
  return () => {
    const now = { secret: secretData(stage.theatre, "out"), configMap: configMapData(stage.theatre, "out") };
    if (JSON.stringify(now) === JSON.stringify(before)) return;
    expect(kept(before.secret, now.secret)).toEqual(["password"].filter((key) => isGenerated(before.secret, key)));
    expect(kept(before.configMap, now.configMap)).toEqual([]);
    expect(Object.keys(now.secret ?? {}).toSorted()).toEqual(Object.keys(before.secret ?? {}).toSorted());
  };
}

/** The password of a project that is made anew is the one of its Secret, as before. */
function isGenerated(data: Data, key: string): boolean {
  return data?.[key] === secretData(stage.theatre, "shop-database-password")?.["password"];
}

async function projectIsGone(): Promise<void> {
  const { ref = "" } = projectStatus(stage.theatre);
  await stage.theatre.emulator.control.projects.remove({ ref });
  const metadata = { name: "shop", namespace: NAMESPACE };
  const { annotations } = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata ?? {};
  stage.theatre.kubernetes.put("projects", {
    metadata: { ...metadata, annotations: { ...annotations, "baas.dev/recreate": ref } },
  });
}

describe("[K-08] another project or branch behind an output", () => {
  it("that is made again as somebody asks is read whole, while its keys are awaited", async () => {
    applyProject(stage.theatre, BOTH);
    await settled("Project", "shop");
    const whole = wholeSince();
    const { ref } = projectStatus(stage.theatre);
    await projectIsGone();
    await listedKeys(stage.theatre, [], 3);
    await runWhole("Project", "shop", whole);
    expect(projectStatus(stage.theatre).ref).not.toBe(ref);
    expect(secretData(stage.theatre, "out")?.["host"]).toBe(projectStatus(stage.theatre).host);
    expect(configMapData(stage.theatre, "out")?.["host"]).toBe(projectStatus(stage.theatre).host);
  });

  it("that is a branch and comes back by itself is read whole, while its keys are awaited", async () => {
    applyProject(stage.theatre, {});
    await settled("Project", "shop");
    applyBranch(stage.theatre, BOTH);
    await settled("Branch", "preview");
    const whole = wholeSince();
    const { ref = "", parentRef = "" } = branchStatus(stage.theatre);
    await stage.life.client.branches.delete({ branch_id_or_ref: ref }, { parentRef });
    await stage.theatre.pass(600_000);
    await listedKeys(stage.theatre, [], 5);
    await runWhole("Branch", "preview", whole);
    expect(branchStatus(stage.theatre).ref).not.toBe(ref);
    expect(secretData(stage.theatre, "out")?.["host"]).toBe(branchStatus(stage.theatre).host);
    expect(configMapData(stage.theatre, "out")?.["host"]).toBe(branchStatus(stage.theatre).host);
  });

  it("leaves nothing of the one before, also where the token may not see what takes its place", async () => {
    applyProject(stage.theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(stage.theatre, "out");
    await permitAllBut(stage.theatre, "api_gateway_keys_secret_read", "database_pooling_config_read");
    await projectIsGone();
    await settled("Project", "shop");
    const now = secretData(stage.theatre, "out");
    expect(kept(before, now)).toEqual(["password"]);
    expect(Object.keys(now ?? {}).toSorted()).toEqual(
      ["database", "host", "password", "port", "provider", "type", "uri", "url", "username"].toSorted(),
    );
    expect(Object.keys(configMapData(stage.theatre, "out") ?? {})).not.toContain("pooler-host");
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({ status: "False", reason: "Forbidden" });
  });
});

describe("an output of the same project", () => {
  it("says of which one it is, and is written once where it does not", async () => {
    applyProject(stage.theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(stage.theatre, "out");
    const { ref } = projectStatus(stage.theatre);
    const marks = (): unknown[] =>
      (["secrets", "configmaps"] as const).map(
        (plural) =>
          stage.theatre.kubernetes.get(plural, NAMESPACE, "out")?.metadata.annotations?.["baas.dev/output-of"],
      );
    expect(marks()).toEqual([ref, ref]);
    stage.theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE, annotations: {} } });
    expect(marks()).toEqual([undefined, ref]);
    await stage.theatre.pass(600_000);
    await stage.life.run("Project", "shop", "drift");
    expect([marks(), secretData(stage.theatre, "out")]).toEqual([[ref, ref], before]);
    const { version } = stage.theatre.kubernetes;
    await stage.theatre.pass(600_000);
    await stage.life.run("Project", "shop", "drift");
    expect(stage.theatre.kubernetes.version).toBe(version);
  });

  it("[K-08] whose keys are edited holds the old ones until all new ones are there", async () => {
    applyProject(stage.theatre, {
      writeConnectionSecretToRef: { name: "out", keys: [{ key: "ref" }, { key: "url" }] },
    });
    await settled("Project", "shop");
    const before = secretData(stage.theatre, "out");
    await listedKeys(stage.theatre, [], 3);
    applyProject(stage.theatre, {
      writeConnectionSecretToRef: { name: "out", keys: [{ key: "uri" }, { key: "anon-key" }] },
    });
    expect(await stage.life.run("Project", "shop")).toMatchObject({ kind: "waiting", reason: "OutputsAwaited" });
    expect(secretData(stage.theatre, "out")).toEqual(before);
    expect(projectStatus(stage.theatre).binding).toEqual({ name: "out" });
    await settled("Project", "shop");
    expect(Object.keys(secretData(stage.theatre, "out") ?? {}).toSorted()).toEqual(
      ["anon-key", "provider", "type", "uri"].toSorted(),
    );
  });

  it("[K-08] that somebody deletes is nothing to bind to until all of it can be written again", async () => {
    applyProject(stage.theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(stage.theatre, "out");
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await listedKeys(stage.theatre, [], 2);
    await stage.theatre.pass(600_000);
    expect(await stage.life.run("Project", "shop", "drift")).toMatchObject({
      kind: "waiting",
      reason: "OutputsAwaited",
    });
    expect([secretData(stage.theatre, "out"), projectStatus(stage.theatre).binding]).toEqual([undefined, undefined]);
    await settled("Project", "shop");
    expect([secretData(stage.theatre, "out"), projectStatus(stage.theatre).binding]).toEqual([before, { name: "out" }]);
  });

  it("under deletion is left alone, and made again once it is gone", async () => {
    applyProject(stage.theatre, BOTH);
    await settled("Project", "shop");
    const before = secretData(stage.theatre, "out");
    const metadata = { name: "out", namespace: NAMESPACE };
    const data = { host: Buffer.from("elsewhere").toString("base64") };
    stage.theatre.kubernetes.put("secrets", { metadata: { ...metadata, finalizers: ["somebody.test/else"] }, data });
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await stage.theatre.pass(600_000);
    expect(await stage.life.run("Project", "shop", "drift")).toMatchObject({
      kind: "waiting",
      reason: "OutputsAwaited",
    });
    expect(secretData(stage.theatre, "out")).toEqual({ host: "elsewhere" });
    stage.theatre.kubernetes.put("secrets", { metadata: { ...metadata, finalizers: [] } });
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    await settled("Project", "shop");
    expect(secretData(stage.theatre, "out")).toEqual(before);
  });

  it("loses what cannot be read and was made of what changed, and keeps the rest", async () => {
    const password = (text: string) =>
      stage.theatre.kubernetes.put("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "db", namespace: NAMESPACE },
        data: { password: Buffer.from(text).toString("base64") },
      });
    password("first");
    applyProject(stage.theatre, { ...BOTH, databasePassword: { secretKeyRef: { name: "db" } } });
    await settled("Project", "shop");
    const before = secretData(stage.theatre, "out") ?? {};
    await permitAllBut(stage.theatre, "api_gateway_keys_secret_read", "database_pooling_config_read");
    await stage.theatre.pass(600_000);
    await stage.life.run("Project", "shop", "drift");
    expect(secretData(stage.theatre, "out")).toEqual(before);
    password("second");
    await settled("Project", "shop");
    const now = secretData(stage.theatre, "out") ?? {};
    expect(Object.values(now).filter((text) => text.includes("first"))).toEqual([]);
    expect([now["password"], now["anon-key"]]).toEqual(["second", before["anon-key"]]);
    expect(Object.keys(before).filter((key) => !(key in now))).toEqual([
      "pooler-transaction-uri",
      "pooler-session-uri",
    ]);
    expect(configMapData(stage.theatre, "out")).toHaveProperty("pooler-host");
  });
});
