import type { Declared, Family, Member, Stage } from "./family.ts";
import { type Deed, isEvent } from "./gate.ts";
import { copy, memberOf, restore, type Backup, unlessGone } from "./meddling.ts";
import { nameOf, type Point } from "./points.ts";
import type { Edition } from "./specs.ts";
import type { World } from "./world.ts";

/** What is at rest after something happened to an object. */
export type Rest =
  /** all is as declared */
  | "as declared"
  /** the object is gone, with what it had */
  | "gone"
  /** of the object and its copy one is Ready and the other says why it is not */
  | "one of two"
  /** the object goes on, or says that what is there is not its own until it is told to take it over, and then goes on */
  | "adopted"
  /** the object says that what is there is not its own, and is deleted without it */
  | "left alone";

/** Whether the family goes on through the other stages: what was made of it is what they expect. */
export function goesOn(rest: Rest): boolean {
  return rest === "as declared" || rest === "adopted";
}

/** What happens to a family at a point. */
export interface Happening {
  readonly deed: Deed;
  /** whose request it is */
  readonly member: Member;
  /** done while no operator lives */
  readonly whileDead?: () => Promise<void>;
  /** what is declared from then on */
  readonly declares?: ((declared: Declared) => Declared) | undefined;
}

/** One sort of trouble. */
export interface Disturbance {
  readonly name: string;
  /** whether the operator is killed */
  readonly kills: boolean;
  /** what comes of it, whatever it happens to */
  readonly rest: Rest;
  fits(point: Point): boolean;
  at(world: World, family: Family, point: Point): Happening;
}

const always = (): boolean => true;
/** Each moment once, whatever its phase: the trouble has one of its own. */
const once = ({ phase }: Point): boolean => phase === "before";
const growing: ReadonlySet<Stage> = new Set(["found", "fill", "update"]);
/** An event belongs to no step of its object's way. */
const isStep = ({ label }: Point): boolean => !isEvent(label);
const whileGrowing = (point: Point): boolean => growing.has(point.stage) && point.phase !== "answered" && isStep(point);
const isStatusPatch = ({ label }: Point): boolean => label.startsWith("PATCH baas.dev/") && label.endsWith("/status");

function hold({ phase }: Point): Deed {
  return { kind: "hold", phase };
}

/** The plain matrix: killed, and nothing else. */
export const killed: Disturbance = {
  name: "killed",
  kills: true,
  rest: "as declared",
  fits: always,
  at: (_world, family, point) => ({ deed: hold(point), member: memberOf(family, point) }),
};

function lost(when: "before" | "after" | "late"): Disturbance {
  return {
    name: `answer lost ${when === "late" ? "with a late effect" : `${when} the effect`}`,
    kills: false,
    rest: "as declared",
    fits: once,
    at: (_world, family, point) => ({ deed: { kind: "lose", when }, member: memberOf(family, point) }),
  };
}

const killedLate: Disturbance = {
  name: "killed with a late effect",
  kills: true,
  rest: "as declared",
  fits: once,
  at: (_world, family, point) => ({
    deed: { kind: "hold", phase: "before", late: true },
    member: memberOf(family, point),
  }),
};

function refused(status: 409 | 500): Disturbance {
  return {
    name: `status patch refused with ${status}`,
    kills: false,
    rest: "as declared",
    fits: (point) => once(point) && isStatusPatch(point),
    at: (_world, family, point) => ({ deed: { kind: "refuse", status }, member: memberOf(family, point) }),
  };
}

/** What people do, as the rest of the family sees it. */
interface Meddling {
  readonly name: string;
  readonly fits: (point: Point) => boolean;
  readonly act: (world: World, family: Family, member: Member) => Promise<void>;
  readonly declares?: (member: Member) => Happening["declares"];
  readonly rest: Rest;
}

/** The same beside a living operator, whose request waits meanwhile, and after one that was killed there. */
function meddled({ name, fits, act, declares, rest }: Meddling): readonly Disturbance[] {
  return [true, false].map((kills) => ({
    name: `${name}${kills ? " and killed" : ""}`,
    kills,
    rest,
    fits: (point) => point.phase !== "answered" && fits(point),
    at: (world, family, point): Happening => {
      const member = memberOf(family, point);
      const done = (): Promise<void> => act(world, family, member);
      const what = { member, declares: declares?.(member) };
      if (kills) return { ...what, deed: hold(point), whileDead: done };
      return { ...what, deed: { kind: "meddle", phase: point.phase, act: done } };
    },
  }));
}

const without =
  ({ type }: Member) =>
  (declared: Declared): Declared => ({
    ...declared,
    editions: new Map([...declared.editions].filter(([kind]) => kind !== type.kind)),
  });

const edited =
  ({ type }: Member, edition: Edition) =>
  (declared: Declared): Declared => ({
    ...declared,
    editions: new Map([...declared.editions].map(([kind, old]) => [kind, kind === type.kind ? edition : old])),
  });

const deleted = meddled({
  name: "object deleted",
  fits: whileGrowing,
  act: (_world, family, member) => family.delete(member),
  declares: without,
  rest: "gone",
});

const editedThen = meddled({
  name: "object edited",
  fits: isStep,
  act: (_world, family, member) => unlessGone(family.edit(member, "third")),
  declares: (member) => edited(member, "third"),
  rest: "as declared",
});

const copied = meddled({
  name: "object copied",
  fits: whileGrowing,
  act: ({ kube }, family, member) => copy(kube, family, member),
  rest: "one of two",
});

/** Who is renamed while its record is lost is somebody else by its new name: what it had stays as it was called (docs/operations.md, Disaster). */
const renames = ({ stage }: Point): boolean => stage === "update";

function restoredAs(name: string, backup: Backup, rest: Rest): readonly Disturbance[] {
  return meddled({
    name,
    fits: (point) => whileGrowing(point) && !renames(point),
    act: ({ kube }, family, member) => restore(kube, family, { member, backup }),
    rest,
  });
}

/** Everything but the plain matrix and lost leadership, which is another end of the operator at the plain matrix's points. */
export const disturbances: readonly Disturbance[] = [
  lost("before"),
  lost("after"),
  lost("late"),
  killedLate,
  refused(409),
  refused(500),
  ...deleted,
  ...editedThen,
  ...copied,
  ...restoredAs("restored without status", "status gone", "adopted"),
  ...restoredAs("restored without status and annotations", "both gone", "adopted"),
  ...restoredAs("restored into another cluster and adopted", "other cluster", "adopted"),
  ...restoredAs("restored into another cluster and deleted", "other cluster", "left alone"),
];

/** A disturbance at a point. */
export interface Case {
  readonly disturbance: Disturbance;
  readonly point: Point;
}

/** Every point at which a disturbance can come. */
export function casesOf(all: readonly Disturbance[], points: readonly Point[]): readonly Case[] {
  return all.flatMap((disturbance) =>
    points.filter((point) => disturbance.fits(point)).map((point) => ({ disturbance, point })),
  );
}

export function describeCase({ disturbance, point }: Case): string {
  return `${disturbance.name}, ${nameOf(point)}`;
}
