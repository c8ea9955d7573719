import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import {
  clientSecret,
  consentAnew,
  ownIdentity,
  type Rotation,
  secretRef,
  token,
  writeOwnToken,
} from "../../../test/support/controllers/rotations.ts";
import { AT_ONCE, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { RELEASES_NAME } from "../shared/releases.ts";

/**
 * A credential that is rotated while the platform fails (engine.md §5): the session goes on with the former one until the new one is let in, no deletion
 * that it is needed for goes silent, and no Secret goes with the only copy of what was not let in yet.
 */

const API = "baas.dev/v1alpha1";
const SECOND_MS = 1000;
const DOWN = { kind: "status", status: 503 } as const;

let folder: string;
let tokenFile: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rotated-"));
  tokenFile = join(folder, "token");
  await writeOwnToken(tokenFile);
});

afterAll(() => rm(folder, { recursive: true }));

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
    const metadata = { name: "default", namespace: NAMESPACE };
    const connection = { baseUrl: emulator.url, ...spec };
    kubernetes.put("connections", { apiVersion: API, kind: "Connection", metadata, spec: connection });
    const stage = new Stage(theatre, await WholeOperator.start(theatre), rotate);
    stage.putProject();
    stage.operator.look();
    await stage.operator.advanceUntil(() => unready(theatre).length === 0);
    await stage.pass(5);
    return stage;
  }

  /** @param more of its spec, beside what is always declared */
  putProject(more: object = {}): void {
    const metadata = { name: "shop", namespace: NAMESPACE };
    const spec = { organization: "acme", deletionPolicy: "Delete", deletionTimeout: "5m", ...more };
    this.theatre.kubernetes.put("projects", { apiVersion: API, kind: "Project", metadata, spec });
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

    it("leaves it so where the platform answers 401 to a write that it does not like", async () => {
      await using stage = await Stage.open(rotation);
      const { faults } = stage.theatre.emulator.control;
      await stage.fail("organizations.list");
      await stage.rotate(false);
      await stage.pass(5);
      await faults.add({ operation: "projects.pause", fault: { kind: "status", status: 401 } });
      stage.putProject({ state: "Paused" });
      await stage.pass(10);
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
