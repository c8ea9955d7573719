import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { acting, HOUR_MS, KEPT, keptToken, restart, works } from "../support/stage/acting.ts";
import { RoomApp } from "../support/stage/apps.ts";
import { collected, eventually } from "../support/stage/eventually.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Connection that acts through an OAuth app: for whom, with which rights, and what becomes of it when any part of its credential ends. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const manifestSchema = z.looseObject({ metadata: z.looseObject({ name: z.string() }) });

describe("a Connection that acts through an OAuth app", () => {
  it("says for whom and through what, and keeps the newest refresh token in a Secret of its own", async () => {
    const { room, app, seed } = await acting(stage, "oauth-ready");
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
    const kept = await room.secret(KEPT);
    expect(kept).toMatchObject({
      type: "baas.dev/refresh-token",
      metadata: { ownerReferences: [{ kind: "Connection", name: "default" }] },
    });
    expect(await keptToken(room)).not.toBe(seed);
    for (const name of ["app", "consent", KEPT]) {
      expect((await room.secret(name))?.metadata.finalizers).toContain("baas.dev/credential-protection");
    }
    expect((await room.secret("token"))?.metadata.finalizers).toEqual([]);
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
    const manifests = parseAllDocuments(text).map((document) => manifestSchema.parse(document.toJS()));
    const { namespace } = room;
    await room.apply(manifests.map((object) => ({ ...object, metadata: { ...object.metadata, namespace } })));
    await app.acts();
    expect(conditionOf(await room.ready("Connection", "default"), "Ready")?.reason).toBe("Available");
  });

  it("goes with its Secret when it is deleted", async () => {
    const { room } = await acting(stage, "oauth-gone");
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    await room.kubectl("delete", "connection", "default", "--timeout=30s");
    await collected("its Secret", async () => (await room.secret(KEPT)) === undefined);
    expect((await room.secret("consent"))?.metadata.finalizers).toEqual([]);
  });

  it("lives through the end of its access token in the middle of work", async () => {
    const { room } = await acting(stage, "oauth-expiry");
    const before = await keptToken(room);
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "renamed");
    expect(await keptToken(room, before)).not.toBe(before);
    await room.ready("Connection", "default");
  });

  it("says that the consent was taken back, and goes on within seconds with a new one", async () => {
    const { room, app } = await acting(stage, "oauth-revoked");
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
    const { room, app } = await acting(stage, "oauth-client");
    await room.apply(room.manifest("v1", "Secret", "app", { stringData: { "client-secret": "wrong" } }));
    const stalled = await room.stalled("Connection", "default", "CredentialInvalid");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("check the app's client id and secret");
    await room.apply(room.manifest("v1", "Secret", "app", { stringData: { "client-secret": app.secret } }));
    await room.ready("Connection", "default", 10_000);
    await works(room, "renamed");
  });

  it("does not take another account's consent for its own: nothing is written until the account is back", async () => {
    const { room, app } = await acting(stage, "oauth-stranger");
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
    await app.acts();
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

describe("the operator's own Secret", () => {
  it("is never written where somebody else made it", async () => {
    const room = await stage.room("oauth-foreign");
    const app = await RoomApp.register(room);
    const foreign = room.manifest("v1", "Secret", KEPT, { stringData: { mine: "mine" } });
    await room.apply([foreign, ...app.connection(await app.consent())]);
    const stalled = await room.stalled("Connection", "default", "SecretNotOwned");
    expect(conditionOf(stalled, "Stalled")?.message).toContain(KEPT);
    expect(Object.keys((await room.secret(KEPT))?.data ?? {})).toEqual(["mine"]);
    await room.kubectl("delete", "secret", KEPT);
    await app.acts();
    await room.ready("Connection", "default");
  });

  it("is put back when somebody deletes it, with the token that is good", async () => {
    const { room } = await acting(stage, "oauth-deleted");
    const token = await keptToken(room);
    const uid = (await room.secret(KEPT))?.metadata.uid;
    await room.kubectl("delete", "secret", KEPT, "--wait=false");
    await eventually("it is another one", async () => {
      const now = await room.secret(KEPT);
      return now !== undefined && now.metadata.uid !== uid ? true : undefined;
    });
    expect(await keptToken(room)).toBe(token);
    await restart(stage);
    await works(room, "renamed");
  });
});
