import { z } from "zod";
import { INSTANCE_SIZES, ORGANIZATION_PLANS, REGIONS } from "../../api/contract/fields.ts";
import { dnsSeed, setDns } from "../domains/dns-seed.ts";
import { LARGEST_SIZE } from "../projects/region-seed.ts";
import { isTrouble, makeTrouble, NO_TROUBLE, troubleSeedShape } from "../projects/service-trouble-seed.ts";
import { releaseSeed, upgradeSeed } from "../projects/upgrade-seed.ts";
import { bucketSeed, putBucket } from "../services/bucket-seed.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations, nothing } from "./call.ts";
import { existingProject, ofProject } from "./of-project.ts";

/** Control calls about what surrounds a project and no operation makes: name servers, room in regions, releases, buckets, troubles. */

export const hostingCalls = {
  dns: {
    set: call({
      summary:
        "Let name servers answer texts for a name, or (obeys) whatever a verification asks for under it, or (silent) nothing at all",
      input: dnsSeed,
      output: done,
    }),
    clear: call({ summary: "Let name servers know nothing", input: nothing, output: done }),
  },
  regions: {
    patch: call({
      summary:
        "Say how large projects in a region may still be (null: none fits), and on which plans; without both: any",
      input: z.strictObject({
        region: z.enum(REGIONS),
        largestSize: z.enum(INSTANCE_SIZES).nullable().optional(),
        plans: z.array(z.enum(ORGANIZATION_PLANS)).optional(),
      }),
      output: done,
    }),
  },
  releases: {
    publish: call({
      summary: "Publish a version of PostgreSQL, which projects can then be upgraded to",
      input: releaseSeed,
      output: done,
    }),
  },
  services: {
    trouble: call({
      summary: "Let a service of a project be unhealthy, not come up, or answer late: SQL, too, if it is the database",
      input: ofProject.extend(troubleSeedShape).refine(isTrouble, NO_TROUBLE),
      output: done,
    }),
    mend: call({ summary: "Let all services of a project do as its life says", input: ofProject, output: done }),
  },
  storage: {
    putBucket: call({
      summary: "Make a bucket, or change it",
      input: ofProject.extend(bucketSeed.shape),
      output: done,
    }),
    removeBucket: call({
      summary: "Remove a bucket",
      input: ofProject.extend({ name: z.string() }),
      output: z.object({ removed: z.boolean() }),
    }),
  },
  upgrades: {
    obstruct: call({
      summary:
        "Say what stands in the way of a project's upgrade, and how the next one fails; what is not said does not",
      input: ofProject.extend(upgradeSeed.shape),
      output: done,
    }),
  },
} as const;

export function hostingControl(world: World): Implementations<typeof hostingCalls> {
  const existing = (ref: string): string => existingProject(world, ref).ref;
  return {
    dns: {
      set: (record) => setDns(world, record),
      clear: () => world.dns.clear(),
    },
    regions: {
      patch: ({ region, largestSize, plans }) => {
        if (largestSize === undefined && plans === undefined) world.regions.delete(region);
        else world.regions.set(region, { largestSize: largestSize === undefined ? LARGEST_SIZE : largestSize, plans });
      },
    },
    releases: {
      publish: (release) => world.releases.set(release.version, release),
    },
    services: {
      trouble: ({ ref, ...trouble }) => makeTrouble(world, existing(ref), trouble),
      mend: ({ ref }) => world.serviceTroubles.drop(existing(ref)),
    },
    storage: {
      putBucket: ({ ref, ...bucket }) => putBucket(world, existing(ref), bucket),
      removeBucket: ({ ref, name }) => ({ removed: world.buckets.delete(existing(ref), name) }),
    },
    upgrades: {
      obstruct: ({ ref, ...obstacles }) => world.upgradeObstacles.set(existing(ref), obstacles),
    },
  };
}
