import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { lifeInEach } from "../../../test/support/controllers/life-in-each.ts";
import {
  permitAllBut,
  projectCondition,
  projectStatus,
  secretData,
  settledProject,
  lookedAgain,
} from "../../../test/support/controllers/outputs.ts";
import { KEY_RING_NAME } from "../shared/key-ring.ts";

/** An output may hold the last copy of a password or a key: it goes where it is known to be void, and for no other reason. */

const stage = lifeInEach();

const settled = (keys: readonly object[] | undefined, spec: object = {}): Promise<void> =>
  settledProject(stage, { writeConnectionSecretToRef: { name: "out", keys }, ...spec });

const looked = (): Promise<void> => lookedAgain(stage);

function annotations(): Readonly<Record<string, string>> {
  return stage.theatre.kubernetes.get("secrets", NAMESPACE, "out")?.metadata.annotations ?? {};
}

/** As an operator left it that did not mark outputs yet. */
function unmarked(): void {
  const { "baas.dev/replaced-version": version = "" } = annotations();
  const metadata = { name: "out", namespace: NAMESPACE, annotations: { "baas.dev/replaced-version": version } };
  stage.theatre.kubernetes.put("secrets", { metadata });
}

function passwordIsGone(): void {
  stage.theatre.kubernetes.delete("secrets", NAMESPACE, "shop-database-password");
}

function password(text: string): void {
  const metadata = { name: "db", namespace: NAMESPACE };
  const data = { password: Buffer.from(text).toString("base64") };
  stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

const SET = { databasePassword: { secretKeyRef: { name: "db" } } };

describe("the last copy of what cannot be told now", () => {
  it.each([
    { what: "its password is gone", act: () => Promise.resolve(passwordIsGone()) },
    {
      what: "its keys may not be read",
      act: (): Promise<void> => permitAllBut(stage.theatre, "api_gateway_keys_secret_read"),
    },
  ])("stays in an output that an older version left unmarked, and $what", async ({ act }) => {
    await settled(undefined);
    const before = secretData(stage.theatre, "out");
    unmarked();
    await act();
    await looked();
    expect(secretData(stage.theatre, "out")).toEqual(before);
    expect(annotations()["baas.dev/output-of"]).toBe(projectStatus(stage.theatre).ref);
    await looked();
    expect(secretData(stage.theatre, "out")).toEqual(before);
  });

  it("stays where somebody edits what is beside it", async () => {
    await settled(undefined);
    const before = secretData(stage.theatre, "out");
    passwordIsGone();
    const data = stage.theatre.kubernetes.get("secrets", NAMESPACE, "out")?.["data"];
    const theirs = { ...Object(data), username: Buffer.from("theirs").toString("base64") };
    stage.theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE }, data: theirs });
    await looked();
    expect(secretData(stage.theatre, "out")).toEqual(before);
  });

  it("stays where a value beside it is composed otherwise", async () => {
    await settled([{ key: "login", value: "user=$(username)" }, { key: "password" }, { key: "uri" }]);
    const before = secretData(stage.theatre, "out");
    passwordIsGone();
    await settled([{ key: "login", value: "$(username)@$(host)" }, { key: "password" }, { key: "uri" }]);
    const login = `postgres@${projectStatus(stage.theatre).host}`;
    expect(secretData(stage.theatre, "out")).toEqual({ ...before, login });
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({ reason: "PasswordUnknown" });
  });
});

describe("what is void", () => {
  it("goes also where no other entry tells that what it was made of has changed", async () => {
    password("first");
    await settled([{ key: "dsn", value: "$(pooler-session-uri)" }, { key: "anon-key" }], SET);
    const before = secretData(stage.theatre, "out");
    expect(before?.["dsn"]).toContain("first");
    await permitAllBut(stage.theatre, "database_pooling_config_read", "api_gateway_keys_secret_read");
    await looked();
    expect(secretData(stage.theatre, "out")).toEqual(before);
    password("second");
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    const { dsn, ...rest } = before ?? {};
    expect(dsn).toBeDefined();
    expect(secretData(stage.theatre, "out")).toEqual(rest);
  });

  it("goes from an output that nobody marked and that is older than the project itself", async () => {
    await settled([{ key: "anon-key" }]);
    await stage.theatre.pass(600_000);
    const { ref = "" } = projectStatus(stage.theatre);
    await stage.theatre.emulator.control.projects.remove({ ref });
    const metadata = { name: "shop", namespace: NAMESPACE, annotations: { "baas.dev/recreate": ref } };
    stage.theatre.kubernetes.put("projects", { metadata });
    unmarked();
    await permitAllBut(stage.theatre, "api_gateway_keys_secret_read");
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(projectStatus(stage.theatre).ref).not.toBe(ref);
    expect(Object.keys(secretData(stage.theatre, "out") ?? {})).not.toContain("anon-key");
  });
});

describe("the mark of what an output was made of", () => {
  it("tells nothing of what that is, and is written once", async () => {
    password("first");
    await settled(undefined, SET);
    const before = annotations()["baas.dev/output-made-of"];
    expect(before).toBeDefined();
    const { version } = stage.theatre.kubernetes;
    await looked();
    expect(stage.theatre.kubernetes.version).toBe(version);
    // Made with another key, the same facts look otherwise: nobody finds the password by trying.
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    stage.theatre.kubernetes.delete("secrets", "baas-system", KEY_RING_NAME);
    await lookedAgain({ theatre: stage.theatre, life: await stage.theatre.life() });
    const now = annotations()["baas.dev/output-made-of"];
    expect(now).toBeDefined();
    expect(now).not.toBe(before);
  });
});
