import type { Section } from "../mutant.ts";

const WAITS = { project: "loopback", files: ["src/controllers/sections/waits.loopback.test.ts"] } as const;
const FILE = "src/controllers/sections/waits.ts";

/** What a section waits for somebody for. */
export const waits: Section = {
  sign: "ADR 20",
  name: "waits",
  mutants: [
    {
      name: "somebody-is-waited-for-minute-by-minute",
      promise: "what waits for somebody is looked at ever less often",
      file: "src/controllers/shared/polling.ts",
      find: "Math.min(latestMs, elapsedMs)",
      replace: "Math.min(0, latestMs, elapsedMs)",
      killer: WAITS,
    },
    {
      name: "somebody-is-waited-for-without-end",
      promise: "what somebody did is noticed within ten minutes, or with the drift check",
      file: FILE,
      find: "Math.min(LATEST_MS, driftIntervalMs(target.policies) ?? Infinity)",
      replace: "LATEST_MS * 10",
      killer: WAITS,
    },
    {
      name: "wait-outlasts-the-drift-interval",
      promise: "what waits for somebody is looked at with each drift check",
      file: FILE,
      find: "Math.min(LATEST_MS, driftIntervalMs(target.policies) ?? Infinity)",
      replace: "LATEST_MS",
      killer: { ...WAITS, only: "with each drift check" },
    },
    {
      name: "wait-goes-on-as-another",
      promise: "another wait is looked at as soon as at first",
      file: FILE,
      find: "known?.of !== begun.of ||",
      replace: "known === undefined ||",
      killer: { ...WAITS, only: "the platform is at it" },
    },
    {
      name: "wait-unmoved-by-who-asks",
      promise: "who asks for a look is at it: what is waited for is looked at as soon as at first",
      file: FILE,
      find: "|| isAsked ||",
      replace: "||",
      killer: { ...WAITS, only: "somebody asks for it" },
    },
    {
      name: "wait-unmoved-by-an-edit",
      promise: "after an edit what is waited for is looked at as soon as at first",
      file: FILE,
      find: "|| isEdited ?",
      replace: "?",
      killer: { ...WAITS, only: "edits the object" },
    },
  ],
};
