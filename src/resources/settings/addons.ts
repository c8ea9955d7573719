import { z } from "zod";
import { choice } from "../fields.ts";
import type { Rule } from "../rules.ts";

/** spec.addons: what the organization pays for apart (facts.md §1, add-on variants). The compute size is spec.instanceSize. */
export const addonsSettings = z
  .object({
    pitr: choice(
      "Point-in-time recovery, with how far back it reaches; Off removes it. Needs the compute size small or a larger one; it is selected once the declared one is there. " +
        "Shorter than it is, it loses history: an edit makes it so, and no repair, so that one that somebody made longer by hand is told as drift and left, and so is one that was longer when it " +
        "is declared first or the status was lost: write the one that there is, and once that is in sync, the shorter one.",
      ["Days7", "Days14", "Days28", "Off"],
    ).optional(),
    ipv4: z.boolean().describe("Whether the database has an IPv4 address of its own.").optional(),
    customDomain: z
      .boolean()
      .describe("Whether the project may have a custom hostname. Where that is declared absent too, it goes first.")
      .optional(),
  })
  .describe("Add-ons, which cost money as long as they are selected. What is not declared is left as it is.");

/** spec.resizePolicy, beside an instanceSize of the kind's own sizes. */
export const resizePolicy = choice(
  "When the compute size is changed, which restarts the database. OnEdit, also when omitted: for an edit of instanceSize; one that somebody changed by hand is " +
    "told as drift and left. Always: for both, as driftPolicy says.",
  ["OnEdit", "Always"],
).optional();

interface Recovering {
  readonly instanceSize?: string | undefined;
  readonly addons?: { readonly pitr?: string | undefined } | undefined;
}

const TOO_SMALL: readonly string[] = ["pico", "nano", "micro"];

export const recoveryNeedsSize: Rule<Recovering> = {
  cel:
    "!has(self.addons) || !has(self.addons.pitr) || self.addons.pitr == 'Off' || !has(self.instanceSize) || " +
    `!(self.instanceSize in [${TOO_SMALL.map((size) => `'${size}'`).join(", ")}])`,
  message:
    "point-in-time recovery needs the compute size small or a larger one: write instanceSize: small, or pitr: Off",
  fieldPath: ".addons.pitr",
  holds: ({ instanceSize, addons: { pitr = "Off" } = {} }) =>
    pitr === "Off" || instanceSize === undefined || !TOO_SMALL.includes(instanceSize),
};

interface Resized {
  readonly resizePolicy?: string | undefined;
  readonly instanceSize?: string | undefined;
}

export const resizeNeedsSize: Rule<Resized> = {
  cel: "!has(self.resizePolicy) || has(self.instanceSize)",
  message: "resizePolicy says when instanceSize is written: write instanceSize too, or remove it",
  fieldPath: ".resizePolicy",
  holds: (value) => value.resizePolicy === undefined || value.instanceSize !== undefined,
};
