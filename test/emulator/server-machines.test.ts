import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_TIMINGS } from "../../src/emulator/state/settings.ts";
import type { EmulatorUnderTest } from "../support/emulator/api.ts";
import { keepsTo } from "../support/emulator/machine.ts";
import { PROJECT, REF } from "../support/emulator/models/resource.ts";

/** Machines of a project's database servers, each held to a model of the texts. */

const HOUR_MS = 3_600_000;
const { diskApplyMs, replicaSetupMs, replicaRemovalMs, resizingMs } = DEFAULT_TIMINGS;
const database = z.object({ identifier: z.string(), type: z.string(), status: z.string() });
const projectList = z.object({ projects: z.array(z.object({ ref: z.string(), databases: z.array(database) })) });

async function databases({ call }: EmulatorUnderTest, type: string): Promise<readonly z.output<typeof database>[]> {
  const { projects } = projectList.parse((await call("GET", "/v1/organizations/acme/projects")).json);
  return (projects.find(({ ref }) => ref === REF)?.databases ?? []).filter((one) => one.type === type);
}

describe("a disk", () => {
  type Act = "grow" | "shrink" | "same";
  interface Disk {
    readonly sizeGb: number;
    readonly changedAtMs: number;
  }

  /** "Disk change has a cool-down of about 6 hours" (facts.md §2, disk POST); meanwhile "RESIZING" (§1, database status). */
  it("grows alone, and rests for six hours after a change", async () => {
    const wantedGb = (act: Act, { sizeGb }: Disk): number => sizeGb + { grow: 8, shrink: -1, same: 0 }[act];
    const shown = await keepsTo<Disk, Act>({
      initial: { sizeGb: 8, changedAtMs: -Infinity },
      acts: ["grow", "shrink", "same"],
      waitsMs: [1, diskApplyMs - 1, diskApplyMs, 6 * HOUR_MS - 1, 6 * HOUR_MS],
      request: (act, known) => {
        const attributes = { type: "gp3", iops: 3000, size_gb: wantedGb(act, known) };
        return { method: "POST", path: `${PROJECT}/config/disk`, body: { attributes } };
      },
      answer: (act, known, nowMs) => {
        if (nowMs < known.changedAtMs + 6 * HOUR_MS || act === "shrink") return { code: 400, next: known };
        return { code: 201, next: act === "same" ? known : { sizeGb: wantedGb(act, known), changedAtMs: nowMs } };
      },
      shown: ({ changedAtMs }, nowMs) => (nowMs < changedAtMs + diskApplyMs ? "RESIZING" : "ACTIVE_HEALTHY"),
      read: async (under) => (await databases(under, "PRIMARY"))[0]?.status ?? "none",
      way: [
        "same",
        "shrink",
        "grow",
        "same",
        diskApplyMs - 1,
        1,
        "grow",
        6 * HOUR_MS - diskApplyMs - 1,
        "grow",
        1,
        "grow",
      ],
    });
    expect([...shown].toSorted()).toEqual(["ACTIVE_HEALTHY", "RESIZING"]);
  });
});

describe("read replicas", () => {
  type Act = "set up" | "remove first" | "remove second" | "remove primary" | "fail first";
  interface Replica {
    readonly isFailed: boolean;
    readonly madeAtMs: number;
    readonly removedAtMs: number;
  }
  const statusOf = ({ isFailed, madeAtMs, removedAtMs }: Replica, nowMs: number): string => {
    if (nowMs >= removedAtMs) return nowMs < removedAtMs + replicaRemovalMs ? "GOING_DOWN" : "gone";
    if (isFailed) return "INIT_READ_REPLICA_FAILED";
    return nowMs < madeAtMs + replicaSetupMs ? "INIT_READ_REPLICA" : "ACTIVE_HEALTHY";
  };

  /** facts.md §1, "database (in OrgProjectItem) status"; two of a project are the most (the emulator's own number). */
  it("come up or fail, and go", async () => {
    const there = (all: readonly Replica[], nowMs: number) => all.filter((one) => statusOf(one, nowMs) !== "gone");
    const shown = await keepsTo<readonly Replica[], Act>({
      initial: [],
      acts: ["set up", "set up", "remove first", "remove second", "remove primary", "fail first"],
      waitsMs: [1, replicaRemovalMs - 1, replicaRemovalMs, replicaSetupMs - 1, replicaSetupMs],
      request: async (act, _known, under) => {
        const body = { read_replica_region: "eu-west-1" };
        if (act === "set up") return { method: "POST", path: `${PROJECT}/read-replicas/setup`, body };
        const [first, second] = await databases(under, "READ_REPLICA");
        if (act === "fail first") {
          const body = { ref: REF, identifier: first?.identifier ?? "none" };
          return { method: "POST", path: "/_emulator/replicas.fail", body };
        }
        const named = act === "remove primary" ? REF : (act === "remove first" ? first : second)?.identifier;
        return {
          method: "POST",
          path: `${PROJECT}/read-replicas/remove`,
          body: { database_identifier: named ?? "none" },
        };
      },
      answer: (act, known, nowMs) => {
        const all = there(known, nowMs);
        const made = { isFailed: false, madeAtMs: nowMs, removedAtMs: Infinity };
        if (act === "set up") return all.length < 2 ? { code: 204, next: [...all, made] } : { code: 400, next: all };
        if (act === "remove primary") return { code: 400, next: all };
        const meant = all[act === "remove second" ? 1 : 0];
        if (meant === undefined) return { code: 404, next: all };
        const becomes = (code: number, change: Partial<Replica>) => ({
          code,
          next: all.map((one) => (one === meant ? { ...one, ...change } : one)),
        });
        if (act !== "fail first") return becomes(204, { removedAtMs: Math.min(meant.removedAtMs, nowMs) });
        return nowMs < meant.removedAtMs ? becomes(200, { isFailed: true }) : { code: 400, next: all };
      },
      shown: (known, nowMs) =>
        there(known, nowMs)
          .map((one) => statusOf(one, nowMs))
          .join(),
      read: async (under) => (await databases(under, "READ_REPLICA")).map(({ status }) => status).join(),
      way: [
        "remove first",
        "set up",
        "set up",
        "set up",
        "fail first",
        replicaSetupMs,
        "remove primary",
        "remove first",
        "fail first",
        replicaRemovalMs - 1,
        "remove first",
        1,
      ],
    });
    const statuses = [...shown].flatMap((all) => all.split(","));
    const every = ["", "INIT_READ_REPLICA", "INIT_READ_REPLICA_FAILED", "ACTIVE_HEALTHY", "GOING_DOWN"];
    expect(new Set(statuses)).toEqual(new Set(every));
  });
});

describe("a change of the compute size", () => {
  type Act = "ci_micro" | "ci_small" | "ci_large" | "back";
  interface Size {
    readonly now: string;
    readonly before: string | undefined;
    readonly changedAtMs: number;
  }

  /** The add-on of another size resizes the project; "rolling compute back to its previous size" (endpoints.md), once. */
  it("leads the project through RESIZING, one at a time", async () => {
    const shown = await keepsTo<Size, Act>({
      initial: { now: "ci_micro", before: undefined, changedAtMs: -Infinity },
      acts: ["ci_micro", "ci_small", "ci_large", "back", "back"],
      waitsMs: [1, resizingMs - 1, resizingMs],
      request: (act, { now }) =>
        act === "back"
          ? { method: "DELETE", path: `${PROJECT}/billing/addons/${now}` }
          : {
              method: "PATCH",
              path: `${PROJECT}/billing/addons`,
              body: { addon_variant: act, addon_type: "compute_instance" },
            },
      answer: (act, known, nowMs) => {
        const to = act === "back" ? known.before : act;
        if (to === known.now) return { code: 200, next: known };
        if (to === undefined || nowMs < known.changedAtMs + resizingMs) return { code: 400, next: known };
        return { code: 200, next: { now: to, before: act === "back" ? undefined : known.now, changedAtMs: nowMs } };
      },
      shown: ({ changedAtMs }, nowMs) => (nowMs < changedAtMs + resizingMs ? "RESIZING" : "ACTIVE_HEALTHY"),
      read: async ({ call }) => z.object({ status: z.string() }).parse((await call("GET", PROJECT)).json).status,
      way: [
        "back",
        "ci_micro",
        "ci_small",
        "ci_small",
        "ci_large",
        resizingMs - 1,
        "back",
        1,
        "back",
        resizingMs,
        "back",
      ],
    });
    expect([...shown].toSorted()).toEqual(["ACTIVE_HEALTHY", "RESIZING"]);
  });
});
