import type { Action } from "./choosing.ts";
import type { Chance } from "./chance.ts";
import { faults, hitOf, type Trouble, watchFaults, watchHitOf } from "./cluster-traffic.ts";
import { ailments } from "./platform-line.ts";
import { missingFirst, Quota } from "./quota.ts";
import type { World } from "./world.ts";

/** What goes wrong in a round at the apiserver, on the way to the platform, with the operators and with their clocks. */

/** Requests to the apiserver that may pass between two faults that are owed. */
const MOST_APART = 4;

/** How the apiserver does for a round: each sort of fault comes once, in some rounds many more. */
export function clusterTrouble(chance: Chance): Trouble {
  return {
    seed: chance.between(0, 2 ** 31),
    share: chance.oneOf([0, 0, 0.05, 0.2, 0.5]),
    watchShare: chance.oneOf([0, 0.3]),
    owed: new Quota(faults, chance, MOST_APART),
    owedToWatches: new Quota(watchFaults, chance, MOST_APART),
  };
}

interface Incident {
  /** by which it is noted when it comes */
  readonly hit: string;
  readonly make: (world: World, chance: Chance) => Action;
}

/** How likely one of them comes in a round once all of them have come. */
interface Incidents {
  readonly probability: number;
  readonly all: readonly Incident[];
}

const INCIDENTS: readonly Incidents[] = [
  {
    probability: 0.4,
    all: [
      { hit: "watches cut", make: cut },
      { hit: "watches half open", make: halfOpen },
    ],
  },
  {
    probability: 0.35,
    all: [
      { hit: "wall clocks put ahead or back", make: shiftWall },
      { hit: "hours that pass at once", make: jump },
    ],
  },
  {
    probability: 0.3,
    all: [
      { hit: "leadership handed over", make: handOver },
      { hit: "lease lost", make: loseLease },
      { hit: "no operator", make: pause },
    ],
  },
  {
    probability: 1,
    all: [
      { hit: "restart", make: restart },
      { hit: "platform out of reach", make: unreachable },
      { hit: "compaction", make: compact },
    ],
  },
];

/** By which all of this is noted when it comes. */
export const TROUBLES = [
  ...faults.map(hitOf),
  ...watchFaults.map(watchHitOf),
  ...INCIDENTS.flatMap(({ all }) => all.map(({ hit }) => hit)),
];

/** What happens at single moments of a round: of each sort one that has not come yet, and then by chance. */
export function incidents(world: World, chance: Chance): readonly Action[] {
  return INCIDENTS.flatMap(({ probability, all }) => {
    const [next] = missingFirst(chance.shuffled(all), world.crew.hits);
    if (next === undefined || (world.crew.hits.has(next.hit) && !chance.is(probability))) return [];
    return [{ ...next.make(world, chance), hit: next.hit }];
  });
}

/** Does something to every watch that there is. */
function each({ crew }: World, act: (traffic: World["crew"]["traffics"][number]) => void): void {
  for (const traffic of crew.traffics) act(traffic);
}

function cut(world: World): Action {
  return { what: "cut the watches", act: () => Promise.resolve(each(world, (traffic) => traffic.cut())) };
}

function halfOpen(world: World, chance: Chance): Action {
  const ms = chance.between(1000, 300_000);
  return {
    what: `leave the watches half open for ${ms} ms`,
    act: async () => {
      each(world, (traffic) => traffic.silence());
      await world.time.run(ms);
      each(world, (traffic) => traffic.cut());
    },
  };
}

function compact(world: World, chance: Chance): Action {
  const ms = chance.between(1000, 300_000);
  return {
    what: `compact what happened in ${ms} ms without watches`,
    act: async () => {
      each(world, (traffic) => traffic.silence());
      await world.time.run(ms);
      await world.plane.compactEtcd();
      each(world, (traffic) => traffic.cut());
    },
  };
}

/** Nobody answers for the platform, or not what it speaks. */
function unreachable({ line, crew, time }: World, chance: Chance): Action {
  const ailment = chance.oneOf(ailments);
  const ms = chance.between(1000, 900_000);
  return {
    what: `the platform out of reach for ${ms} ms (${ailment})`,
    act: async () => {
      await line.ail(ailment);
      await time.run(ms);
      await line.mend();
      crew.note(`platform ${ailment}`);
    },
  };
}

function shiftWall({ crew }: World, chance: Chance): Action {
  const ms = chance.between(-7_200_000, 7_200_000);
  return { what: `put the operators' wall clocks ${ms} ms ahead`, act: () => Promise.resolve(crew.shiftWall(ms)) };
}

function jump({ time }: World, chance: Chance): Action {
  const ms = chance.between(60_000, 3_600_000);
  return { what: `jump ${ms} ms at once`, act: () => Promise.resolve(time.clock.advance(ms)) };
}

function handOver({ crew }: World): Action {
  return { what: "let the other operator lead", act: () => crew.handOver() };
}

function loseLease({ crew }: World): Action {
  return { what: "take the lease away", act: () => crew.loseLease() };
}

function pause({ crew }: World, chance: Chance): Action {
  const ms = chance.between(1000, 900_000);
  return { what: `run no operator for ${ms} ms`, act: () => crew.pause(ms) };
}

function restart({ plane, crew, time }: World): Action {
  return {
    what: "restart the apiserver",
    act: async () => {
      await time.during(plane.restartApiserver());
      await crew.complete();
    },
  };
}
