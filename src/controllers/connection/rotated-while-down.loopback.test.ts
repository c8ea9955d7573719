import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { aSigner, AUDIENCE, ISSUER, SUBJECT } from "../../../test/support/emulator/oauth.ts";
import { RELEASES_NAME } from "../shared/releases.ts";

/**
 * A credential that is rotated while the platform fails (engine.md §5): the session goes on with the former one until the new one is let in, no deletion
 * that it is needed for goes silent, and no Secret goes with the only copy of what was not let in yet.
 */

const API = "baas.dev/v1alpha1";
const SECOND_MS = 1000;
const CALLBACK = "https://app.example.test/cb";
const FIRST_SECRET = "first secret of the app";
const SECOND_SECRET = "second secret of the app";
const DOWN = { kind: "status", status: 503 } as const;

let folder: string;
let tokenFile: string;
const signer = await aSigner();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rotated-"));
  tokenFile = join(folder, "token");
  await writeFile(tokenFile, await signer.sign({ expiresAt: Date.UTC(2026, 0, 2) / 1000 }));
});

afterAll(() => rm(folder, { recursive: true }));

/** A credential that somebody rotates. */
interface Rotation {
  readonly what: string;
  /** Puts the first one there. @returns what the Connection says of it, and what rotates it: with `revoked`, the first one is no good any more */
  give(theatre: Theatre): Promise<{ readonly spec: object; readonly rotate: (revoked: boolean) => Promise<void> }>;
}

function putSecret({ kubernetes }: Theatre, values: Readonly<Record<string, string>>): void {
  const metadata = { name: "credential", namespace: NAMESPACE };
  const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")] as const);
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) });
}

const secretRef = { name: "credential" };
const tokensSchema = z.looseObject({ refresh_token: z.string() });

const token: Rotation = {
  what: "a token",
  give: async (theatre) => {
    const { tokens } = theatre.emulator.control;
    await tokens.add({ token: "second", user: "owner" });
    putSecret(theatre, { token: "token" });
    const rotate = async (revoked: boolean): Promise<void> => {
      putSecret(theatre, { token: "second" });
      if (revoked) await tokens.revoke({ token: "token" });
    };
    return { spec: { token: { secretRef } }, rotate };
  },
};

async function registerApp({ emulator }: Theatre, clientSecret: string): Promise<void> {
  const trust = { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks: signer.jwks };
  const jwtBearer = { ...trust, user: "owner", organization: "acme" };
  const app = { clientId: "app", clientSecret, redirectUris: [CALLBACK], jwtBearer };
  await emulator.control.oauth.addApp(app);
}

async function consent({ emulator }: Theatre): Promise<string> {
  const { code } = await emulator.control.oauth.approve({ clientId: "app", user: "owner", organization: "acme" });
  const client = { client_id: "app", client_secret: FIRST_SECRET, redirect_uri: CALLBACK };
  const body = new URLSearchParams({ ...client, grant_type: "authorization_code", code });
  const answer = await fetch(`${emulator.url}/v1/oauth/token`, { method: "POST", body });
  return tokensSchema.parse(await answer.json()).refresh_token;
}

async function giveApp(theatre: Theatre, second: (refresh: string) => Promise<Record<string, string>>) {
  await registerApp(theatre, FIRST_SECRET);
  const first = { "client-secret": FIRST_SECRET, refresh: await consent(theatre) };
  const later = { ...first, ...(await second(first.refresh)) };
  putSecret(theatre, first);
  const refreshToken = { secretRef: { ...secretRef, key: "refresh" } };
  const rotate = async (revoked: boolean): Promise<void> => {
    putSecret(theatre, later);
    await registerApp(theatre, later["client-secret"]);
    if (revoked) await theatre.emulator.control.oauth.expireTokens();
  };
  return { spec: { oauth: { clientId: "app", clientSecret: { secretRef }, refreshToken } }, rotate };
}

const clientSecret: Rotation = {
  what: "an app's client secret",
  give: (theatre) => giveApp(theatre, () => Promise.resolve({ "client-secret": SECOND_SECRET })),
};

const consentAnew: Rotation = {
  what: "an app's consent",
  give: (theatre) => giveApp(theatre, async () => ({ refresh: await consent(theatre) })),
};

const ownIdentity: Rotation = {
  what: "the client secret of the operator's own identity",
  give: async (theatre) => {
    await registerApp(theatre, FIRST_SECRET);
    putSecret(theatre, { "client-secret": FIRST_SECRET });
    const rotate = async (revoked: boolean): Promise<void> => {
      putSecret(theatre, { "client-secret": SECOND_SECRET });
      await registerApp(theatre, SECOND_SECRET);
      if (revoked) await theatre.emulator.control.oauth.expireTokens();
    };
    return { spec: { workloadIdentity: { clientId: "app", clientSecret: { secretRef } } }, rotate };
  },
};

/** A Project that is Ready, through a Connection whose credential can be rotated. */
class Stage implements AsyncDisposable {
  readonly theatre: Theatre;
  readonly operator: WholeOperator;
  readonly rotate: (revoked: boolean) => Promise<void>;

  private constructor(theatre: Theatre, operator: WholeOperator, rotate: (revoked: boolean) => Promise<void>) {
    this.theatre = theatre;
    this.operator = operator;
    this.rotate = rotate;
  }

  static async open(rotation: Rotation): Promise<Stage> {
    const seed = {
      organizations: [{ slug: "acme", plan: "enterprise" as const, members: { owner: "Owner" as const } }],
    };
    const theatre = await openTheatre(
      { ...AT_ONCE, limits: { requestsPerMinute: 0 }, seed },
      { ownConnections: true, workloadIdentityTokenFile: tokenFile },
    );
    const { kubernetes, emulator } = theatre;
    const namespace = { name: NAMESPACE, finalizers: ["kubernetes"] };
    kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: namespace });
    const { spec, rotate } = await rotation.give(theatre);
    const put = (plural: string, kind: string, name: string, body: object): void => {
      kubernetes.put(plural, { apiVersion: API, kind, metadata: { name, namespace: NAMESPACE }, spec: body });
    };
    put("connections", "Connection", "default", { baseUrl: emulator.url, ...spec });
    put("projects", "Project", "shop", { organization: "acme", deletionPolicy: "Delete", deletionTimeout: "5m" });
    const stage = new Stage(theatre, await WholeOperator.start(theatre), rotate);
    stage.operator.look();
    await stage.operator.advanceUntil(() => unready(theatre).length === 0);
    await stage.pass(5);
    return stage;
  }

  async pass(seconds: number): Promise<void> {
    for (let passed = 0; passed < seconds; passed += 1) {
      this.operator.look();
      await this.operator.advance(SECOND_MS);
    }
  }

  async fail(operation: string): Promise<void> {
    await this.theatre.emulator.control.faults.add({ operation, count: null, fault: DOWN });
  }

  /** The object, its Connection and all Secrets, as with their namespace or `helm uninstall`. */
  deleteAll({ namespace, secrets = true }: { readonly namespace: boolean; readonly secrets?: boolean }): void {
    const { kubernetes, clock } = this.theatre;
    if (namespace) kubernetes.delete("namespaces", "", NAMESPACE, clock.now());
    const names = kubernetes.list("secrets").filter(({ metadata }) => metadata.namespace === NAMESPACE);
    if (secrets) for (const { metadata } of names) kubernetes.delete("secrets", NAMESPACE, metadata.name, clock.now());
    kubernetes.delete("projects", NAMESPACE, "shop", clock.now());
    kubernetes.delete("connections", NAMESPACE, "default", clock.now());
  }

  isThere(plural: string, name: string): boolean {
    return this.theatre.kubernetes.get(plural, NAMESPACE, name) !== undefined;
  }

  /** What the object says last; undefined once it is gone. */
  says(): string | undefined {
    const object = this.theatre.kubernetes.get("projects", NAMESPACE, "shop");
    return object && JSON.stringify(object["status"]);
  }

  /** Names of the projects on the platform, and of what was told to be left there. */
  async left(): Promise<readonly [number, number]> {
    const { projects } = await this.theatre.emulator.control.state.read({});
    const told = this.theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {};
    return [projects.length, Object.keys(told).length];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]();
    await this.theatre[Symbol.asyncDispose]();
  }
}

describe.each([token, clientSecret, consentAnew, ownIdentity])(
  "$what, rotated while the platform fails",
  (rotation) => {
    it("leaves a session that works on by the former one until the new one is let in", async () => {
      await using stage = await Stage.open(rotation);
      await stage.fail("organizations.list");
      await stage.rotate(false);
      await stage.pass(5);
      stage.theatre.kubernetes.delete("projects", NAMESPACE, "shop", stage.theatre.clock.now());
      await stage.pass(20);
      expect([stage.isThere("projects", "shop"), await stage.left()]).toEqual([false, [0, 0]]);
    });

    it.each([{ revoked: false }, { revoked: true }])(
      "keeps its Secret, which goes with its namespace, until it was let in and all is deleted: the former one revoked $revoked",
      async ({ revoked }) => {
        await using stage = await Stage.open(rotation);
        await stage.fail("*");
        await stage.rotate(revoked);
        await stage.pass(3);
        stage.deleteAll({ namespace: true });
        await stage.pass(15);
        await stage.theatre.emulator.control.faults.clear();
        await stage.pass(60);
        expect([stage.isThere("projects", "shop"), stage.isThere("secrets", "credential")]).toEqual([false, false]);
        expect(await stage.left()).toEqual([0, 0]);
      },
    );

    it("keeps its Secret past 30 s until it was let in, where the namespace stays", async () => {
      await using stage = await Stage.open(rotation);
      await stage.fail("*");
      await stage.rotate(true);
      await stage.pass(3);
      stage.deleteAll({ namespace: false });
      await stage.pass(60);
      expect(stage.isThere("secrets", "credential")).toBe(true);
      await stage.theatre.emulator.control.faults.clear();
      await stage.pass(120);
      expect([stage.isThere("projects", "shop"), stage.isThere("secrets", "credential")]).toEqual([false, false]);
      expect(await stage.left()).toEqual([0, 0]);
    });

    it("lets what is deleted go at its bound, and tells of it, where the platform never comes back", async () => {
      await using stage = await Stage.open(rotation);
      await stage.fail("*");
      await stage.rotate(false);
      await stage.pass(3);
      stage.deleteAll({ namespace: true, secrets: false });
      await stage.pass(295);
      expect(stage.says()).toContain("ServerUnavailable");
      await stage.pass(10);
      expect([stage.isThere("projects", "shop"), await stage.left()]).toEqual([false, [1, 1]]);
    });
  },
);

describe("a credential that changes between two looks, its Secret deleted at once", () => {
  it("is held until it was let in, though the session has the former one", async () => {
    await using stage = await Stage.open(token);
    await stage.fail("*");
    await stage.rotate(true);
    stage.deleteAll({ namespace: false });
    await stage.pass(60);
    expect(stage.isThere("secrets", "credential")).toBe(true);
    await stage.theatre.emulator.control.faults.clear();
    await stage.pass(120);
    expect([stage.isThere("projects", "shop"), await stage.left()]).toEqual([false, [0, 0]]);
  });
});

describe("a base URL that was edited, while the new one does not answer", () => {
  it("ends the session of the former one, and tells it", async () => {
    await using stage = await Stage.open(token);
    const { kubernetes, emulator, clock } = stage.theatre;
    const metadata = { name: "default", namespace: NAMESPACE };
    const spec = { baseUrl: "http://127.0.0.1:1", token: { secretRef } };
    kubernetes.put("connections", { apiVersion: API, kind: "Connection", metadata, spec });
    await stage.pass(5);
    const { last } = await emulator.control.log.read({});
    kubernetes.delete("projects", NAMESPACE, "shop", clock.now());
    await stage.pass(30);
    expect((await emulator.control.log.read({ after: last })).entries).toEqual([]);
    expect(stage.says()).toContain("DeletionBlocked");
  });
});

describe("a former token that is revoked too, while only the profile fails", () => {
  it("is sent no more after its first refusal: the connection alone asks, by its backoff, and nothing is written again", async () => {
    await using stage = await Stage.open(token);
    const { kubernetes, emulator } = stage.theatre;
    const spec = { projectRef: { name: "shop" }, driftInterval: "1m" };
    for (const name of Array.from({ length: 20 }, (_, n) => `branch-${n}`)) {
      kubernetes.put("branches", { apiVersion: API, kind: "Branch", metadata: { name, namespace: NAMESPACE }, spec });
    }
    stage.operator.look();
    await stage.operator.advanceUntil(() => unready(stage.theatre).length === 0);
    await stage.pass(5);
    const asked = async (): Promise<Readonly<Record<string, number>>> =>
      (await emulator.control.log.summary()).byOperation;
    await stage.fail("profile.get");
    await stage.rotate(true);
    const atFirst = await asked();
    await stage.pass(75); // each was due once
    const [before, version] = [await asked(), kubernetes.version];
    expect(before["branches.list"]).toBeLessThan((atFirst["branches.list"] ?? 0) + 5);
    await stage.pass(300);
    const { "profile.get": looks = 0, ...others } = await asked();
    const { "profile.get": looksBefore = 0, ...othersBefore } = before;
    expect(others).toEqual(othersBefore);
    expect(looks - looksBefore).toBeLessThan(20);
    expect(kubernetes.version).toBe(version);
    expect(JSON.stringify(kubernetes.list("branches").map((object) => object["status"]))).toContain(
      "ConnectionNotReady",
    );
    await emulator.control.faults.clear();
    await stage.pass(180);
    expect(unready(stage.theatre)).toEqual([]);
  });
});
