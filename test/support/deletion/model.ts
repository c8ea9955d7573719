import type { Random } from "../../../src/base/random.ts";

/**
 * test/support/deletion: what a Project, what lives in it, its Connection and the token's Secret come to in whatever order they are deleted
 * (engine.md §5): a model, and the same families played by the operator.
 */

/** What is deleted, by the name that its object has in every family. */
export const members = ["project", "branch", "function", "secret", "connection", "token"] as const;
export type Member = (typeof members)[number];

/** What exists remotely. */
export type Held = Exclude<Member, "connection" | "token">;
export const held: readonly Held[] = ["project", "branch", "function", "secret"];

type Policy = "Retain" | "Delete";

/** How one family goes. */
export interface Leave {
  readonly order: readonly Member[];
  readonly policies: Readonly<Record<Held, Policy>>;
  /** what the function lives in; the secret lives in the project */
  readonly functionIn: "project" | "branch";
  /** whether the whole namespace is being deleted */
  readonly terminating: boolean;
  /** whether the operator hears of all deletions together, or has done with each before the next */
  readonly pace: "at once" | "one by one";
  /** whether all but the Connection are paused, which stops no deletion */
  readonly paused: boolean;
  /** whether the Secret gets another token right before, where the platform fails: what was let in before is good yet */
  readonly rotated: boolean;
}

export function describeLeave({ order, policies, functionIn, terminating, pace, paused, rotated }: Leave): string {
  const says = held.map((kind) => `${kind} ${policies[kind]}`).join(", ");
  const whole = terminating ? "with its namespace" : "alone";
  const how = `${paused ? ", paused" : ""}${rotated ? ", rotated" : ""}`;
  return `${order.join(" > ")}, ${pace}, ${whole}${how}; ${says}; function in the ${functionIn}`;
}

/** Whether `first` was on its way out when the operator dealt with `then`. */
function precedes({ order, pace, terminating }: Leave, first: Held, then: Held): boolean {
  return terminating || pace === "at once" || order.indexOf(first) < order.indexOf(then);
}

/** What of a family cannot be deleted, whatever the policies say. */
type Stuck = (kind: Held) => boolean;

const nothing: Stuck = () => false;

/**
 * What is left remotely: what says Retain; what lives in a kept Project or Branch that went before it, or with it; of a namespace whose Project
 * says Retain, all; and what is stuck. With what is deleted goes what lives in it.
 */
export function leftBy(leave: Leave, stuck: Stuck = nothing): readonly Held[] {
  const { policies, functionIn } = leave;
  if (policies.project === "Delete" && !stuck("project")) return [];
  const isDeleted = (kind: Held): boolean => {
    if (policies[kind] === "Retain" || stuck(kind) || precedes(leave, "project", kind)) return false;
    return !(
      kind === "function" &&
      functionIn === "branch" &&
      policies.branch === "Retain" &&
      precedes(leave, "branch", kind)
    );
  };
  return held.filter((kind) => {
    if (kind === "project") return true;
    return !isDeleted(kind) && !(kind === "function" && functionIn === "branch" && isDeleted("branch"));
  });
}

/**
 * What is told to be left. Of what lives in a Project or Branch that was let go nothing is told: that one's line says it. Nor of what a Project or
 * Branch with Retain keeps.
 */
export function toldOf(leave: Leave, stuck: Stuck): readonly Held[] {
  const { policies, functionIn } = leave;
  if (policies.project === "Retain") return [];
  const isTold = (kind: Held): boolean => {
    return policies[kind] === "Delete" && stuck(kind) && (kind === "project" || !precedes(leave, "project", kind));
  };
  // One that is stuck is kept with a Branch that says Retain, also where that goes after it: all have gone before its bound.
  const isBranchKept = policies.branch === "Retain" || precedes(leave, "branch", "function");
  const withBranch = functionIn === "branch" && isBranchKept;
  return held.filter((kind) => isTold(kind) && !(kind === "function" && withBranch));
}

/** Whether a process that knows nothing of earlier ones lacks the credential: the Secret is held only in a namespace that goes. */
export function lacksCredential({ order, terminating }: Leave, kind: Held): boolean {
  return !terminating && order.indexOf(kind) > order.indexOf("token");
}

/** All orders of the members. */
export function allOrders(rest: readonly Member[] = members): readonly (readonly Member[])[] {
  if (rest.length === 0) return [[]];
  return rest.flatMap((first) => allOrders(rest.filter((other) => other !== first)).map((more) => [first, ...more]));
}

/** A way for a family to go, its order given. */
export function drawLeave(order: readonly Member[], random: Random, fixed: Partial<Leave> = {}): Leave {
  const coin = (): boolean => random() < 0.5;
  const policy = (): Policy => (coin() ? "Retain" : "Delete");
  return {
    order,
    policies: { project: policy(), branch: policy(), function: policy(), secret: policy() },
    functionIn: coin() ? "project" : "branch",
    terminating: coin(),
    pace: coin() ? "at once" : "one by one",
    paused: random() < 0.25,
    rotated: coin(),
    ...fixed,
  };
}

/** So many different ones of a list. */
export function sample<T>(list: readonly T[], size: number, random: Random): readonly T[] {
  return list
    .map((item) => ({ item, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .slice(0, size)
    .map(({ item }) => item);
}
