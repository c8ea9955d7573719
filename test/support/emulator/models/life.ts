import { createHash } from "node:crypto";
import fc from "fast-check";
import { z } from "zod";
import { DEFAULT_TIMINGS } from "../../../../src/emulator/state/settings.ts";
import type { EmulatorUnderTest } from "../api.ts";
import { type Modelled, modelled, PROJECT, type Resource } from "./resource.ts";

/** What goes on by itself after a write, or is told by nothing but what follows from it. */

/** A project apart: the others write to theirs, which a pause would stop. It has the add-on for any moment, and an older release. */
export const RESTING = "restrestrestrestrest";
const RESTING_PROJECT = `/v1/projects/${RESTING}`;
const UNKNOWN_PARAMETER = "?colour=red";

const { pausingMs, restoringMs, restartingMs, upgradingMs, realtimeRestartMs, readOnlyOverrideMs } = DEFAULT_TIMINGS;

interface Life {
  readonly status: string;
  /** when it becomes `afterwards` by itself, milliseconds since the epoch */
  readonly untilMs: number;
  readonly afterwards: string;
  readonly isUpgraded: boolean;
}
const ACTS = ["pause", "restore", "cancelRestore", "restart", "upgrade", "restorePitr"] as const;
type Act = (typeof ACTS)[number];

/** Where an act that is taken leads, for how long, and to what in the end. Which are taken, project-machine.test.ts says. */
const LEADS: Readonly<Record<Act, readonly [status: string, forMs: number, afterwards: string]>> = {
  pause: ["PAUSING", pausingMs, "INACTIVE"],
  restore: ["RESTORING", restoringMs, "ACTIVE_HEALTHY"],
  cancelRestore: ["INACTIVE", 0, "INACTIVE"],
  restart: ["RESTARTING", restartingMs, "ACTIVE_HEALTHY"],
  upgrade: ["UPGRADING", upgradingMs, "ACTIVE_HEALTHY"],
  restorePitr: ["RESTORING", restoringMs, "ACTIVE_HEALTHY"],
};
const PATHS: Readonly<Record<Act, string>> = {
  pause: "pause",
  restore: "restore",
  cancelRestore: "restore/cancel",
  restart: "restart",
  upgrade: "upgrade",
  restorePitr: "database/backups/restore-pitr",
};
const statusOf = ({ status, untilMs, afterwards }: Life, nowMs: number): string =>
  nowMs < untilMs ? status : afterwards;

const projectLife: Resource<Life, { readonly act: Act; readonly momentS: number }> = {
  name: "projectLife",
  command: fc.record({
    act: fc.constantFrom(...ACTS, "restore", "cancelRestore"),
    momentS: fc.constant(Date.UTC(2026, 0, 1) / 1000 + 60),
  }),
  // shorter than what a restoration takes, so that it can be given up
  restMs: restoringMs / 2,
  initial: async () => ({ status: "ACTIVE_HEALTHY", untilMs: 0, afterwards: "ACTIVE_HEALTHY", isUpgraded: false }),
  request: ({ act, momentS }) => {
    const path = `${RESTING_PROJECT}/${PATHS[act]}`;
    if (act === "upgrade") return { method: "POST", path, body: { target_version: "17" } };
    if (act === "restorePitr") return { method: "POST", path, body: { recovery_time_target_unix: momentS } };
    return { method: "POST", path };
  },
  after: ({ act }, known, _received, { clock }) => {
    const [status, forMs, afterwards] = LEADS[act];
    return { status, untilMs: clock.now() + forMs, afterwards, isUpgraded: known.isUpgraded || act === "upgrade" };
  },
  read: async ({ call }) => {
    const { status } = z.object({ status: z.string() }).parse((await call("GET", RESTING_PROJECT)).json);
    const upgrade = z
      .object({ databaseUpgradeStatus: z.unknown() })
      .parse((await call("GET", `${RESTING_PROJECT}/upgrade/status`)).json);
    return { status, isUpgraded: upgrade.databaseUpgradeStatus !== null };
  },
  shown: (known, nowMs) => ({ status: statusOf(known, nowMs), isUpgraded: known.isUpgraded }),
};

interface Password {
  readonly digest: string | undefined;
  readonly changes: number;
}

/** No answer shows it: the control call that shows the state has its digest, and how often it was set. */
const databasePassword: Resource<Password, string> = {
  name: "databasePassword",
  command: fc.constantFrom("correct horse", "battery staple", "abc"),
  initial: passwordOf,
  request: (password) => ({ method: "PATCH", path: `${PROJECT}/database/password`, body: { password } }),
  after: (password, { changes }) => ({
    digest: createHash("sha256").update(password).digest("hex"),
    changes: changes + 1,
  }),
  read: passwordOf,
  shown: (known) => known,
};

async function passwordOf({ control }: EmulatorUnderTest): Promise<Password> {
  const { projects } = await control.state.read();
  const known = projects.find(({ ref }) => PROJECT.endsWith(ref))?.databasePassword;
  return { digest: known?.digest, changes: known?.changes ?? 0 };
}

interface Connections {
  readonly isSuspended: boolean;
  readonly shutDownAtMs: number;
}
type ConnectionsCommand = { readonly suspend: unknown } | { readonly shutDown: true };

/** Connections that were shut down come back after a moment, and there are none while realtime is suspended. */
const realtimeConnections: Resource<Connections, ConnectionsCommand> = {
  name: "realtimeConnections",
  forms: ["suspend", "shutDown"],
  command: fc.oneof(
    { weight: 1, arbitrary: fc.record({ suspend: fc.constantFrom<unknown>(true, false, false, "no") }) },
    { weight: 2, arbitrary: fc.record({ shutDown: fc.constant(true as const) }) },
  ),
  initial: async () => ({ isSuspended: false, shutDownAtMs: -Infinity }),
  request: (command) =>
    "suspend" in command
      ? { method: "PATCH", path: `${PROJECT}/config/realtime`, body: command }
      : { method: "POST", path: `${PROJECT}/config/realtime/shutdown` },
  mustAccept: (command, { isSuspended }) => "shutDown" in command && !isSuspended,
  after: (command, known, _received, { clock }) =>
    "suspend" in command
      ? { ...known, isSuspended: command.suspend === true }
      : { ...known, shutDownAtMs: clock.now() },
  read: async ({ call }) => {
    const { json } = await call("GET", `${PROJECT}/health?services=realtime`);
    return z.array(z.object({ status: z.string() })).parse(json)[0]?.status;
  },
  shown: ({ isSuspended, shutDownAtMs }, nowMs) => {
    if (isSuspended) return "UNHEALTHY";
    return nowMs < shutDownAtMs + realtimeRestartMs ? "COMING_UP" : "ACTIVE_HEALTHY";
  },
};

/** "override lasts 15 minutes; override_active_until reports its end" (behaviour.md, state machines) */
const readOnlyOverride: Resource<number, string> = {
  name: "readOnlyOverride",
  command: fc.constantFrom("", "", UNKNOWN_PARAMETER),
  restMs: readOnlyOverrideMs / 2,
  initial: async () => -Infinity,
  request: (query) => ({ method: "POST", path: `${PROJECT}/readonly/temporary-disable${query}` }),
  mustAccept: (query) => query === "",
  after: (_query, _untilMs, _received, { clock }) => clock.now() + readOnlyOverrideMs,
  read: async ({ call }) =>
    z.object({ override_active_until: z.string() }).parse((await call("GET", `${PROJECT}/readonly`)).json)
      .override_active_until,
  shown: (untilMs, nowMs) => (nowMs < untilMs ? new Date(untilMs).toISOString() : ""),
};

/** All of them. */
export const lives: readonly Modelled[] = [
  modelled(projectLife),
  modelled(databasePassword),
  modelled(realtimeConnections),
  modelled(readOnlyOverride),
];
