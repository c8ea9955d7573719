import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { seededRandom } from "../../src/base/random.ts";
import { kinds as allKinds } from "../../src/resources/kinds.ts";
import { allOrders, describeLeave, drawLeave, held, leftBy, members, sample } from "../support/deletion/model.ts";
import { allSay, nothingReleased, ours, remoteOf, remove, settled } from "../support/deletion/on-stage.ts";
import { untilEstablished } from "../support/programs/definitions.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { seedFrom } from "../support/seed.ts";
import { RoomApp } from "../support/stage/apps.ts";
import { eventually } from "../support/stage/eventually.ts";
import { coreSecret } from "../support/stage/functions.ts";
import type { Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/**
 * Families that go in any order on a real control plane, in whose namespaces the apiserver has an order of its own (engine.md §5). All
 * orders are played in test/deletion/orders.test.ts; here a sample, which `DELETION_SEED` repeats.
 */

const seed = seedFrom("DELETION_SEED");
const random = seededRandom(seed);
console.log(`DELETION_SEED=${seed}`);

const AUDIENCE = "https://api.platform.example";
const WORKLOAD = "whole-workload";
const crds = fileURLToPath(new URL("../../crds", import.meta.url));
const definitions = allKinds.map(({ type }) => `crd/${type.plural}.${type.group}`);

/** A definition whose objects live in a Project. */
function isOfChild(definition: string): boolean {
  return /^crd\/(?:branches|edgefunctions|secrets)\./u.test(definition);
}

let stage: Stage;

beforeAll(async () => {
  const workloadIdentity = { enabled: true, audience: AUDIENCE, namespaces: [WORKLOAD] };
  stage = await startStage({ operator: { values: { workloadIdentity } } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe.concurrent("a namespace deleted whole", () => {
  const order = sample(members, members.length, random);

  it.each([
    { policy: "Delete", firsts: order.slice(0, 3) },
    { policy: "Retain", firsts: order.slice(3) },
  ] as const)(
    "goes with what its Project says, whichever object went before it: $policy, $firsts",
    async ({ policy, firsts }) => {
      await Promise.all(
        firsts.map(async (first) => {
          const room = await stage.room(`whole-${first}`);
          const remote = await settled(room, allSay(policy, "project"));
          await remove(room, first);
          await room.kubectl("delete", "namespace", room.namespace, "--timeout=90s");
          // What was deleted alone, from a Project that was there yet, is gone.
          const stays = held.filter((kind) => kind === "project" || kind !== first);
          expect(await remoteOf(remote)).toEqual(policy === "Retain" ? stays : []);
        }),
      );
      await nothingReleased(stage);
    },
  );

  it("goes as well where the credential is an OAuth app's, Secrets first, or the operator's own identity", async () => {
    const oauth = async (): Promise<void> => {
      const room = await stage.room("whole-oauth");
      const app = await RoomApp.register(room);
      await room.apply(app.connection(await app.consent()));
      await app.acts();
      const remote = await settled(room, allSay("Delete"));
      await remove(room, "token", ["app", "consent"]);
      await room.kubectl("delete", "namespace", room.namespace, "--timeout=90s");
      expect(await remoteOf(remote)).toEqual([]);
    };
    const workload = async (): Promise<void> => {
      const room = await stage.room(WORKLOAD);
      await room.apply(
        room.ours("Connection", "default", {
          baseUrl: room.emulator.url,
          workloadIdentity: { clientId: await trustedApp(room) },
        }),
      );
      await room.until("Connection", "default", ({ status }) => JSON.stringify(status).includes("OAuthClient"));
      const remote = await settled(room, allSay("Delete"));
      await remove(room, "connection");
      await room.kubectl("delete", "namespace", room.namespace, "--timeout=90s");
      expect(await remoteOf(remote)).toEqual([]);
    };
    await Promise.all([oauth(), workload()]);
    await nothingReleased(stage);
  });
});

const jwksSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** An app that acts for the room's user, as whoever the cluster says is the operator. */
async function trustedApp({ namespace }: Room): Promise<string> {
  const text = succeeded(await kubectl(stage.cluster, ["get", "--raw", "/openid/v1/jwks"]));
  const clientId = `app-of-${namespace}`;
  const jwtBearer = {
    issuer: "https://kubernetes.default.svc",
    subject: "system:serviceaccount:baas-system:baas-operator",
    audience: AUDIENCE,
    jwks: jwksSchema.parse(JSON.parse(text)),
    user: `user-of-${namespace}`,
    organization: namespace,
  };
  await stage.emulator.control.oauth.addApp({ clientId, clientSecret: "not shown", jwtBearer });
  return clientId;
}

describe.concurrent("objects deleted one by one", () => {
  const leaves = sample(allOrders(), 3, random).map((order) =>
    drawLeave(order, random, { terminating: false, pace: "one by one", paused: false, rotated: false }),
  );

  it.each(leaves.map((leave, index) => ({ leave, index, says: describeLeave(leave) })))(
    "all go, and what is left is what the policies say: $says",
    async ({ leave, index }) => {
      const room = await stage.room(`one-by-one-${index}`);
      const remote = await settled(room, leave);
      for (const member of leave.order) await remove(room, member);
      await eventually("all objects are gone", async () =>
        (await room.kubectl("get", `${ours},connections`, "--output=name")) === "" ? true : undefined,
      );
      expect(await remoteOf(remote)).toEqual(leftBy(leave));
      await nothingReleased(stage);
    },
  );
});

describe.concurrent("a credential's Secret deleted and applied again with another value", () => {
  async function token(room: Room): Promise<() => Promise<void>> {
    const other = `another-${room.token}`;
    await stage.emulator.control.tokens.add({ token: other, user: `user-of-${room.namespace}` });
    return async () => {
      await stage.emulator.control.tokens.revoke({ token: room.token });
      await room.kubectl("delete", "secret", "token", "--timeout=40s");
      await room.apply(coreSecret(room, "token", { token: other }));
    };
  }

  async function consent(room: Room): Promise<() => Promise<void>> {
    const app = await RoomApp.register(room);
    await room.apply(app.connection(await app.consent()));
    await app.acts();
    return async () => {
      await app.revoke();
      await room.kubectl("delete", "secret", "app", "consent", "--timeout=40s");
      await room.apply(app.secretsIn(room.namespace, await app.consent()));
    };
  }

  it.each([
    { kind: "token", prepare: token },
    { kind: "oauth", prepare: consent },
  ])("is in use within seconds: $kind", async ({ kind, prepare }) => {
    const room = await stage.room(`replaced-${kind}`);
    const replace = await prepare(room);
    await room.apply(room.project("shop"));
    await room.ready("Project", "shop");
    await replace();
    await room.apply(room.project("shop", { name: "renamed" }));
    await room.ready("Project", "shop", 15_000);
    expect((await room.projects()).map(({ name }) => name)).toEqual(["renamed"]);
  });
});

describe("the definitions deleted with objects there", () => {
  const [ofChildren, others] = [definitions.filter(isOfChild), definitions.filter((name) => !isOfChild(name))];

  it.each([
    { order: "all in one command, as the chart's README says", at: "once", commands: [definitions] },
    { order: "those of children first", at: "children", commands: [ofChildren, others] },
  ])(
    "go with them, the platform is left as the policies say, and the operator goes on when they are back: $order",
    async ({ at, commands }) => {
      const [gone, kept] = [await stage.room(`crds-delete-${at}`), await stage.room(`crds-retain-${at}`)];
      const doomed = await settled(gone, allSay("Delete"));
      // By default: only the Project says Retain, and what lives in it stays with it, whichever definition goes first.
      const retained = await settled(kept, allSay("Retain"));
      for (const names of commands) succeeded(await kubectl(stage.cluster, ["delete", ...names, "--timeout=90s"]));
      expect(await remoteOf(doomed)).toEqual([]);
      expect(await remoteOf(retained)).toEqual(held);
      expect(await kept.kubectl("get", "secret", "token", "--output=jsonpath={.metadata.finalizers}")).toBe("");
      await nothingReleased(stage);
      succeeded(await kubectl(stage.cluster, ["apply", "--server-side", "--force-conflicts", `--filename=${crds}`]));
      await untilEstablished(stage.cluster, definitions);
      await kept.apply([...kept.connection(), kept.project("again")]);
      await kept.ready("Project", "again", 60_000);
      expect(stage.operator.replicas.at(-1)?.exit).toBeUndefined();
    },
  );
});
