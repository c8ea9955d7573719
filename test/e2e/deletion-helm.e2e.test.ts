import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { RETAINED } from "../../src/controllers/shared/releases.ts";
import { held } from "../support/deletion/model.ts";
import {
  allSay,
  familyOf,
  listed,
  nothingReleased,
  ours,
  remoteOf,
  type Says,
  waitReady,
} from "../support/deletion/on-stage.ts";
import { eventually } from "../support/stage/eventually.ts";
import type { Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";
import { installRelease, uninstallRelease } from "../support/stage/user-release.ts";

/** A release of somebody's that holds credentials and objects, uninstalled by Helm, which has an order of its own (engine.md §5). */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe("helm uninstall of a release with credentials and objects", () => {
  const keepsAll: Says = {
    policies: { project: "Retain", branch: "Retain", function: "Retain", secret: "Retain" },
    functionIn: "branch",
  };
  const absent = "while no operator lives, and one comes after";
  const alive = "while the operator lives";

  it.each([
    { name: "helm-alive", while: alive, policies: "Delete", says: allSay("Delete"), stays: [] },
    { name: "helm-absent", while: absent, policies: "Delete", says: allSay("Delete"), stays: [] },
    { name: "helm-alive-retain", while: alive, policies: "Retain of everything", says: keepsAll, stays: held },
    // All are on their way out when it is seen, so that what lives in the Project stays with it, whatever it says itself.
    {
      name: "helm-absent-retain",
      while: absent,
      policies: "the defaults",
      says: { policies: {}, functionIn: "branch" },
      stays: held,
    },
  ] as const)("leaves what the policies say: $policies, $while", async ({ name, while: when, says, stays }) => {
    const room = await stage.room(name);
    await room.kubectl("delete", "connection/default", "secret/token");
    await installRelease(room, "app", [...room.connection(), ...familyOf(room, says)]);
    const remote = await waitReady(room, says.functionIn);
    if (when === absent) await stage.operator.kill("SIGTERM");
    await uninstallRelease(room, "app");
    if (when === absent) {
      await expectSecretsFirst(room);
      await stage.operator.startReplica();
    }
    await eventually("all objects are gone", async () =>
      (await room.kubectl("get", `${ours},connections`, "--output=name")) === "" ? true : undefined,
    );
    // The password of a database that stays is kept, too.
    const secrets = stays.length > 0 ? "secret/shop-database-password\n" : "";
    await eventually("the credential is gone", async () =>
      (await room.kubectl("get", "secrets", "--output=name")) === secrets ? true : undefined,
    );
    expect(await remoteOf(remote)).toEqual(stays);
    const kept = (await listed(stage)).filter(({ object }) => object === `${room.namespace}/shop`);
    const line = { cause: RETAINED, object: `${room.namespace}/shop`, remote: `project ${remote.ref}` };
    expect(kept).toEqual(stays.length > 0 ? [line] : []);
    await nothingReleased(stage);
  });
});

const versionsSchema = z.object({
  items: z.array(
    z.object({ metadata: z.object({ resourceVersion: z.string(), deletionTimestamp: z.string().optional() }) }),
  ),
});

/** Nobody wrote the objects that are held since Helm asked for their deletion: the credential's was asked for before all others. */
async function expectSecretsFirst(room: Room): Promise<void> {
  const read = async (resources: string): Promise<readonly number[]> =>
    versionsSchema
      .parse(JSON.parse(await room.kubectl("get", resources, "--output=json")))
      .items.flatMap(({ metadata: { resourceVersion, deletionTimestamp } }) =>
        deletionTimestamp === undefined ? [] : [Number(resourceVersion)],
      );
  const [secrets, others] = [await read("secrets"), await read("projects,branches,edgefunctions,connections")];
  expect(secrets).toHaveLength(1);
  expect(others).toHaveLength(4);
  expect(Math.max(...secrets)).toBeLessThan(Math.min(...others));
}
