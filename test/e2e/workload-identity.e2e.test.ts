import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { type Room, conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Connections that act with the operator's own identity: the token of its ServiceAccount, signed by the cluster, that an OAuth app trusts. */

const AUDIENCE = "https://api.platform.example";
const ISSUER = "https://kubernetes.default.svc";
const SUBJECT = "system:serviceaccount:baas-system:baas-operator";

let stage: Stage;

beforeAll(async () => {
  const workloadIdentity = { enabled: true, audience: AUDIENCE, namespaces: ["workload", "workload-trust"] };
  stage = await startStage({ operator: { values: { workloadIdentity } } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const jwksSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** An app that acts for the room's user, as whoever the cluster says is the operator. */
async function trustedApp(room: Room, audience = AUDIENCE): Promise<string> {
  const { namespace } = room;
  const jwks = jwksSchema.parse(
    JSON.parse(succeeded(await kubectl(stage.cluster, ["get", "--raw", "/openid/v1/jwks"]))),
  );
  const trust = { issuer: ISSUER, subject: SUBJECT, audience, jwks };
  const jwtBearer = { ...trust, user: `user-of-${namespace}`, organization: namespace };
  const clientId = `app-of-${namespace}`;
  await stage.emulator.control.oauth.addApp({ clientId, clientSecret: "not shown", jwtBearer });
  return clientId;
}

function connect(room: Room, clientId: string): Promise<void> {
  const spec = { baseUrl: room.emulator.url, workloadIdentity: { clientId } };
  return room.apply(room.ours("Connection", "default", spec));
}

describe("a Connection that acts with the operator's identity", () => {
  it("works without any Secret, says for whom it acts, and lives through a revoked access token", async () => {
    const room = await stage.room("workload");
    const clientId = await trustedApp(room);
    await connect(room, clientId);
    const acting = await room.until("Connection", "default", ({ status }) =>
      JSON.stringify(status["identity"] ?? {}).includes(clientId),
    );
    expect(acting.status).toMatchObject({ identity: { type: "OAuthClient", id: await room.account(), clientId } });
    expect(acting.status["credentialSecrets"]).toBeUndefined();
    await room.kubectl("delete", "secret", "token");
    await room.apply(room.project("shop"));
    await room.ready("Project", "shop");
    const { oauth } = stage.emulator.control;
    for (const grant of await oauth.grants()) await oauth.revokeGrant({ id: grant.id });
    await room.apply(room.project("shop", { name: "renamed" }));
    await room.ready("Project", "shop");
    expect((await room.projects()).map(({ name }) => name)).toEqual(["renamed"]);
  });

  it("is told that the app does not trust it, and goes on by itself when it does", async () => {
    const room = await stage.room("workload-trust");
    const clientId = await trustedApp(room, "https://another.platform.example");
    await connect(room, clientId);
    const stalled = await room.stalled("Connection", "default", "AssertionRefused");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("check what the app trusts");
    await trustedApp(room);
    await room.ready("Connection", "default", 80_000);
    await stage.emulator.control.oauth.removeApp({ clientId });
    await room.kubectl("annotate", "connection", "default", "baas.dev/reconcile-at=removed");
    await room.stalled("Connection", "default", "CredentialInvalid");
  });

  it("must be of a namespace that may: whoever writes it says where the operator's token is sent", async () => {
    const room = await stage.room("workload-other");
    const clientId = await trustedApp(room);
    const after = await room.lastRequest();
    await connect(room, clientId);
    const stalled = await room.stalled("Connection", "default", "NotAllowed");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("workloadIdentity.namespaces");
    const { entries } = await stage.emulator.control.log.read({ after });
    expect(
      entries.filter(({ operation, body }) => operation === "oauth.token" && JSON.stringify(body).includes(clientId)),
    ).toEqual([]);
  });

  it("may be a ClusterConnection, which serves the namespaces that it admits", async () => {
    const room = await stage.room("workload-cluster");
    const clientId = await trustedApp(room);
    await room.kubectl("delete", "connection", "default");
    const example = readFileSync(new URL("../../examples/credentials/workload-identity.yaml", import.meta.url), "utf8")
      .replace("YOUR_CLIENT_ID", clientId)
      .replace("https://api.example.com", room.emulator.url);
    await room.apply(z.record(z.string(), z.unknown()).parse(parse(example)));
    await room.apply(room.project("shop"));
    await room.ready("Project", "shop");
    const { entries } = await stage.emulator.control.log.read({});
    const created = entries.filter(
      ({ operation, scope }) => operation === "projects.create" && scope === room.namespace,
    );
    expect(created.map(({ identity }) => identity)).toEqual([`app:${clientId}`]);
  });
});
