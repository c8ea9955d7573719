import type { Declared, Family, Member, Stage } from "./family.ts";
import { type Deed, isEvent } from "./gate.ts";
import { copy, memberOf, restore, type Backup, unlessGone } from "./meddling.ts";
import { nameOf, type Point } from "./points.ts";
import type { Edition } from "./specs.ts";
import type { World } from "./world.ts";

/** What is at rest after something happened. */
export type Rest =
  /** all is as declared, and the family goes on */
  | { readonly kind: "as declared" }
  /** the object is gone, with what it had */
  | { readonly kind: "gone"; readonly member: Member }
  /** of the object and its copy one is Ready and the other says why it is not */
  | { readonly kind: "one of two"; readonly member: Member }
  /** the object goes on, or says that what is there is not its own until it is told to take it over, and then goes on */
  | { readonly kind: "adopted"; readonly member: Member }
  /** the object says that what is there is not its own, and is deleted without it */
  | { readonly kind: "left alone"; readonly member: Member };

/** What happens to a family at a point, and what comes of it. */
export interface Happening {
  readonly deed: Deed;
  /** done while no operator lives */
  readonly whileDead?: () => Promise<void>;
  /** what is declared from then on */
  readonly declares?: ((declared: Declared) => Declared) | undefined;
  readonly rest: Rest;
}

/** One sort of trouble. */
export interface Disturbance {
  readonly name: string;
  /** whether the operator is killed */
  readonly kills: boolean;
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
const asDeclared: Rest = { kind: "as declared" };

function hold({ phase }: Point): Deed {
  return { kind: "hold", phase };
}

/** The plain matrix: killed, and nothing else. */
export const killed: Disturbance = {
  name: "killed",
  kills: true,
  fits: always,
  at: (_world, _family, point) => ({ deed: hold(point), rest: asDeclared }),
};

function lost(when: "before" | "after" | "late"): Disturbance {
  return {
    name: `answer lost ${when === "late" ? "with a late effect" : `${when} the effect`}`,
    kills: false,
    fits: once,
    at: () => ({ deed: { kind: "lose", when }, rest: asDeclared }),
  };
}

const killedLate: Disturbance = {
  name: "killed with a late effect",
  kills: true,
  fits: once,
  at: () => ({ deed: { kind: "hold", phase: "before", late: true }, rest: asDeclared }),
};

function refused(status: 409 | 500): Disturbance {
  return {
    name: `status patch refused with ${status}`,
    kills: false,
    fits: (point) => once(point) && isStatusPatch(point),
    at: () => ({ deed: { kind: "refuse", status }, rest: asDeclared }),
  };
}

/** What people do, as the rest of the family sees it. */
interface Meddling {
  readonly act: () => Promise<void>;
  readonly declares?: Happening["declares"];
  readonly rest: Rest;
}

/** The same beside a living operator, whose request waits meanwhile, and after one that was killed there. */
function meddled(
  name: string,
  fits: (point: Point) => boolean,
  of: (world: World, family: Family, member: Member) => Meddling,
): readonly Disturbance[] {
  return [true, false].map((kills) => ({
    name: `${name}${kills ? " and killed" : ""}`,
    kills,
    fits: (point) => point.phase !== "answered" && fits(point),
    at: (world, family, point): Happening => {
      const { act, ...rest } = of(world, family, memberOf(family, point.label));
      if (kills) return { deed: hold(point), whileDead: act, ...rest };
      return { deed: { kind: "meddle", phase: point.phase, act }, ...rest };
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

const deleted = meddled("object deleted", whileGrowing, (_world, family, member) => ({
  act: () => family.delete(member),
  declares: without(member),
  rest: { kind: "gone", member },
}));

const editedThen = meddled("object edited", isStep, (_world, family, member) => ({
  act: () => unlessGone(family.edit(member, "third")),
  declares: edited(member, "third"),
  rest: asDeclared,
}));

const copied = meddled("object copied", whileGrowing, ({ kube }, family, member) => ({
  act: () => copy(kube, family, member),
  rest: { kind: "one of two", member },
}));

/** Who is renamed while its record is lost is somebody else by its new name: what it had stays as it was called (docs/operations.md, Disaster). */
const renames = ({ stage }: Point): boolean => stage === "update";

function restoredAs(name: string, backup: Backup, kind: "adopted" | "left alone"): readonly Disturbance[] {
  const fits = (point: Point): boolean => whileGrowing(point) && !renames(point);
  return meddled(name, fits, ({ kube }, family, member) => ({
    act: () => restore(kube, family, { member, backup }),
    rest: { kind, member },
  }));
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
