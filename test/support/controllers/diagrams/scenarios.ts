import { NAMESPACE } from "../life.ts";
import type { Play } from "./play.ts";

/** What happens to an object, one thing after the other; after each there is rest. */
export interface Happening {
  readonly what: string;
  readonly act: () => unknown;
  /** it takes Ready away, or puts it there: once. Anything else leaves it as it is */
  readonly moves?: true;
  /** driven time until rest, milliseconds; default: two drift intervals */
  readonly restMs?: number;
}

export const outage = { operation: "*", count: null, fault: { kind: "status", status: 503 } } as const;
const SHOP = { organization: "acme", name: "shop", deletionPolicy: "Delete" };
/** For fields that are written three times, a drift interval apart. */
export const LONG_MS = 4 * 600_000;

export function putShop(play: Play, more: object = {}): void {
  play.put("projects", "shop", { ...SHOP, ...more });
}

export function shopRef(play: Play): string {
  return String(play.statusOf("projects", "shop")["ref"]);
}

type Plural = Parameters<Play["put"]>[0];

/** What leaves every kind Ready: trouble on the way to the platform, a new process, and being paused. */
export function troubles(play: Play, plural: Plural, name: string): readonly Happening[] {
  const { faults } = play.theatre.emulator.control;
  return [
    { what: "an outage of the platform", act: () => faults.add(outage) },
    { what: "its end", act: () => faults.clear({}) },
    { what: "a restart", act: () => play.restart() },
    { what: "the annotation paused", act: () => play.annotate(plural, name, { "baas.dev/paused": "true" }) },
    { what: "its removal", act: () => play.annotate(plural, name, { "baas.dev/paused": undefined }) },
  ];
}

export function projectLife(play: Play): readonly Happening[] {
  const { control } = play.theatre.emulator;
  const { projects, faults } = control;
  const put = (more: object = {}): void => putShop(play, more);
  const ref = (): string => shopRef(play);
  const rename = (name: string): Promise<unknown> => play.client.projects.update({ ref: ref(), body: { name } });
  const fault = (operation: "projects.update" | "projects.delete", status: number, body: object): Promise<unknown> =>
    faults.add({ operation, count: null, fault: { kind: "status", status, body } });
  const secretKeyRef = { name: "mine", key: "password" };
  return [
    { what: "applied with an organization that is not there", act: () => put({ organization: "nobody" }) },
    {
      what: "corrected, and held on its way up",
      act: async () => {
        await projects.hold({ refOrName: "shop", at: "COMING_UP" });
        put({ provisioningTimeout: "5m" });
      },
    },
    { what: "released", act: () => projects.release({ refOrName: "shop" }), moves: true },
    { what: "edited", act: () => put({ name: "other" }) },
    { what: "renamed by hand", act: () => rename("by hand") },
    {
      what: "renamed by hand where the platform fails over the name",
      act: async () => {
        await rename("by hand");
        await fault("projects.update", 500, { message: "oops" });
      },
      moves: true,
    },
    { what: "the end of that", act: () => faults.clear({}), moves: true },
    { what: "set to Report", act: () => put({ name: "other", driftPolicy: "Report" }) },
    { what: "renamed by hand again", act: () => rename("by hand") },
    { what: "set to Correct", act: () => put({ name: "other" }) },
    ...troubles(play, "projects", "shop"),
    { what: "paused by its spec", act: () => put({ state: "Paused" }), moves: true },
    { what: "resumed by its spec", act: () => put({ state: "Running" }), moves: true },
    { what: "set to Observe", act: () => put({ name: "another", managementPolicy: "Observe" }) },
    { what: "set to Manage", act: () => put({ name: "another" }) },
    { what: "given a password that is not there", act: () => put({ databasePassword: { secretKeyRef } }), moves: true },
    {
      what: "the password put there",
      act: () => play.putCore("secrets", "mine", { password: "good enough" }),
      moves: true,
    },
    { what: "the password rotated", act: () => play.putCore("secrets", "mine", { password: "as good as that" }) },
    { what: "failing", act: () => projects.force({ ref: ref(), status: "INIT_FAILED" }), moves: true },
    { what: "up again", act: () => projects.force({ ref: ref(), status: "ACTIVE_HEALTHY" }), moves: true },
    { what: "deleted by hand", act: () => projects.remove({ ref: ref() }), moves: true },
    {
      what: "to be made again",
      act: () => play.annotate("projects", "shop", { "baas.dev/recreate": ref() }),
      moves: true,
    },
    {
      what: "edited where the platform takes a name and does not keep it",
      act: async () => {
        await fault("projects.update", 200, { id: 1, ref: ref(), name: "another" });
        put({ name: "new" });
      },
      restMs: LONG_MS,
    },
    {
      what: "edited where it keeps it",
      act: async () => {
        await faults.clear({});
        put({ name: "newer" });
      },
    },
    {
      what: "deleted where the platform refuses that",
      act: async () => {
        await fault("projects.delete", 403, { message: "not you" });
        play.theatre.kubernetes.delete("projects", NAMESPACE, "shop");
      },
      moves: true,
    },
    { what: "deleted", act: () => faults.clear({}) },
  ];
}

export function branchLife(play: Play): readonly Happening[] {
  const { branches, faults } = play.theatre.emulator.control;
  const put = (more: object = {}): void => play.put("branches", "one", { projectRef: { name: "shop" }, ...more });
  const ref = (): string => String(play.statusOf("branches", "one")["ref"]);
  const patch = (body: object): Promise<unknown> =>
    play.client.branches.update({ branch_id_or_ref: ref(), body }, { parentRef: shopRef(play) });
  const remove = (): Promise<unknown> =>
    play.client.branches.delete({ branch_id_or_ref: ref() }, { parentRef: shopRef(play) });
  return [
    { what: "applied with its Project", act: () => put(), moves: true },
    { what: "edited", act: () => put({ name: "other" }) },
    { what: "renamed by hand", act: () => patch({ branch_name: "by hand" }) },
    { what: "set to Report", act: () => put({ name: "other", driftPolicy: "Report" }) },
    { what: "renamed by hand again", act: () => patch({ branch_name: "by hand" }) },
    { what: "set to Correct", act: () => put({ name: "other" }) },
    ...troubles(play, "branches", "one"),
    { what: "set to Observe", act: () => put({ name: "another", managementPolicy: "Observe" }) },
    { what: "set to Manage", act: () => put({ name: "another" }) },
    {
      what: "edited where the platform takes a name and does not keep it",
      act: async () => {
        const [kept] = (await play.client.branches.list({ ref: shopRef(play) })).filter(
          ({ is_default }) => !is_default,
        );
        await faults.add({
          operation: "branches.update",
          count: null,
          fault: { kind: "status", status: 200, body: kept },
        });
        put({ name: "new" });
      },
      restMs: LONG_MS,
    },
    {
      what: "edited where it keeps it",
      act: async () => {
        await faults.clear({});
        put({ name: "newer" });
      },
    },
    { what: "deleted by hand", act: remove, moves: true },
    { what: "made to last", act: () => put({ name: "newer", persistent: true }) },
    {
      what: "deleted by hand although it was to last",
      act: async () => {
        await patch({ persistent: false });
        await remove();
      },
      moves: true,
    },
    {
      what: "to be made again",
      act: () => play.annotate("branches", "one", { "baas.dev/recreate": ref() }),
      moves: true,
    },
    { what: "given an hour", act: () => put({ persistent: false, ttl: "1h" }), restMs: 2 * 3_600_000 },
    { what: "given more", act: () => put({ persistent: false }), moves: true },
    { what: "failing", act: () => branches.force({ refOrName: ref(), status: "MIGRATIONS_FAILED" }), moves: true },
    { what: "deleted", act: () => play.theatre.kubernetes.delete("branches", NAMESPACE, "one") },
  ];
}
