import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import {
  permitAllBut,
  projectCondition,
  projectStatus,
  secretData,
  settledProject,
  lookedAgain,
} from "../../../test/support/controllers/outputs.ts";
import { KEY_RING_NAME } from "../shared/key-ring.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** An output may hold the last copy of a password or a key: it goes where it is known to be void, and for no other reason. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

const settled = (keys: readonly object[] | undefined, spec: object = {}): Promise<void> =>
  settledProject({ theatre, life }, { writeConnectionSecretToRef: { name: "out", keys }, ...spec });

const looked = (): Promise<void> => lookedAgain({ theatre, life });

function annotations(): Readonly<Record<string, string>> {
  return theatre.kubernetes.get("secrets", NAMESPACE, "out")?.metadata.annotations ?? {};
}

/** As an operator left it that did not mark outputs yet. */
function unmarked(): void {
  const { "baas.dev/replaced-version": version = "" } = annotations();
  const metadata = { name: "out", namespace: NAMESPACE, annotations: { "baas.dev/replaced-version": version } };
  theatre.kubernetes.put("secrets", { metadata });
}

function passwordIsGone(): void {
  theatre.kubernetes.delete("secrets", NAMESPACE, "shop-database-password");
}

function password(text: string): void {
  const metadata = { name: "db", namespace: NAMESPACE };
  const data = { password: Buffer.from(text).toString("base64") };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
}

const SET = { databasePassword: { secretKeyRef: { name: "db" } } };

describe("the last copy of what cannot be told now", () => {
  it.each([
    { what: "its password is gone", act: () => Promise.resolve(passwordIsGone()) },
    {
      what: "its keys may not be read",
      act: (): Promise<void> => permitAllBut(theatre, "api_gateway_keys_secret_read"),
    },
  ])("stays in an output that an older version left unmarked, and $what", async ({ act }) => {
    await settled(undefined);
    const before = secretData(theatre, "out");
    unmarked();
    await act();
    await looked();
    expect(secretData(theatre, "out")).toEqual(before);
    expect(annotations()["baas.dev/output-of"]).toBe(projectStatus(theatre).ref);
    await looked();
    expect(secretData(theatre, "out")).toEqual(before);
  });

  it("stays where somebody edits what is beside it", async () => {
    await settled(undefined);
    const before = secretData(theatre, "out");
    passwordIsGone();
    const data = theatre.kubernetes.get("secrets", NAMESPACE, "out")?.["data"];
    const theirs = { ...Object(data), username: Buffer.from("theirs").toString("base64") };
    theatre.kubernetes.put("secrets", { metadata: { name: "out", namespace: NAMESPACE }, data: theirs });
    await looked();
    expect(secretData(theatre, "out")).toEqual(before);
  });

  it("stays where a value beside it is composed otherwise", async () => {
    await settled([{ key: "login", value: "user=$(username)" }, { key: "password" }, { key: "uri" }]);
    const before = secretData(theatre, "out");
    passwordIsGone();
    await settled([{ key: "login", value: "$(username)@$(host)" }, { key: "password" }, { key: "uri" }]);
    const login = `postgres@${projectStatus(theatre).host}`;
    expect(secretData(theatre, "out")).toEqual({ ...before, login });
    expect(projectCondition(theatre, "OutputsComplete")).toMatchObject({ reason: "PasswordUnknown" });
  });
});

describe("what is void", () => {
  it("goes also where no other entry tells that what it was made of has changed", async () => {
    password("first");
    await settled([{ key: "dsn", value: "$(pooler-session-uri)" }, { key: "anon-key" }], SET);
    const before = secretData(theatre, "out");
    expect(before?.["dsn"]).toContain("first");
    await permitAllBut(theatre, "database_pooling_config_read", "api_gateway_keys_secret_read");
    await looked();
    expect(secretData(theatre, "out")).toEqual(before);
    password("second");
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    const { dsn, ...rest } = before ?? {};
    expect(dsn).toBeDefined();
    expect(secretData(theatre, "out")).toEqual(rest);
  });

  it("goes from an output that nobody marked and that is older than the project itself", async () => {
    await settled([{ key: "anon-key" }]);
    await theatre.pass(600_000);
    const { ref = "" } = projectStatus(theatre);
    await theatre.emulator.control.projects.remove({ ref });
    const metadata = { name: "shop", namespace: NAMESPACE, annotations: { "baas.dev/recreate": ref } };
    theatre.kubernetes.put("projects", { metadata });
    unmarked();
    await permitAllBut(theatre, "api_gateway_keys_secret_read");
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(projectStatus(theatre).ref).not.toBe(ref);
    expect(Object.keys(secretData(theatre, "out") ?? {})).not.toContain("anon-key");
  });
});

describe("the mark of what an output was made of", () => {
  it("tells nothing of what that is, and is written once", async () => {
    password("first");
    await settled(undefined, SET);
    const before = annotations()["baas.dev/output-made-of"];
    expect(before).toBeDefined();
    const { version } = theatre.kubernetes;
    await looked();
    expect(theatre.kubernetes.version).toBe(version);
    // Made with another key, the same facts look otherwise: nobody finds the password by trying.
    theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    theatre.kubernetes.delete("secrets", "baas-system", KEY_RING_NAME);
    life = await theatre.life();
    await looked();
    const now = annotations()["baas.dev/output-made-of"];
    expect(now).toBeDefined();
    expect(now).not.toBe(before);
  });
});
