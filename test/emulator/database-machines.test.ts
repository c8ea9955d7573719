import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DEFAULT_TIMINGS } from "../../src/emulator/state/settings.ts";
import { keepsTo } from "../support/emulator/machine.ts";
import { PROJECT, REF } from "../support/emulator/models/resource.ts";

/** Machines of how a project's database may be written and reached, each held to a model of the texts. */

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
const { diskApplyMs, restartingMs } = DEFAULT_TIMINGS;

describe("the read-only mode", () => {
  type Act = "fill" | "empty" | "grow" | "override";
  interface Disk {
    readonly usedGb: number;
    readonly sizeGb: number;
    /** of the file system, until the last growth is applied */
    readonly sizeBeforeGb: number;
    readonly grownAtMs: number;
    readonly overriddenAtMs: number;
  }
  const fileSystemGb = ({ sizeGb, sizeBeforeGb, grownAtMs }: Disk, nowMs: number): number =>
    nowMs < grownAtMs + diskApplyMs ? sizeBeforeGb : sizeGb;
  const mode = z.object({ enabled: z.boolean(), override_enabled: z.boolean(), override_active_until: z.string() });

  /** "override lasts 15 minutes; override_active_until reports its end" (behaviour.md, state machines), whatever the disk does. */
  it("is on while the disk is full, and an override holds for 15 minutes", async () => {
    const shown = await keepsTo<Disk, Act>({
      initial: { usedGb: 1, sizeGb: 8, sizeBeforeGb: 8, grownAtMs: -Infinity, overriddenAtMs: -Infinity },
      acts: ["fill", "empty", "grow", "override"],
      waitsMs: [1, diskApplyMs - 1, diskApplyMs, QUARTER_MS - 1, QUARTER_MS, 6 * HOUR_MS],
      request: (act, { sizeGb }) => {
        if (act === "override") return { method: "POST", path: `${PROJECT}/readonly/temporary-disable` };
        if (act === "grow") {
          const attributes = { type: "gp3", iops: 3000, size_gb: sizeGb + 8 };
          return { method: "POST", path: `${PROJECT}/config/disk`, body: { attributes } };
        }
        const body = { ref: REF, usedPercent: act === "fill" ? 97 : 10 };
        return { method: "POST", path: "/_emulator/disk.fill", body };
      },
      answer: (act, known, nowMs) => {
        if (act === "override") return { code: 201, next: { ...known, overriddenAtMs: nowMs } };
        const sizeBeforeGb = fileSystemGb(known, nowMs);
        if (act !== "grow") {
          return { code: 200, next: { ...known, usedGb: sizeBeforeGb * (act === "fill" ? 0.97 : 0.1) } };
        }
        if (nowMs < known.grownAtMs + 6 * HOUR_MS) return { code: 400, next: known };
        return { code: 201, next: { ...known, sizeGb: known.sizeGb + 8, sizeBeforeGb, grownAtMs: nowMs } };
      },
      shown: (known, nowMs) => {
        const isFull = known.usedGb >= fileSystemGb(known, nowMs) * 0.95;
        const untilMs = known.overriddenAtMs + QUARTER_MS;
        const override = nowMs < untilMs ? `overridden until ${new Date(untilMs).toISOString()}` : "as it is";
        return `${isFull ? "on" : "off"}, ${override}`;
      },
      read: async ({ call }) => {
        const seen = mode.parse((await call("GET", `${PROJECT}/readonly`)).json);
        const override = seen.override_enabled ? `overridden until ${seen.override_active_until}` : "as it is";
        return `${seen.enabled ? "on" : "off"}, ${override}`;
      },
      way: [
        "fill",
        "override",
        QUARTER_MS - 1,
        1,
        "override",
        "grow",
        diskApplyMs - 1,
        1,
        "fill",
        "grow",
        QUARTER_MS,
        6 * HOUR_MS,
        "grow",
        diskApplyMs,
        "fill",
        "empty",
      ],
    });
    const modes = new Set([...shown].map((one) => one.replace(/ until .*/, "")));
    expect([...modes].toSorted()).toEqual(["off, as it is", "off, overridden", "on, as it is", "on, overridden"]);
  });
});

describe("SSL enforcement", () => {
  type Act = "enforce" | "allow both" | "unsupport" | "support";
  interface Ssl {
    readonly isEnforced: boolean;
    readonly isSupported: boolean;
    readonly changedAtMs: number;
    readonly restartedAtMs: number;
  }

  /** "ssl PUT and network apply may answer before they are applied (appliedSuccessfully=false …)" (facts.md §5): the database reboots. */
  it("is applied when the database has restarted, and refused where the project cannot have it", async () => {
    const said = z.object({ currentConfig: z.object({ database: z.boolean() }), appliedSuccessfully: z.boolean() });
    const isRestarting = ({ restartedAtMs }: Ssl, nowMs: number): boolean => nowMs < restartedAtMs + restartingMs;
    const shown = await keepsTo<Ssl, Act>({
      initial: { isEnforced: false, isSupported: true, changedAtMs: -Infinity, restartedAtMs: -Infinity },
      acts: ["enforce", "allow both", "enforce", "allow both", "unsupport", "support"],
      waitsMs: [1, restartingMs - 1, restartingMs],
      request: (act) => {
        if (act === "unsupport" || act === "support") {
          return { method: "POST", path: "/_emulator/ssl.support", body: { ref: REF, supported: act === "support" } };
        }
        const body = { requestedConfig: { database: act === "enforce" } };
        return { method: "PUT", path: `${PROJECT}/ssl-enforcement`, body };
      },
      answer: (act, known, nowMs) => {
        if (act === "unsupport" || act === "support") {
          return { code: 200, next: { ...known, isSupported: act === "support" } };
        }
        const isEnforced = act === "enforce";
        if (!known.isSupported) return { code: 400, next: known };
        if (isEnforced === known.isEnforced) return { code: 200, next: known };
        const restartedAtMs = isRestarting(known, nowMs) ? known.restartedAtMs : nowMs;
        return { code: 200, next: { ...known, isEnforced, changedAtMs: nowMs, restartedAtMs } };
      },
      shown: (known, nowMs) => {
        const { isEnforced, isSupported, changedAtMs } = known;
        const status = isRestarting(known, nowMs) ? "RESTARTING" : "ACTIVE_HEALTHY";
        if (!isSupported) return `unsupported ${status}`;
        return `${isEnforced}${nowMs < changedAtMs + restartingMs ? " soon" : ""} ${status}`;
      },
      read: async ({ call }) => {
        const { status } = z.object({ status: z.string() }).parse((await call("GET", PROJECT)).json);
        const { status: code, json } = await call("GET", `${PROJECT}/ssl-enforcement`);
        if (code === 400) return `unsupported ${status}`;
        const { currentConfig, appliedSuccessfully } = said.parse(json);
        return `${currentConfig.database}${appliedSuccessfully ? "" : " soon"} ${status}`;
      },
      way: [
        "allow both",
        "enforce",
        restartingMs - 1,
        "allow both",
        1,
        "enforce",
        restartingMs,
        "unsupport",
        "allow both",
        "support",
        "allow both",
        "unsupport",
      ],
    });
    expect([...shown].toSorted()).toEqual([
      "false ACTIVE_HEALTHY",
      "false soon ACTIVE_HEALTHY",
      "false soon RESTARTING",
      "true ACTIVE_HEALTHY",
      "true soon RESTARTING",
      "unsupported ACTIVE_HEALTHY",
      "unsupported RESTARTING",
    ]);
  });
});
