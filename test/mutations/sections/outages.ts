import type { Section } from "../mutant.ts";

const IN = "src/controllers/sections";
const ONCE = { project: "loopback", files: [`${IN}/outage-once.loopback.test.ts`] } as const;
const LONG = { project: "loopback", files: [`${IN}/outage-long.loopback.test.ts`] } as const;
const HEALTH = { project: "loopback", files: [`${IN}/health.loopback.test.ts`] } as const;

/** What a platform makes something else of, and is written with an outage. */
export const outages: Section = {
  sign: "ADR 20",
  name: "outages",
  mutants: [
    {
      name: "size-declared-later-never-recorded",
      promise: "another compute size than was declared first after an outage in vain begins anew",
      file: `${IN}/in-vain.ts`,
      find: "return { ...recorded, fields, ...learned(recorded, occasion) };",
      replace: "return { ...recorded, fields };",
      killer: { ...ONCE, only: "once another size is declared than was for the first time" },
    },
    {
      name: "outage-counted-as-time-to-show",
      promise: "what was written with an outage has its time to show once the project is up again",
      file: `${IN}/await-running.ts`,
      find: "stored.map(timedAnew).map(",
      replace: "stored.map(",
      killer: { ...LONG, only: "may come to show for two minutes" },
    },
    {
      name: "time-to-show-without-end",
      promise: "and what does not show by then is told",
      file: `${IN}/in-vain.ts`,
      find: "since === undefined ? nowMs : Math.max(",
      replace: "since !== at ? nowMs : Math.max(",
      killer: { ...LONG, only: "is not converging where it does not" },
    },
    {
      name: "in-vain-untold-beside-a-repair",
      promise: "what did not come to show goes on being told, whatever is written beside it",
      file: `${IN}/in-vain.ts`,
      find: "const isTold = left?.stuck?.some(",
      replace: "const isTold = left?.ignored?.some(",
      killer: { ...ONCE, only: "has the other told as ever meanwhile" },
    },
    {
      name: "outage-repeated-in-vain",
      promise: "what interrupts what is served is written once, whatever the platform makes of it",
      file: `${IN}/in-vain.ts`,
      find: "...(mayShowYet ? [] : spent)",
      replace: "",
      killer: { ...ONCE, only: "goes with one write" },
    },
    {
      name: "outage-forgotten-with-the-operator",
      promise: "an operator that starts repeats no outage",
      file: `${IN}/in-vain.ts`,
      find: 'entry.state === "InSync" ? undefined',
      replace: 'entry.state !== "Drifted" ? undefined',
      killer: { ...ONCE, only: "right after it" },
    },
    {
      name: "vain-writes-begun-anew-by-each-life",
      promise: "what was written three times in vain is not written by an operator that starts",
      file: `${IN}/in-vain.ts`,
      find: "stuck: [...inVainThrice, ",
      replace: "stuck: [",
      killer: { ...ONCE, only: "three times" },
    },
    {
      name: "asked-in-vain",
      promise: "who asks for a look has what was written in vain written anew",
      file: "src/controllers/shared/convergence.ts",
      find: "(asked === undefined || asked === seen.asked)",
      replace: "true",
      killer: { ...ONCE, only: "three times" },
    },
    {
      name: "outage-kept-after-it-came-into-force",
      promise: "what came into force and is changed by hand is repaired as any",
      file: `${IN}/in-vain.ts`,
      find: "recorded?.fields.filter((field) => after.changes.some((change) => change.field === field))",
      replace: "recorded?.fields",
      killer: { ...ONCE, only: "is repaired when somebody changes it" },
    },
    {
      name: "outage-in-vain-before-it-can-show",
      promise:
        "what was written with an outage a moment ago is being applied, and not called one that does not converge",
      file: `${IN}/in-vain.ts`,
      find: "occasion.nowMs < showsUntilMs(entry, occasion.nowMs)",
      replace: "occasion.nowMs < showsUntilMs(entry, occasion.nowMs) - UNSEEN_MS",
      killer: { ...ONCE, only: "is waited for while it may come to show" },
    },
    {
      name: "ask-spent-by-a-look-that-came-to-nothing",
      promise: "whoever asks has what was written in vain written anew, also where the first look came to nothing",
      file: `${IN}/in-vain.ts`,
      find: "!(asked !== undefined && asked !== interrupted.asked) &&",
      replace: "",
      killer: { ...ONCE, only: "also where the first look" },
    },
    {
      name: "clamp-of-another-compute-size",
      promise: "what one compute size made something else of is written anew once another one is declared",
      file: `${IN}/in-vain.ts`,
      find: "!isOther(interrupted.instanceSize, instanceSize) &&",
      replace: "",
      killer: { ...ONCE, only: "once another compute size" },
    },
    {
      name: "outage-for-a-compute-size-that-is-taken-out",
      promise: "a compute size that is taken out, or declared as it is, brings no outage",
      file: `${IN}/in-vain.ts`,
      find: "was !== undefined && is !== undefined && was !== is;",
      replace: "was !== is;",
      killer: { ...ONCE, only: "taken out, or declared as it is" },
    },
    {
      name: "outage-for-each-build",
      promise: "another build of the database's version brings no outage",
      file: `${IN}/in-vain.ts`,
      find: 'engine?.split(".", 1)[0];',
      replace: "engine;",
      killer: { ...ONCE, only: "another build" },
    },
    {
      name: "repair-held-up-from-who-asks",
      promise: "who asks has repaired with an outage what may be what makes a project unwell",
      file: `${IN}/decide.ts`,
      find: "surroundings.isUnwell || isAsked || ",
      replace: "surroundings.isUnwell || ",
      killer: { ...HEALTH, only: "repairs with an outage for who asks" },
    },
    {
      name: "repair-with-an-outage-while-unwell",
      promise: "no repair interrupts what the platform calls unwell",
      file: `${IN}/decide.ts`,
      find: "if (!surroundings.isUnwell || ",
      replace: "if (surroundings.isUnwell || ",
      killer: { ...HEALTH, only: "repairs nothing with an outage" },
    },
  ],
};
