import type { Section } from "../mutant.ts";

const GATED = { project: "loopback", files: ["src/controllers/sections/gated.loopback.test.ts"] } as const;
const AGAIN = { project: "loopback", files: ["src/controllers/sections/asked-again.loopback.test.ts"] } as const;

/** What becomes of what the platform refuses of a section (ADR 20). */
export const sectionRefusals: Section = {
  sign: "ADR 20",
  name: "section-refusals",
  mutants: [
    {
      name: "refused-field-keeps-the-others-unwritten",
      promise: "what the plan or an add-on does not allow is left out, and what is declared beside it is written",
      file: "src/controllers/sections/refused-fields.ts",
      find: "if (!isGated || !isRefusal(error)",
      replace: "if (isGated || !isRefusal(error)",
      killer: GATED,
    },
    {
      name: "gates-fall-together",
      promise: "what the plan does not allow keeps nothing from being written that hangs on an add-on",
      file: "src/controllers/sections/refused-fields.ts",
      find: "gates.size === 1 && gates.has(gate) ? error",
      replace: "gates.has(gate) ? error",
      killer: { ...GATED, only: "beside others" },
    },
    {
      name: "gates-alone-in-a-section-fall-together",
      promise: "that holds where nothing else is declared in the section",
      file: "src/controllers/sections/field-section.ts",
      find: "(first !== undefined && gates.length === 0)",
      replace: "rows.every(({ wire }) => gate(wire) !== undefined)",
      killer: { ...GATED, only: "alone" },
    },
    {
      name: "earlier-refusal-untold",
      promise: "what was refused before is told with what is refused now",
      file: "src/controllers/sections/refused-fields.ts",
      find: "[...look.changes.filter(({ field }) => withheld.has(field)), ...due]",
      replace: "due",
      killer: { ...GATED, only: "in the platform's words" },
    },
    {
      name: "refused-field-asked-for-with-a-rotation",
      promise: "a rotated secret makes one write, also beside what is refused",
      file: "src/controllers/sections/refused-fields.ts",
      find: "    .filter(({ field }) => !withheld.has(field))\n",
      replace: "",
      killer: GATED,
    },
    {
      name: "allowed-field-taken-for-drift",
      promise: "what a plan allows by now is an edit that was not carried out, and no drift that a report would leave",
      file: "src/controllers/sections/refused-fields.ts",
      find: 'refused.includes(change.field) ? { ...change, cause: "edit" as const } : change',
      replace: "refused.length > 0 ? change : change",
      killer: GATED,
    },
    {
      name: "refusal-that-may-pass-frozen",
      promise: "what nothing tells to hang on a plan is asked for again every hour",
      file: "src/controllers/sections/turn.ts",
      find: "  if (mayPass === true && now(turn) - (refusedAtMs ?? -Infinity) >= AGAIN_MS) return true;\n",
      replace: "",
      killer: AGAIN,
    },
    {
      name: "refusal-that-may-pass-asked-at-each-look",
      promise: "what may pass is asked for again once an hour, and not at each look",
      file: "src/controllers/sections/turn.ts",
      find: "const AGAIN_MS = 3_600_000;",
      replace: "const AGAIN_MS = 0;",
      killer: AGAIN,
    },
    {
      name: "refusal-deaf-to-reconcile-at",
      promise: "what was refused is asked for again at once when somebody asks",
      file: "src/controllers/sections/turn.ts",
      find: "  if (asked) return true;\n",
      replace: "",
      killer: AGAIN,
    },
    {
      name: "plan-refusal-asked-every-hour",
      promise: "what hangs on a plan that can be read is not asked for again while it is the same",
      file: "src/controllers/sections/turn.ts",
      find: "const mayPass = !isKnown || !(isGated || isPlanRefusal(error));",
      replace: "const mayPass = true;",
      killer: AGAIN,
    },
    {
      name: "refusal-under-an-unread-plan-frozen",
      promise: "where the plan cannot be read, what hangs on it is asked for again every hour",
      file: "src/controllers/sections/turn.ts",
      find: "const mayPass = !isKnown || !(",
      replace: "const mayPass = !(",
      killer: AGAIN,
    },
    {
      name: "refusal-outlives-the-version",
      promise: "what was refused is asked for again under another version of the database",
      file: "src/controllers/sections/refusals.ts",
      find: " ${engine}`, isKnown",
      replace: "`, isKnown",
      killer: AGAIN,
    },
  ],
};
