import { z } from "zod";
import { findings, list, moment, toldText } from "../fields.ts";
import type { DeepReadonly } from "../kind.ts";
import { sentValueSchema, statusText } from "../status.ts";

/** How a section stands. */
export const sectionStates = {
  InSync:
    "The platform has it as declared, but for what driftPolicy Ignore leaves and what the platform does not tell, which the message names.",
  Applying: "It was written and is not in force yet.",
  Waiting:
    "It waits for something else: another section, a Secret, somebody's DNS, or a platform that gives no answer.",
  Failed: "It cannot be carried out until somebody acts; the message says what to do.",
  Drifted:
    "It differs from what is declared and is left so, by the policy or since it does not keep what is written to it.",
} as const;

const stateNames = Object.keys(sectionStates).join(", ");

const sentField = z.object({
  field: statusText("Dotted path of the field in the spec."),
  secretName: statusText("Name of the Secret that it came from."),
  ...sentValueSchema.shape,
  seen: statusText(
    "Keyed hash of what the platform answers in place of the value, so that a change of it is noticed; absent where it answers nothing.",
  ).optional(),
});

const LEFT = { type: "atomic", max: 512 } as const;

const section = z.object({
  name: statusText("Path of the section in the spec, such as auth or database.pooler."),
  state: statusText(`How it stands: ${stateNames}.`),
  reason: statusText("Why, as conditions give it; absent where it is in sync.").optional(),
  message: toldText("What is the matter and what to do.").optional(),
  fields: list("Fields that the message is about, by their paths in the spec.", toldText("A field."), {
    type: "atomic",
    max: 512,
  }).optional(),
  left: z
    .object({
      reported: list("Fields that differ and are reported.", toldText("A field."), LEFT).optional(),
      stuck: list("Fields that are written no more, as Converging tells.", toldText("A field."), LEFT).optional(),
      ignored: list("Fields that differ where driftPolicy is Ignore.", toldText("A field."), LEFT).optional(),
      stuckAt: statusText(
        "Digest of what stuck differs by: the same is written no more, also after a restart.",
      ).optional(),
    })
    .describe("What differs and is not written, whatever else the section does; absent where nothing does.")
    .optional(),
  since: moment("Since when it is being applied or waited for.").optional(),
  applied: statusText(
    "Digest of the declared section that was last in force: a difference at this one is drift, at another one an edit.",
  ).optional(),
  sending: statusText(
    "Digest of the declared section that was to be in force in place of what was, and was not seen so yet: till then applied is absent.",
  ).optional(),
  sentAt: moment(
    "When that was about to be sent last: for a while after that it may take effect yet. Absent where nothing of it can; while requests are refused again and again it may be that of a try that came to nothing.",
  ).optional(),
  overridden: z
    .boolean()
    .describe("false where the last look found no setting of the database overridden; absent else.")
    .optional(),
  gone: statusText("What served, and was deleted for what is declared.").optional(),
  secrets: list(
    "What was last sent of the fields that are secret; of the root key, which is compared alone, the one that was declared when the platform last had that.",
    sentField,
    {
      type: "atomic",
      max: 128,
    },
  ).optional(),
  documents: list(
    "The ConfigMaps that it was made of.",
    z.object({
      name: statusText("Name of the ConfigMap."),
      uid: statusText("metadata.uid of it."),
      resourceVersion: statusText("metadata.resourceVersion of it when it was read."),
    }),
    { type: "atomic", max: 64 },
  ).optional(),
  awaitsRestart: z
    .object({
      fields: list("Fields that were written, by their paths in the spec.", toldText("A field."), {
        type: "atomic",
        max: 64,
      }),
      since: moment("When they were written: the first restart of the database after that puts them in force."),
      leftTo: list(
        "Sections whose change is to bring that restart; absent where none is due.",
        z.string().describe("A section."),
        { type: "atomic", max: 8 },
      ).optional(),
      had: list(
        "Digests of what the platform had of each of those sections then: one that has something else since has restarted the database.",
        z.string().describe("A digest."),
        { type: "atomic", max: 8 },
      ).optional(),
      askedAt: moment(
        "When the database's restart was asked for, as long as no answer tells whether it came: it is not asked for again.",
      ).optional(),
    })
    .describe("What was written without a restart of the database that it needs.")
    .optional(),
  sent: statusText("Digest of what was sent last of fields that cannot be read back.").optional(),
  interrupted: z
    .object({
      declared: statusText("Digest of the declared section."),
      fields: list("Fields that were written so.", toldText("A field."), { type: "atomic", max: 64 }),
      at: moment("When they were written last: for a while after that they may come to show yet.").optional(),
      asked: statusText("What baas.dev/reconcile-at said then.").optional(),
      instanceSize: statusText("The declared compute size then.").optional(),
      engine: statusText("The version of the database then.").optional(),
    })
    .describe(
      "What was written with an interruption of what is served, and was not seen as declared since: it is not written so again.",
    )
    .optional(),
  refused: z
    .object({
      declared: statusText("Digest of the declared section that was refused, or of which fields were."),
      madeOf: statusText(
        "Keyed mark of the values of the Secrets and ConfigMaps that what was refused was made of then; absent where it was made of none.",
      ).optional(),
      under: toldText("The plan, the add-ons and the version of the database that it was refused under."),
      mayPass: z
        .boolean()
        .describe("Nothing tells that it hangs on those: it is asked for again every hour.")
        .optional(),
      fields: list(
        "The fields that were refused, with those that stand or fall with them, where the others of the section were written without them.",
        toldText("A field."),
        { type: "atomic", max: 256 },
      ).optional(),
      message: toldText("What the platform refused, and why, where fields has it.").optional(),
      reason: statusText("Why, as conditions give it, where fields has what was refused.").optional(),
    })
    .describe("A refusal that holds until the section, the plan, the add-ons or the version of the database change.")
    .optional(),
  owed: z
    .boolean()
    .describe("baas.dev/reconcile-at asked for a look at it, which is had once it can be looked at; absent else.")
    .optional(),
});

/** An entry of status.sections. */
export type SectionEntry = DeepReadonly<z.output<typeof section>>;

const hostnameRecord = z.object({
  type: toldText("Type of the record: TXT or CNAME."),
  name: toldText("Name of the record."),
  value: toldText("Value of the record."),
});

/** Facts of the platform that belong to sections, of kinds that have sections. */
export const sectionFactsFields = {
  customHostname: z
    .object({
      hostname: toldText("The custom hostname, as the platform has it."),
      state: toldText("Its state in the platform's words, for example 2_initiated."),
      records: list("The DNS records to create, as long as the platform waits for them.", hostnameRecord, {
        type: "atomic",
        max: 16,
      }).optional(),
      errors: findings("What the platform finds missing or wrong.", { max: 32 }).optional(),
    })
    .describe("The custom hostname and what is to be done for it, where the section is declared.")
    .optional(),
  networkBans: findings(
    "Addresses that the database banned after failed logins, at the last look, where spec.database.networkRestrictions.showBans asks for them. Of more than 128 the last item says how many there are.",
    { max: 128 },
  ).optional(),
  diskAutoscale: z
    .object({
      growthPercent: z.int().describe("By how many percent the disk grows.").optional(),
      minIncrementGb: z.int().describe("By how many GB at least.").optional(),
      maxSizeGb: z.int().describe("Up to how many GB.").optional(),
    })
    .describe("How the platform lets the disk grow by itself, where the section disk is declared. It cannot be set.")
    .optional(),
};

const sectionFacts = z.object(sectionFactsFields);
export type SectionFacts = DeepReadonly<z.output<typeof sectionFacts>>;

/** `status.sections` of kinds that have sections. */
export const sectionsField = list("How each declared section of the spec stands.", section, {
  type: "atomic",
  max: 64,
}).optional();
