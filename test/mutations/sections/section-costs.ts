import type { Section } from "../mutant.ts";

/** What a section asks the platform for, and no more (ADR 20). */
export const sectionCosts: Section = {
  sign: "ADR 20",
  name: "section-costs",
  mutants: [
    {
      name: "growth-of-the-disk-read-again",
      promise: "what no write of ours changes is not read after it",
      file: "src/controllers/sections/disk.ts",
      find: 'return { ...observed, ...(await calling("read the disk after a change", () => readDisk(at))) };',
      replace: "return observed.attributes === undefined ? observed : undefined;",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/disk.loopback.test.ts"],
        only: "is written whole",
      },
    },
    {
      name: "size-read-twice-after-it-is-written",
      promise: "the compute size costs one read, one write, and one read after it",
      file: "src/controllers/sections/observed-section.ts",
      find: "        return lookAt(at, declared, told ?? (await read(at, declared)), true);\n",
      replace: [
        '        if (name === "instanceSize") await at.client.addons.list({ ref: at.ref }, at.call);',
        "        return lookAt(at, declared, told ?? (await read(at, declared)), true);\n",
      ].join("\n"),
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/whole-project.loopback.test.ts"],
        only: "converges in one read",
      },
    },
    {
      name: "what-is-off-asked-for-twice",
      promise: "what tells that a service is off is not read again for its section",
      file: "src/controllers/shared/answers.ts",
      find: "kept?.ref === ref",
      replace: 'kept?.ref === ""',
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/data-api.loopback.test.ts"],
        only: "is switched off by one write",
      },
    },
    {
      name: "answer-of-before-the-write",
      promise: "what was read before a write is not taken for what there is after it",
      file: "src/controllers/shared/answers.ts",
      find: "    this.#kept = undefined;\n",
      replace: "",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/health.loopback.test.ts"],
        only: "is taken out of its suspension",
      },
    },
  ],
};
