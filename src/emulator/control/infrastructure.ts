import { z } from "zod";
import { NETWORK_ENTITLEMENTS } from "../../api/contract/network-restrictions.ts";
import { badRequest } from "../failure.ts";
import { replicasOf } from "../infrastructure/primary-and-replicas.ts";
import {
  autoscaleChange,
  ban,
  banSchema,
  entitleNetwork,
  fillDisk,
  databasesOf,
  SETUP_FAILED,
  setAutoscale,
  supportSsl,
  usedPercentSchema,
} from "../infrastructure/infrastructure-seed.ts";
import { always, statusAt } from "../state/life.ts";
import type { DatabaseStatus } from "../infrastructure/replica-state.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations } from "./call.ts";
import { notThere } from "./not-there.ts";
import { existingProject, ofProject } from "./of-project.ts";

/** Control calls about a project's database server, disk and network: what no operation can bring about. */

export const infrastructureCalls = {
  disk: {
    fill: call({
      summary: "Let a part of a project's disk be used; from 95 percent on the database is read-only",
      input: ofProject.extend({ usedPercent: usedPercentSchema }),
      output: done,
    }),
    autoscale: call({
      summary: "Say how a project's disk grows by itself; null: nothing is set",
      input: ofProject
        .extend(autoscaleChange.shape)
        .refine(
          ({ ref: _, ...changes }) => Object.keys(changes).length > 0,
          "nothing to change: say growthPercent, minIncrementGb or maxSizeGb",
        ),
      output: done,
    }),
  },
  network: {
    ban: call({
      summary: "Let a database of a project ban an address, as after failed logins",
      input: ofProject.extend(banSchema.shape),
      output: done,
    }),
    entitle: call({
      summary: "Allow a project network restrictions, or disallow them, whatever its plan says",
      input: ofProject.extend({ entitlement: z.enum(NETWORK_ENTITLEMENTS) }),
      output: done,
    }),
  },
  ssl: {
    support: call({
      summary: "Let a project be one that can enforce SSL, or one that cannot",
      input: ofProject.extend({ supported: z.boolean() }),
      output: done,
    }),
  },
  replicas: {
    fail: call({
      summary: "Let the setup of a read replica fail",
      input: ofProject.extend({ identifier: z.string() }),
      output: done,
    }),
  },
} as const;

export function infrastructureControl(world: World): Implementations<typeof infrastructureCalls> {
  const existing = (ref: string): string => existingProject(world, ref).ref;
  return {
    disk: {
      fill: ({ ref, usedPercent }) => fillDisk(world, existing(ref), usedPercent),
      autoscale: ({ ref, ...change }) => setAutoscale(world, existing(ref), change),
    },
    network: {
      ban: ({ ref, ...wanted }) => {
        const { identifier = ref } = wanted;
        const known = databasesOf(world, existing(ref));
        if (!known.includes(identifier)) throw notThere("Database", identifier, known);
        ban(world, ref, wanted);
      },
      entitle: ({ ref, entitlement }) => entitleNetwork(world, existing(ref), entitlement),
    },
    ssl: {
      support: ({ ref, supported }) => supportSsl(world, existing(ref), supported),
    },
    replicas: {
      fail: ({ ref, identifier }) => {
        const replicas = replicasOf(world, existing(ref));
        const replica = replicas.find((one) => one.identifier === identifier);
        if (replica === undefined) {
          const known = replicas.map((one) => one.identifier);
          throw notThere("Read replica", identifier, known);
        }
        // it would stay for ever, though its removal was acknowledged
        if (statusAt(replica.life, world.clock.now()) === "GOING_DOWN") {
          throw badRequest(`Read replica ${identifier} is on its way out`);
        }
        const life = always<DatabaseStatus>(world.clock.now(), SETUP_FAILED);
        world.readReplicas.set(ref, identifier, { ...replica, life });
      },
    },
  };
}
