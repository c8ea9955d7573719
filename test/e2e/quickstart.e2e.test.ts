import { afterAll, beforeAll, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import {
  QUICKSTART_NAMESPACE,
  QUICKSTART_ORGANIZATION,
  QUICKSTART_TOKEN,
  quickstartManifests,
} from "../support/stage/quickstart.ts";
import { Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What a new user applies first, as it stands in examples/quickstart. */

let stage: Stage;
let room: Room;

beforeAll(async () => {
  stage = await startStage({ emulator: { tokens: [QUICKSTART_TOKEN], org: QUICKSTART_ORGANIZATION, speed: 100 } });
  const { cluster, emulator } = stage;
  room = new Room({ cluster, emulator, namespace: QUICKSTART_NAMESPACE, token: QUICKSTART_TOKEN });
  succeeded(await kubectl(cluster, ["create", "namespace", QUICKSTART_NAMESPACE]));
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

async function applyQuickstart(): Promise<string> {
  const stdin = await quickstartManifests(stage.emulator.url);
  return succeeded(await kubectl(stage.cluster, ["apply", "-f", "-"], { stdin }));
}

const objects = [
  ["Connection", "default"],
  ["Project", "shop"],
  ["Branch", "preview"],
  ["EdgeFunction", "hello"],
  ["EdgeFunction", "checkout"],
  ["Secret", "environment"],
] as const;

it("becomes Ready as it is written", async () => {
  await applyQuickstart();
  for (const [kind, name] of objects) await room.ready(kind, name);
  const { projects } = await stage.emulator.control.state.read({});
  const shop = projects.find(({ name }) => name === "shop");
  const verified = Object.fromEntries((shop?.functions ?? []).map(({ slug, verifyJwt }) => [slug, verifyJwt]));
  expect(verified).toEqual({ checkout: true, hello: false });
  expect(
    shop?.secrets
      .filter(({ platform }) => !platform)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(["GREETING", "PAYMENT_KEY"]);
});

it("changes nothing when it is applied again", async () => {
  const before = await room.lastRequest();
  // kubectl calls a core Secret with stringData configured each time.
  expect(await applyQuickstart()).not.toMatch(/baas\.dev\/\S+ (configured|created)/);
  for (const [kind, name] of objects) await room.reconcile(kind, name);
  const { entries } = await stage.emulator.control.log.read({ after: before });
  expect(entries.filter(({ method }) => method !== "GET")).toEqual([]);
});

it("goes as a whole with its namespace", async () => {
  await room.kubectl("delete", "namespace", QUICKSTART_NAMESPACE, "--timeout=110s");
  const { projects, branches } = await stage.emulator.control.state.read({});
  expect({ projects, branches }).toEqual({ projects: [], branches: [] });
});
