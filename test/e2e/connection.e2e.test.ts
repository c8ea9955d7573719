import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort } from "../support/control-plane/ports.ts";
import { eventually } from "../support/stage/eventually.ts";
import { type Manifest, type Room, conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Connection: whose token it is, what it is kept for, and what becomes of it and its token when somebody takes them away. */

let stage: Stage;

beforeAll(async () => {
  const port = await freePort();
  stage = await startStage({
    emulator: { port },
    operator: { values: { allowedBaseUrls: [`http://127.0.0.1:${port}`] } },
  });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

function tokenSecret(room: Room, token: string, name = "token"): Manifest {
  return room.manifest("v1", "Secret", name, { stringData: { token } });
}

async function finalizersOf(room: Room, secret: string): Promise<readonly string[] | undefined> {
  return (await room.secret(secret))?.metadata.finalizers;
}

async function secretGone(room: Room, withinMs?: number): Promise<void> {
  await eventually(
    "the Secret is gone",
    async () => ((await room.secret("token")) === undefined ? true : undefined),
    withinMs,
  );
}

async function patchConnection(room: Room, spec: Manifest): Promise<void> {
  await room.kubectl("patch", "connection", "default", "--type=merge", `--patch=${JSON.stringify({ spec })}`);
}

/** The Connection with a condition of that reason. */
function connectionSays(room: Room, type: string, reason: string): ReturnType<Room["until"]> {
  return room.until("Connection", "default", (object) => conditionOf(object, type)?.reason === reason);
}

/** A room whose Project `shop` is Ready and whose Secret is guarded. */
async function roomWithProject(name: string, spec: Manifest = {}): Promise<Room> {
  const room = await stage.room(name);
  await room.apply(room.project("shop", spec));
  await room.ready("Project", "shop");
  await eventually("the Secret is guarded", async () =>
    (await finalizersOf(room, "token"))?.includes("baas.dev/credential-protection") ? true : undefined,
  );
  return room;
}

describe("a Connection that works", () => {
  it("says whose token it is, and what that reads", async () => {
    const room = await stage.room("conn-ready");
    const { status } = await room.ready("Connection", "default");
    expect(status).toMatchObject({
      identity: { type: "User", id: await room.account(), name: "user-of-conn-ready" },
      reachable: true,
      organizations: ["conn-ready"],
      credentialSecrets: [{ namespace: "conn-ready", name: "token" }],
    });
    expect(status.conditions.find(({ type }) => type === "Ready")?.message).toBe("the token is user-of-conn-ready's");
    expect(await finalizersOf(room, "token")).toEqual([]);
    await room.kubectl("delete", "connection", "default", "--timeout=20s");
  });

  it("says that its token is not accepted, and works again with one that is", async () => {
    const room = await stage.room("conn-revoked");
    await room.apply(tokenSecret(room, "nobody-knows-this"));
    const { status } = await room.stalled("Connection", "default", "CredentialInvalid");
    expect(status["reachable"]).toBe(true);
    await room.apply(tokenSecret(room, room.token));
    await room.ready("Connection", "default", 10_000);
  });

  it("tells a platform that does not answer from a token that is not accepted", async () => {
    const room = await stage.room("conn-down");
    await room.ready("Connection", "default");
    const rules = [];
    for (const operation of ["profile.get", "organizations.list"]) {
      rules.push(await stage.emulator.control.faults.add({ operation, count: null, fault: { kind: "reset" } }));
    }
    // Another token asks anew.
    await stage.emulator.control.tokens.add({ token: "conn-down-2", user: "user-of-conn-down" });
    await room.apply(tokenSecret(room, "conn-down-2"));
    const { status } = await connectionSays(room, "Reachable", "ServerUnavailable");
    for (const { id } of rules) await stage.emulator.control.faults.remove({ id });
    expect(status["reachable"]).toBe(false);
    expect(status["identity"]).toMatchObject({ name: "user-of-conn-down" });
    await room.until("Connection", "default", ({ status: now }) => now["reachable"] === true);
    await room.ready("Connection", "default");
  });
});

describe("a Connection deleted while it is in use", () => {
  it("stays, works on, takes a new token, and goes with its last dependent", async () => {
    const room = await roomWithProject("conn-in-use");
    await room.kubectl("delete", "connection", "default", "--wait=false");
    const held = await connectionSays(room, "Reconciling", "InUse");
    expect(held.metadata.finalizers).toContain("baas.dev/connection-in-use");
    await stage.emulator.control.tokens.add({ token: "conn-in-use-2", user: "user-of-conn-in-use" });
    await room.apply(tokenSecret(room, "conn-in-use-2"));
    await stage.emulator.control.tokens.revoke({ token: room.token });
    await room.apply(room.project("shop", { name: "renamed" }));
    await room.ready("Project", "shop");
    expect((await room.projects()).map(({ name }) => name)).toEqual(["renamed"]);
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    await room.gone("Connection", "default");
    expect(await finalizersOf(room, "token")).toEqual([]);
  });

  it("goes also when it is paused", async () => {
    const room = await roomWithProject("conn-paused-end");
    await room.kubectl("annotate", "connection", "default", "baas.dev/paused=true");
    await connectionSays(room, "Paused", "Paused");
    await room.kubectl("delete", "connection", "default", "--wait=false");
    await connectionSays(room, "Reconciling", "InUse");
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    await room.gone("Connection", "default");
    expect(await finalizersOf(room, "token")).toEqual([]);
  });
});

describe("a paused Connection", () => {
  it("looks at nothing until it is let go on", async () => {
    const room = await roomWithProject("conn-paused");
    const before = await room.get("Connection", "default");
    await room.kubectl("annotate", "connection", "default", "baas.dev/paused=true");
    await connectionSays(room, "Paused", "Paused");
    await room.apply(tokenSecret(room, "nobody-knows-this"));
    await patchConnection(room, { reservedSecretPrefix: "OTHER_" });
    await room.reconcile("Project", "shop");
    const paused = await room.get("Connection", "default");
    expect(paused.metadata.generation).toBeGreaterThan(before.metadata.generation);
    expect(paused.status.observedGeneration).toBe(before.status.observedGeneration);
    expect(conditionOf(paused, "Ready")).toEqual(conditionOf(before, "Ready"));
    await room.kubectl("annotate", "connection", "default", "baas.dev/paused-");
    const after = await room.stalled("Connection", "default", "CredentialInvalid");
    expect(conditionOf(after, "Paused")).toBeUndefined();
  });
});

describe("the token's Secret deleted while it is in use", () => {
  it("goes at once where nothing is being deleted with it; a new one is in use within seconds", async () => {
    const room = await roomWithProject("conn-replaced");
    await room.kubectl("delete", "secret", "token", "--wait=false");
    await secretGone(room, 10_000);
    await room.stalled("Connection", "default", "CredentialMissing");
    await room.apply(tokenSecret(room, room.token));
    await room.ready("Connection", "default", 10_000);
    await room.apply(room.project("shop", { name: "renamed" }));
    await room.ready("Project", "shop", 15_000);
    expect((await room.projects()).map(({ name }) => name)).toEqual(["renamed"]);
  });

  it("is as good as new when it is deleted and applied again at once", async () => {
    const room = await roomWithProject("conn-reapplied");
    await room.kubectl("delete", "secret", "token", "--timeout=30s");
    await room.apply(tokenSecret(room, room.token));
    await room.apply(room.project("shop", { name: "renamed" }));
    await room.ready("Project", "shop", 20_000);
    const connection = await room.ready("Connection", "default");
    expect(conditionOf(connection, "CredentialTerminating")).toBeUndefined();
    expect(await finalizersOf(room, "token")).toContain("baas.dev/credential-protection");
  });

  it("is kept for a deletion under way and for nothing else, which is said; then it goes", async () => {
    const room = await roomWithProject("conn-held", { deletionPolicy: "Delete" });
    const { ref } = await room.remoteProject("shop");
    const refusal = await stage.emulator.control.faults.add({
      operation: "projects.delete",
      pathContains: ref,
      count: null,
      fault: { kind: "status", status: 400 },
    });
    await room.kubectl("delete", "project", "shop", "--wait=false");
    await room.kubectl("delete", "secret", "token", "--wait=false");
    const held = await connectionSays(room, "CredentialTerminating", "CredentialTerminating");
    expect(conditionOf(held, "Ready")).toMatchObject({ status: "False", reason: "CredentialTerminating" });
    expect(conditionOf(held, "CredentialTerminating")?.message).toMatch(/applied to it now is lost/u);
    await room.apply(room.project("late"));
    await room.until("Project", "late", (object) =>
      object.status.conditions.some(({ reason }) => reason === "CredentialTerminating"),
    );
    expect((await room.projects()).map(({ name }) => name)).toEqual(["shop"]);
    await stage.emulator.control.faults.remove({ id: refusal.id });
    await room.gone("Project", "shop");
    await secretGone(room, 20_000);
    expect(await room.projects()).toEqual([]);
    await room.apply(tokenSecret(room, room.token));
    await room.ready("Project", "late");
  });
});

describe("a Connection of a namespace that is deleted", () => {
  it("still deletes what is remote when the operator dies in between: the token is in its Secret yet", async () => {
    const room = await roomWithProject("conn-killed", { deletionPolicy: "Delete" });
    const { ref } = await room.remoteProject("shop");
    const refusal = await stage.emulator.control.faults.add({
      operation: "projects.delete",
      pathContains: ref,
      count: null,
      fault: { kind: "status", status: 400 },
    });
    await room.kubectl("delete", "namespace", room.namespace, "--wait=false");
    await connectionSays(room, "CredentialTerminating", "CredentialTerminating");
    await stage.operator.kill("SIGKILL");
    expect(await finalizersOf(room, "token")).toContain("baas.dev/credential-protection");
    await stage.emulator.control.faults.remove({ id: refusal.id });
    await stage.operator.startReplica();
    await room.kubectl("wait", "--for=delete", `namespace/${room.namespace}`, "--timeout=60s");
    expect(await room.projects()).toEqual([]);
  });
});

describe("a Connection that is edited", () => {
  it("guards the Secret that it names now and lets go of the former one, also where the new one is missing", async () => {
    const room = await roomWithProject("conn-secrets");
    await room.apply(tokenSecret(room, room.token, "second"));
    await patchConnection(room, { token: { secretRef: { name: "second" } } });
    await eventually("the second Secret is guarded", async () =>
      (await finalizersOf(room, "second"))?.includes("baas.dev/credential-protection") ? true : undefined,
    );
    expect(await finalizersOf(room, "token")).toEqual([]);
    await patchConnection(room, { token: { secretRef: { name: "third" } } });
    const missing = await room.stalled("Connection", "default", "CredentialMissing");
    expect(conditionOf(missing, "Stalled")?.message).toContain("third");
    expect(await finalizersOf(room, "second")).toEqual([]);
    await room.apply(tokenSecret(room, room.token, "third"));
    await room.ready("Connection", "default", 10_000);
  });

  it("may name only a base URL that the operator was started with, and works again when it does", async () => {
    const room = await roomWithProject("conn-url");
    const after = await room.lastRequest();
    await patchConnection(room, { baseUrl: room.emulator.url.replace("127.0.0.1", "localhost") });
    const refused = await room.stalled("Connection", "default", "NotAllowed");
    expect(conditionOf(refused, "Stalled")?.message).toContain("--allowed-base-url");
    await room.apply(room.project("shop", { name: "renamed" }));
    await room.until("Project", "shop", (object) =>
      object.status.conditions.some(({ reason }) => reason === "ConnectionNotReady"),
    );
    expect(await room.writes(after)).toEqual([]);
    await patchConnection(room, { baseUrl: room.emulator.url });
    await room.ready("Project", "shop");
    expect((await room.projects()).map(({ name }) => name)).toEqual(["renamed"]);
  });
});

describe("policies that objects leave out", () => {
  it("come from the Connection, then from the operator, which the status tells", async () => {
    const room = await stage.room("conn-policies");
    await patchConnection(room, { defaults: { driftPolicy: "Report", managementPolicy: "Manage" } });
    await room.ready("Connection", "default");
    await room.apply(room.project("shop"));
    expect((await room.ready("Project", "shop")).status["effective"]).toMatchObject({
      driftPolicy: { value: "Report", origin: "Connection" },
      managementPolicy: { value: "Manage", origin: "Connection" },
      driftInterval: { value: "10m", origin: "Operator" },
    });
    await patchConnection(room, { defaults: { driftPolicy: null, managementPolicy: null } });
    await room.until(
      "Connection",
      "default",
      (object) => object.status.observedGeneration === object.metadata.generation,
    );
    await room.apply(room.project("shop", { driftInterval: "1h" }));
    await room.until("Project", "shop", (object) => object.status.observedGeneration === object.metadata.generation);
    expect((await room.ready("Project", "shop")).status["effective"]).toMatchObject({
      driftPolicy: { value: "Correct", origin: "Operator" },
      managementPolicy: { value: "Manage", origin: "Operator" },
      driftInterval: { value: "1h", origin: "Object" },
    });
  });
});

describe("a token of another account", () => {
  it("is not believed to miss a project, and the account's own is", async () => {
    const room = await roomWithProject("conn-account");
    await stage.emulator.control.tokens.add({ token: "conn-stranger", user: "stranger-of-conn-account" });
    await room.apply(tokenSecret(room, "conn-stranger"));
    await room.until("Connection", "default", ({ status }) => {
      return JSON.stringify(status["identity"]).includes("stranger-of-conn-account");
    });
    const after = await room.lastRequest();
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=stranger");
    await room.stalled("Project", "shop", "CredentialChanged");
    const { entries } = await stage.emulator.control.log.read({ after });
    expect(entries.filter(({ method, path }) => method !== "GET" && path.startsWith("/v1/projects"))).toEqual([]);
    await room.apply(tokenSecret(room, room.token));
    await room.ready("Project", "shop");
    expect(await room.projects()).toHaveLength(1);
  });
});
