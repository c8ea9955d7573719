import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { RoomApp } from "../support/stage/apps.ts";
import { eventually } from "../support/stage/eventually.ts";
import { type Room, conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/**
 * A Connection that acts through an OAuth app: the platform replaces its refresh token at each use, the operator keeps the newest one, and what
 * becomes of that in every order of expiry, revocation, restart and GitOps.
 */

const HOUR_MS = 3_600_000;
/** The operator's own Secret of the Connection `default`. */
const KEPT = "baas-operator-connection-default";

let stage: Stage;

beforeAll(async () => {
  stage = await startStage({ operator: { replicas: 2 } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const manifestSchema = z.record(z.string(), z.unknown());

const secretSchema = z.object({
  type: z.string(),
  metadata: z.object({
    uid: z.string(),
    finalizers: z.array(z.string()).default([]),
    ownerReferences: z.array(z.object({ kind: z.string(), name: z.string() })).default([]),
  }),
  data: z.record(z.string(), z.string()).default({}),
});

async function secretOf(room: Room, name: string): Promise<z.infer<typeof secretSchema> | undefined> {
  const text = await room.kubectl("get", "secret", name, "--ignore-not-found", "--output=json");
  return text.trim() === "" ? undefined : secretSchema.parse(JSON.parse(text));
}

/** The refresh token that the operator keeps, once there is one that is not `before`. */
function keptToken(room: Room, before?: string): Promise<string> {
  return eventually("a refresh token is kept", async () => {
    const encoded = (await secretOf(room, KEPT))?.data["refresh-token"];
    const token = encoded && Buffer.from(encoded, "base64").toString("utf8");
    return token === before ? undefined : token;
  });
}

interface Acting {
  readonly room: Room;
  readonly app: RoomApp;
  /** what the user's Secret holds */
  readonly seed: string;
}

/** A room whose Connection acts through an app, and whose Project `shop` is Ready by it. */
async function acting(name: string): Promise<Acting> {
  const room = await stage.room(name);
  const app = await RoomApp.register(room);
  const seed = await app.consent();
  await room.apply(app.connection(seed));
  await acts(room);
  await room.apply(room.project("shop"));
  await room.ready("Project", "shop");
  return { room, app, seed };
}

/** The Connection once it acts through the app. */
function acts(room: Room): ReturnType<Room["until"]> {
  return room.until("Connection", "default", ({ status }) => JSON.stringify(status["identity"])?.includes("app-of-"));
}

/** Whether writes go through: a rename reaches the platform. */
async function works(room: Room, name: string, withinMs = 20_000): Promise<void> {
  await room.apply(room.project("shop", { name }));
  await eventually(
    `the project is renamed to ${name}`,
    async () => ((await room.projects()).some((project) => project.name === name) ? true : undefined),
    withinMs,
  );
}

/** Uses of the refresh grant by the room's app that the platform answered, as statuses. */
async function exchanges(room: Room, after: number): Promise<readonly (number | null)[]> {
  const { entries } = await stage.emulator.control.log.read({ after });
  const ofApp = (body: unknown): boolean => JSON.stringify(body ?? {}).includes(`app-of-${room.namespace}`);
  return entries
    .filter(({ operation, body }) => operation === "oauth.token" && ofApp(body))
    .map(({ status }) => status);
}

async function restart(): Promise<void> {
  await stage.operator.restart("SIGKILL");
  await stage.operator.waitReady();
}

describe("a Connection that acts through an OAuth app", () => {
  it("says for whom and through what, and keeps the newest refresh token in a Secret of its own", async () => {
    const { room, app, seed } = await acting("oauth-ready");
    const connection = await room.ready("Connection", "default");
    expect(connection.status).toMatchObject({
      identity: {
        type: "OAuthClient",
        id: await room.account(),
        name: "user-of-oauth-ready",
        clientId: app.clientId,
      },
      organizations: ["oauth-ready"],
    });
    expect(conditionOf(connection, "Ready")?.message).toBe(`the app ${app.clientId} acts for user-of-oauth-ready`);
    await room.until("Connection", "default", ({ status }) => JSON.stringify(status).includes(KEPT));
    const kept = await secretOf(room, KEPT);
    expect(kept).toMatchObject({
      type: "baas.dev/refresh-token",
      metadata: { ownerReferences: [{ kind: "Connection", name: "default" }] },
    });
    expect(await keptToken(room)).not.toBe(seed);
    for (const name of ["app", "consent", KEPT]) {
      expect((await secretOf(room, name))?.metadata.finalizers).toContain("baas.dev/credential-protection");
    }
    expect((await secretOf(room, "token"))?.metadata.finalizers).toEqual([]);
    const { entries } = await stage.emulator.control.log.read({});
    const created = entries.filter(
      ({ operation, scope }) => operation === "projects.create" && scope === "oauth-ready",
    );
    expect(created.map(({ identity }) => identity)).toEqual([`app:${app.clientId}`]);
  });

  it("is what the example shows", async () => {
    const room = await stage.room("oauth-example");
    const app = await RoomApp.register(room);
    const text = readFileSync(new URL("../../examples/credentials/oauth.yaml", import.meta.url), "utf8")
      .replace("YOUR_CLIENT_ID", app.clientId)
      .replace("YOUR_CLIENT_SECRET", app.secret)
      .replace("YOUR_REFRESH_TOKEN", await app.consent())
      .replace("https://api.example.com", room.emulator.url);
    await room.apply(parseAllDocuments(text).map((document) => manifestSchema.parse(document.toJS())));
    await acts(room);
    await room.ready("Connection", "default");
  });

  it("goes with its Secret when it is deleted", async () => {
    const { room } = await acting("oauth-gone");
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    await room.kubectl("delete", "connection", "default", "--timeout=30s");
    await eventually("its Secret is gone", async () => ((await secretOf(room, KEPT)) === undefined ? true : undefined));
    expect((await secretOf(room, "consent"))?.metadata.finalizers).toEqual([]);
  });

  it("lives through the end of its access token in the middle of work", async () => {
    const { room } = await acting("oauth-expiry");
    const before = await keptToken(room);
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "renamed");
    expect(await keptToken(room, before)).not.toBe(before);
    await room.ready("Connection", "default");
  });

  it("says that the consent was taken back, and goes on within seconds with a new one", async () => {
    const { room, app } = await acting("oauth-revoked");
    await app.revoke();
    await room.reconcile("Project", "shop").catch(() => undefined);
    const stalled = await room.stalled("Connection", "default", "CredentialRevoked");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("authorize the app again and put the new refresh token");
    expect(stalled.status["reachable"]).toBe(true);
    await room.apply(app.consentSecret(await app.consent()));
    await room.ready("Connection", "default", 10_000);
    await works(room, "renamed");
  });

  it("tells a client secret that is wrong from a consent that is over", async () => {
    const { room, app } = await acting("oauth-client");
    await room.apply(room.manifest("v1", "Secret", "app", { stringData: { "client-secret": "wrong" } }));
    const stalled = await room.stalled("Connection", "default", "CredentialInvalid");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("check the app's client id and secret");
    await room.apply(room.manifest("v1", "Secret", "app", { stringData: { "client-secret": app.secret } }));
    await room.ready("Connection", "default", 10_000);
    await works(room, "renamed");
  });

  it("does not take another account's consent for its own: nothing is written until the account is back", async () => {
    const { room, app } = await acting("oauth-stranger");
    const stranger = "stranger-of-oauth-stranger";
    await stage.emulator.control.state.seed({
      users: [{ username: stranger }],
      organizations: [{ slug: "oauth-strange", plan: "enterprise", members: { [stranger]: "Owner" } }],
    });
    await room.apply(app.consentSecret(await app.consent(stranger, "oauth-strange")));
    await room.until("Connection", "default", ({ status }) => JSON.stringify(status["identity"]).includes(stranger));
    const after = await room.lastRequest();
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=stranger");
    await room.stalled("Project", "shop", "CredentialChanged");
    const { entries } = await stage.emulator.control.log.read({ after });
    expect(entries.filter(({ method, path }) => method !== "GET" && path.startsWith("/v1/projects"))).toEqual([]);
    await room.apply(app.consentSecret(await app.consent()));
    await room.ready("Project", "shop");
    await works(room, "renamed");
  });

  it("lists the scopes that its app lacks, until it has them", async () => {
    const room = await stage.room("oauth-scopes");
    const app = await RoomApp.register(room, { scopes: ["organizations:read", "projects:read"] });
    await room.apply(app.connection(await app.consent()));
    await acts(room);
    await room.apply(room.project("shop"));
    await room.stalled("Project", "shop", "Forbidden");
    const lacking = await room.until("Connection", "default", ({ status }) => status["missingScopes"] !== undefined);
    expect(lacking.status["missingScopes"]).toEqual(["projects:write"]);
    expect(conditionOf(lacking, "Ready")?.status).toBe("True");
    await app.registerAs(undefined);
    await room.apply(app.consentSecret(await app.consent()));
    await room.until("Connection", "default", ({ status }) => status["missingScopes"] === undefined);
    await room.reconcile("Project", "shop");
    await room.ready("Project", "shop");
  });
});

describe("the refresh token of the user's Secret", () => {
  it("is used once: put back by GitOps after any number of rotations, restarts and new consents, it is left alone", async () => {
    const { room, app, seed } = await acting("oauth-gitops");
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "one");
    await room.kubectl("delete", "secret", "consent", "--timeout=40s");
    await room.apply(app.consentSecret(seed));
    await room.ready("Connection", "default");
    await works(room, "two");
    await restart();
    await works(room, "three", 40_000);
    await room.apply(app.consentSecret(await app.consent()));
    const before = await keptToken(room);
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "four");
    await keptToken(room, before);
    const after = await room.lastRequest();
    await room.apply(app.consentSecret(seed));
    await restart();
    await works(room, "five", 40_000);
    expect((await exchanges(room, after)).every((status) => status === 200)).toBe(true);
    expect(
      (await stage.emulator.control.oauth.grants()).filter(({ clientId }) => clientId === app.clientId),
    ).toHaveLength(2);
  });

  it("was used by somebody else as well: the platform ends it for both, and the Connection says so", async () => {
    const { room, app } = await acting("oauth-stolen");
    await app.refresh(await keptToken(room));
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=stolen");
    await room.stalled("Connection", "default", "CredentialRevoked");
    await room.apply(app.consentSecret(await app.consent()));
    await works(room, "renamed");
  });
});

describe("the operator's own Secret", () => {
  it("is never written where somebody else made it", async () => {
    const room = await stage.room("oauth-foreign");
    const app = await RoomApp.register(room);
    const foreign = room.manifest("v1", "Secret", KEPT, { stringData: { mine: "mine" } });
    await room.apply([foreign, ...app.connection(await app.consent())]);
    const stalled = await room.stalled("Connection", "default", "SecretNotOwned");
    expect(conditionOf(stalled, "Stalled")?.message).toContain(KEPT);
    expect(Object.keys((await secretOf(room, KEPT))?.data ?? {})).toEqual(["mine"]);
    await room.kubectl("delete", "secret", KEPT);
    await room.reconcile("Connection", "default");
    await acts(room);
    await room.ready("Connection", "default");
  });

  it("is put back when somebody deletes it, with the token that is good", async () => {
    const { room } = await acting("oauth-deleted");
    const token = await keptToken(room);
    const uid = (await secretOf(room, KEPT))?.metadata.uid;
    await room.kubectl("delete", "secret", KEPT, "--wait=false");
    await eventually("it is another one", async () => {
      const now = await secretOf(room, KEPT);
      return now !== undefined && now.metadata.uid !== uid ? true : undefined;
    });
    expect(await keptToken(room)).toBe(token);
    await restart();
    await works(room, "renamed", 40_000);
  });
});

describe("an operator that ends", () => {
  it("killed between the platform's rotation and the storing says what was lost, and not that the consent was taken back", async () => {
    const { room, app } = await acting("oauth-killed");
    const { id } = await stage.emulator.control.faults.add({
      operation: "oauth.token",
      count: null,
      fault: { kind: "half-open", phase: "after" },
    });
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    const after = await room.lastRequest();
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=killed");
    await eventually("the rotation is under way", async () =>
      (await exchanges(room, after)).length > 0 ? true : undefined,
    );
    await stage.operator.kill("SIGKILL");
    await stage.emulator.control.faults.remove({ id });
    await stage.operator.restart();
    const stalled = await room.stalled("Connection", "default", "RefreshTokenLost");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("authorize the app again");
    await room.apply(app.consentSecret(await app.consent()));
    await works(room, "renamed");
  });

  it("asked to stop in the middle of a rotation stores its answer first", async () => {
    const { room } = await acting("oauth-stopped");
    const before = await keptToken(room);
    const fault = { kind: "delay", ms: 2000, phase: "after" } as const;
    await stage.emulator.control.faults.add({ operation: "oauth.token", fault });
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    const after = await room.lastRequest();
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=stopped");
    await eventually("the rotation is under way", async () =>
      (await exchanges(room, after)).length > 0 ? true : undefined,
    );
    await stage.operator.kill("SIGTERM");
    expect(await keptToken(room, before)).not.toBe(before);
    await stage.operator.restart();
    await works(room, "renamed");
    await room.ready("Connection", "default");
  });

  it("killed is followed by a replica that goes on with the newest token, not with the user's", async () => {
    const { room } = await acting("oauth-replicas");
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "one");
    const after = await room.lastRequest();
    for (const replica of stage.operator.replicas) {
      const { text } = await replica.get("/metrics");
      if (/^baas_leader 1$/m.test(text)) await replica.kill("SIGKILL");
    }
    await works(room, "two", 40_000);
    expect(await exchanges(room, after)).toEqual([200]);
    await stage.operator.startReplica();
  });
});
