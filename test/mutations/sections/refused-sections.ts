import type { Section } from "../mutant.ts";

const READ = { project: "unit", files: ["src/controllers/sections/refused-sections.test.ts"] } as const;
const ENDS = { project: "loopback", files: ["src/controllers/shared/unread-spec.loopback.test.ts"] } as const;
const AGREE = { project: "e2e", files: ["test/e2e/crd-rules.e2e.test.ts"], only: "on every member of a" } as const;
const BUILDERS = "src/resources/settings/builders.ts";

/** What the apiserver takes is taken here, or is wrong of one section alone; and what cannot be read is deleted only as it says. */
export const refusedSections: Section = {
  sign: "§6",
  name: "refused-sections",
  mutants: [
    {
      name: "one-wrong-section-refuses-the-object",
      promise: "what is wrong of a section is wrong of that section alone",
      file: "src/resources/read-spec.ts",
      find: "if (sections.has(undefined) || left === rest)",
      replace: "if (found.length > 0)",
      killer: { ...READ, only: "is left out alone" },
    },
    {
      name: "mode-of-settings-is-dropped-alone",
      promise: "settings whose mode is wrong are not written another way",
      file: "src/resources/settings/settings.ts",
      find: 'member === "settingsMode" || member === "settingsRestart" ? "database.settings" : ',
      replace: "",
      killer: { ...READ, only: "how settings are written" },
    },
    {
      name: "refused-section-is-not-declared",
      promise: "a section that is refused is told, with what to write",
      file: "src/controllers/sections/refused-sections.ts",
      find: "declared: () => ({ refused: issues })",
      replace: "declared: () => undefined",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/refused-sections.loopback.test.ts"],
        only: "fails its section",
      },
    },
    {
      name: "refused-part-of-a-former-section-is-an-edit",
      promise: "what was in force beside a section that is refused now is in force still",
      file: "src/controllers/sections/former-sections.ts",
      find: "!unread.has(formerly.name) && before",
      replace: "before",
      killer: {
        project: "unit",
        files: ["src/controllers/sections/former-sections.test.ts"],
        only: "beside what was part of it",
      },
    },
    {
      name: "refused-section-of-the-default-branch-is-hidden",
      promise: "what cannot be read of the default branch's settings is told",
      file: "src/controllers/branch/of-default.ts",
      find: "sectionsOf(object).filter",
      replace: "sectionsOf({}).filter",
      killer: {
        project: "loopback",
        files: ["src/controllers/branch/of-default.loopback.test.ts"],
        only: "of what cannot be read of it",
      },
    },
    {
      name: "size-of-any-number",
      promise: "a size beyond the most is refused as it is applied, as a number",
      file: BUILDERS,
      find: "`int(self) <= ${most}`, ",
      replace: "",
      killer: AGREE,
    },
    {
      name: "size-of-any-text",
      promise: "a size beyond the most is refused as it is applied, as text",
      file: BUILDERS,
      find: "quantity('${most + 1}')",
      replace: "quantity('${most * 1000}')",
      killer: AGREE,
    },
    {
      name: "port-of-more-digits",
      promise: "a port beyond 65535 is refused, as text too",
      file: "src/resources/settings/digits.ts",
      find: "isLast ? digit : digit - 1",
      replace: "digit",
      killer: { project: "unit", files: ["src/resources/settings/digits.test.ts"] },
    },
    {
      name: "thirtieth-of-february",
      promise: "a day that there is not is refused as it is applied",
      file: BUILDERS,
      find: "0[1-9]|1[0-9]|2[0-8]",
      replace: "0[1-9]|1[0-9]|2[0-9]|30",
      killer: { project: "unit", files: ["src/resources/settings/moment.test.ts"] },
    },
    {
      name: "deletion-of-a-wrong-spec-is-given-up",
      promise: "an object under deletion whose spec is wrong elsewhere goes as its policy says",
      file: "src/controllers/shared/pipeline.ts",
      find: "controller.store.kind.parseDeleted(run.raw)",
      replace: "controller.store.parse(run.raw)",
      killer: { ...ENDS, only: "is deleted as its policy says" },
    },
    {
      name: "policy-is-guessed",
      promise: "nothing is deleted for a policy that a wrong spec does not say",
      file: "src/resources/read-spec.ts",
      find: "return isSaid ? read.data : undefined",
      replace: "return isSaid || !isSaid ? read.data : undefined",
      killer: { ...ENDS, only: "says no policy" },
    },
    {
      name: "wrong-policy-is-left-out",
      promise: "what is kept by a policy that cannot be read is kept",
      file: "src/resources/read-spec.ts",
      find: '  "persistent",\n',
      replace: "",
      killer: { ...ENDS, only: "whether it lasts" },
    },
    {
      name: "slug-is-derived-for-a-deletion",
      promise: "of an object that is wrong elsewhere only what is recorded is deleted, and never what has its name",
      file: "src/controllers/edge-function/finalize.ts",
      find: "return confirmed ? status.current.slug : undefined",
      replace: "return object === undefined && confirmed ? status.current.slug : object && slugOf(object)",
      killer: { ...ENDS, only: "is deleted by the slug that is recorded" },
    },
    {
      name: "source-decides-on-deletion",
      promise: "a function goes as its policy says, whatever is wrong of its source",
      file: "src/resources/edge-function/kind.ts",
      find: '  standIns: { source: { inline: { files: { "index.ts": "" } } } },\n',
      replace: "",
      killer: { ...ENDS, only: "is deleted by the slug that is recorded" },
    },
    {
      name: "from-decides-on-deletion",
      promise: "secrets go as their policy says, whatever is wrong of where they come from",
      file: "src/resources/secret/kind.ts",
      find: '  standIns: { from: [{ secretRef: { name: "none" } }] },\n',
      replace: "",
      killer: { ...ENDS, only: "has what it set deleted" },
    },
    {
      name: "unread-branch-is-not-listed",
      promise: "what is kept since nobody knows what is to become of it is listed",
      file: "src/controllers/branch/finalize.ts",
      find: "return retained(run, [{ remote, why: unread }]);",
      replace: 'return kept(run, remote, "this object does not manage it");',
      killer: { ...ENDS, only: "is kept and listed" },
    },
  ],
};
