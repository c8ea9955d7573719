import { z } from "zod";
import { choice, findings, moment, toldText } from "../fields.ts";
import { maintenanceWindow } from "../maintenance-window.ts";
import { statusText } from "../status.ts";

/** What of a Project's spec and status is about its life: where it belongs, and which version its database has. */

export const lifecycleFields = {
  transferPolicy: choice(
    "What happens when organization is changed once there is a project: Never refuses the change, Allow transfers the project to the other organization. " +
      "Its preview comes first: errors in it keep the project where it is.",
    ["Never", "Allow"],
  ).default("Never"),
  maintenanceWindow: maintenanceWindow.optional(),
};

/** `spec.database.version`. Engines: facts.md §1. */
export const databaseVersion = choice(
  "Version of the database. When it is raised the database is upgraded, once and inside maintenanceWindow; it is never lowered. Left as it is when omitted.",
  ["15", "17", "17-oriole"],
);

const found = (description: string) => findings(description, { max: 256 }).optional();

/** How a transfer or an upgrade stands. Texts, since a record that could not be read would let it be asked for again. */
export const stepStates = {
  Waiting: "it is due, and waits for what the message says",
  Blocked: "nothing was asked for: something is in the way",
  Sending:
    "it is being asked for, or the answer was lost and what came of it is being looked for, or it is refused again and again as the conditions say",
  Running: "the platform is at it",
  Succeeded: "it was done",
  Failed: "the platform did not get through with it",
} as const;
export type StepState = keyof typeof stepStates;

const stateHelp = Object.entries(stepStates)
  .map(([state, when]) => `${state} (${when})`)
  .join(", ");

const transfer = z
  .object({
    from: statusText("Slug of the organization that the project was in."),
    to: statusText("Slug of the organization that it is transferred to."),
    uid: statusText("metadata.uid of the object that meant it; with another uid it is void."),
    state: statusText(`How it stands: ${stateHelp}.`),
    sentAt: moment("The platform's clock when it was about to be asked for.").optional(),
    warnings: found("What the preview warns of."),
    errors: found("What keeps the project from being transferred, in the platform's words."),
  })
  .describe("The last transfer to another organization.");
export type TransferRecord = Readonly<z.output<typeof transfer>>;

const upgrade = z
  .object({
    ref: statusText("Ref of the project that it is of; of another one it says nothing."),
    from: toldText("Version of the database before it."),
    to: statusText("Version that is declared."),
    uid: statusText("metadata.uid of the object that meant it; with another uid it is void."),
    state: statusText(`How it stands: ${stateHelp}.`),
    message: toldText("What is waited for, or what came of it.").optional(),
    sentAt: moment("The platform's clock when it was about to be asked for.").optional(),
    trackingId: toldText("Id by which the platform tells how far it is.").optional(),
    progress: toldText("How far it is in the platform's words, for example 5_initiated_data_upgrade.").optional(),
    error: toldText("How it failed in the platform's words.").optional(),
    blockers: found("What stands in its way."),
    warnings: found("What the platform warns of."),
  })
  .describe("The last upgrade of the database to another version.");
export type UpgradeRecord = Readonly<z.output<typeof upgrade>>;

export const lifecycleStatusFields = {
  transfer: transfer.optional(),
  upgrade: upgrade.optional(),
};
