import { contract } from "../../api/contract/contract.ts";
import type { JitAccess } from "../../api/contract/jit.ts";
import { isApiError } from "../../api/errors.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import { backupsSettings, sslSettings } from "../../resources/settings/database.ts";
import { explain, terminal, waiting } from "../shared/failures.ts";
import { fieldSection } from "./field-section.ts";
import { differs, observedSection } from "./observed-section.ts";
import { withPlans } from "./refusal.ts";
import { type SectionProgress, SETTLED } from "./section.ts";

/** Sections of spec.database with a switch or a single value each. */

export const sslSection = fieldSection({
  name: "database.ssl",
  about:
    "Whether connections to the database must be encrypted. One read and one write; a change restarts the database.",
  operations: ["sslEnforcement.get", "sslEnforcement.update"],
  title: "whether SSL is enforced",
  settings: sslSettings,
  declared: (spec) => spec.database?.ssl,
  read: async ({ client, ref, call }) => flat(await client.sslEnforcement.get({ ref }, call)),
  body: contract.sslEnforcement.update.body.schema.shape.requestedConfig,
  write: async ({ client, ref, call }, body) =>
    flat(await client.sslEnforcement.update({ ref, body: { requestedConfig: body } }, call)),
  progress: ({ isApplied }) => applying(isApplied, "SSL enforcement is stored and not in force yet"),
  restarts: () => true,
});

function flat(answer: {
  readonly currentConfig: { readonly database: boolean };
  readonly appliedSuccessfully: boolean;
}) {
  return { database: answer.currentConfig.database, isApplied: answer.appliedSuccessfully };
}

function applying(isApplied: boolean, message: string): SectionProgress {
  return isApplied ? SETTLED : { kind: "applying", reason: "Updating", message };
}

/** How soon what the platform offers only later is looked for again at first, milliseconds. */
const UNAVAILABLE_LOOK_MS = 60_000;

const JIT_FIELD = "spec.database.jitAccess";
const TOO_OLD = "postgres_upgrade_required";
const TO_RAISE = "raise spec.database.version";
/** A Branch has no version to raise: its database is the one that it was made with. */
const TO_REPLACE = "make another Branch with a newer spec.postgresEngine";

/** What is there already is in sync, also where it cannot be switched: what is unavailable is off. */
export const jitAccessSection = observedSection<"Enabled" | "Disabled", JitAccess>({
  name: "database.jitAccess",
  about: "Just-in-time access to roles of the database. One read and one write.",
  operations: ["jitAccess.get", "jitAccess.update"],
  title: "just-in-time access",
  declared: (spec) => spec.database?.jitAccess,
  read: ({ client, ref, call }) => client.jitAccess.get({ ref }, call),
  plan: (wanted, { state, unavailableReason }) => {
    const isDue =
      state === "unavailable" ? wanted === "Enabled" && unavailableReason === TOO_OLD : state !== wanted.toLowerCase();
    return isDue ? [differs(JIT_FIELD, wanted.toLowerCase(), state)] : [];
  },
  blocked: (_wanted, { state }, { kind }) =>
    state === "unavailable"
      ? terminal(
          "InvalidSpec",
          `${JIT_FIELD}: this version of the database has no just-in-time access: ${kind === branchKind.type.kind ? TO_REPLACE : TO_RAISE}, or write Disabled`,
        )
      : undefined,
  progress: (wanted, { state, appliedSuccessfully, unavailableReason }) => {
    if (state !== "unavailable") {
      return applying(appliedSuccessfully !== false, "just-in-time access is being switched");
    }
    if (wanted === "Disabled") return SETTLED;
    const message = `the platform offers no just-in-time access now: ${unavailableReason ?? "it does not say why"}`;
    return { kind: "waiting", reason: "Unhealthy", message, pollMs: UNAVAILABLE_LOOK_MS };
  },
  write: ({ client, ref }, { declared, send }) =>
    send((call) =>
      client.jitAccess.update({ ref, body: { state: declared === "Enabled" ? "enabled" : "disabled" } }, call),
    ),
});

/** How soon a change is tried again that the platform took no more of, milliseconds: it takes three in 24 hours. */
const SCHEDULE_AGAIN_MS = 3_600_000;

const SCHEDULE_FIELD = "spec.database.backups.scheduleFor";
const { plans } = contract.backups.updateSchedule;

export const backupsSection = fieldSection({
  name: "database.backups",
  about:
    "When the daily backup begins; the plan enterprise alone has it. One read and one write, of which there are three in 24 hours.",
  operations: ["backups.getSchedule", "backups.updateSchedule"],
  needs: `a plan of ${plans.join(", ")}`,
  title: "when backups are made",
  settings: backupsSettings,
  declared: (spec) => spec.database?.backups,
  read: async ({ client, ref, call }) => {
    try {
      return await client.backups.getSchedule({ ref }, call);
    } catch (error) {
      // None was ever set: the platform chooses.
      if (isApiError(error, "GONE")) return { schedule_for: null };
      throw withPlans(explain(error, "read when backups are made"), { fields: [SCHEDULE_FIELD], plans });
    }
  },
  body: contract.backups.updateSchedule.body.schema,
  plans: () => plans,
  write: async ({ client, ref, call }, body) => {
    try {
      return await client.backups.updateSchedule({ ref, body }, call);
    } catch (error) {
      // The time is well-formed: what is refused is that it is one change too many, which passes.
      if (isApiError(error, "BAD_REQUEST")) {
        const message = `the platform does not take another backup schedule now: ${error.message}`;
        throw waiting("RateLimited", message, SCHEDULE_AGAIN_MS);
      }
      throw error;
    }
  },
});
