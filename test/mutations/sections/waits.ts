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
      find: "known?.of === of ?",
      replace: "known !== undefined ?",
      killer: { ...WAITS, only: "the platform is at it" },
    },
    {
      name: "wait-unmoved-by-who-asks",
      promise: "who asks for a look is at it: what is waited for is looked at as soon as at first",
      file: FILE,
      find: ", given?.[annotations.reconcileAt]]",
      replace: "]",
      killer: { ...WAITS, only: "somebody asks for it" },
    },
    {
      name: "wait-unmoved-by-an-edit",
      promise: "after an edit what is waited for is looked at as soon as at first",
      file: FILE,
      find: "message, generation,",
      replace: "message,",
      killer: { ...WAITS, only: "edits the object" },
    },
    {
      name: "wait-puts-off-what-is-refused",
      promise: "what is refused is looked at as often as it says, whatever waits beside it",
      file: "src/controllers/shared/attempt.ts",
      find: "...looks, dueInMs",
      replace: "dueInMs",
      killer: { project: "unit", files: ["src/controllers/shared/attempt.test.ts"] },
    },
    {
      name: "edit-that-comes-to-nothing-moves-no-wait",
      promise:
        "after an edit what is waited for is looked at as soon as at first, also where the edit was cut off before",
      file: FILE,
      find: "known?.of === of ?",
      replace:
        'known?.of === of || Reflect.get(run.raw.status ?? {}, "observedGeneration") === generation && known !== undefined ?',
      killer: { ...WAITS, only: "was cut off" },
    },
    {
      name: "field-on-its-way-unsaid",
      promise: "what is not in force yet is told of by the field that declares it",
      file: "src/controllers/sections/entries.ts",
      find: "[...(look.awaited ?? wholeOf(before))]",
      replace: "[...wholeOf(before)]",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/database-access.loopback.test.ts"],
        only: "applied while the database restarts",
      },
    },
  ],
};
