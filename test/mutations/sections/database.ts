import type { Section } from "../mutant.ts";

const SETTINGS_FILE = "src/controllers/sections/database-settings.ts";
const NETWORK_FILE = "src/controllers/sections/network-restrictions.ts";

const SETTINGS = {
  project: "loopback",
  files: ["src/controllers/sections/database-settings.loopback.test.ts"],
} as const;
const PLAN = { project: "unit", files: ["src/controllers/sections/database-settings.test.ts"] } as const;
const DISK_FILE = "src/controllers/sections/disk.ts";
const DISK = { project: "loopback", files: ["src/controllers/sections/disk.loopback.test.ts"] } as const;
const WHOLE = { project: "loopback", files: ["src/controllers/sections/replaced-whole.loopback.test.ts"] } as const;
const NETWORK = { project: "unit", files: ["src/controllers/sections/network-restrictions.test.ts"] } as const;
const ACCESS = {
  project: "loopback",
  files: ["src/controllers/sections/database-access.loopback.test.ts"],
  only: "under Observe",
} as const;
const ROOT_KEY = {
  project: "loopback",
  files: ["src/controllers/sections/encryption-root-key.loopback.test.ts"],
} as const;

/** Sections of the database and of what it runs on (cases K-19 to K-21), and its root key. */
export const database: Section = {
  sign: "K-19",
  name: "database",
  mutants: [
    {
      name: "merge-drops-other-settings",
      promise: "Merge keeps what was set by hand, also what nobody knows here",
      file: SETTINGS_FILE,
      find: "const after = new Map(Object.entries(overrides));",
      replace: "const after = new Map<string, unknown>();",
      killer: PLAN,
    },
    {
      name: "restart-for-what-was-refused",
      promise:
        "settings that were certainly not written await no restart of the database: it would be an outage for nothing",
      file: "src/controllers/sections/sending.ts",
      find: "    takeBack: ({ message }, { told }) => {\n",
      replace: "    takeBack: ({ message }, { told }) => {\n      if (told.length > 0) return message;\n",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/restarts-refused.loopback.test.ts"],
        only: "nothing is restarted for settings",
      },
    },
    {
      name: "merge-of-what-was-seen-before-the-run",
      promise: "Merge keeps what is set by hand in the middle of a run",
      file: SETTINGS_FILE,
      find: "const overrides = await readSame(found);",
      replace: "const { overrides } = found;",
      killer: { ...WHOLE, only: "K-19" },
    },
    {
      name: "disk-of-what-was-seen-before-the-run",
      promise: "a disk is written with what it is right before",
      file: DISK_FILE,
      find: "    const disk = await readDisk(at);\n",
      replace: "    const disk = observed;\n",
      killer: { ...WHOLE, only: "kept of the disk" },
    },
    {
      name: "throughput-left-out-for-io2",
      promise: "what a disk of its type does not have is refused, and no request is made without it",
      file: DISK_FILE,
      find: "    if (fields.has(THROUGHPUT)) throw noThroughput();\n",
      replace: "",
      killer: { ...DISK, only: "that it became after the look" },
    },
    {
      name: "disk-that-fills-up-under-a-throughput",
      promise: "what a disk of its type does not have holds up nothing else of it: a disk that fills up grows",
      file: DISK_FILE,
      find: "  plan,\n  barred,\n",
      replace: "  plan,\n",
      killer: { ...DISK, only: "grows on under a throughput" },
    },
    {
      name: "made-fields-told-as-refused",
      promise: "what was made of a section is not among the fields that its refusal names",
      file: "src/controllers/sections/carry-out.ts",
      find: "decision.write.filter(({ field }) => !made.has(field))",
      replace: "decision.write",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/gated.loopback.test.ts"],
        only: "are told without what was written",
      },
    },
    {
      name: "barred-field-that-takes-the-others-out-of-force",
      promise:
        "what is refused of a disk leaves the rest of it in force: a hand-made change of that is drift, and no edit",
      file: "src/controllers/sections/write-allowed.ts",
      find: "  const refused = noteBarredFields(",
      replace: '  if (written.kind !== "part") throw barred.error;\n  const refused = noteBarredFields(',
      killer: { ...DISK, only: "is left as somebody made it" },
    },
    {
      name: "barred-field-that-rests",
      promise: "what a section has no request for is made as soon as there is one",
      file: "src/controllers/sections/refusal-memory.ts",
      find: "under: NOT_LOOKED_AT, fields, message, reason };",
      replace: 'under: "nothing", fields, message, reason };',
      killer: { ...DISK, only: "has it as soon as" },
    },
    {
      name: "barred-field-in-the-place-of-a-refused-one",
      promise: "what a section has no request for takes nothing from what the platform refused beside it",
      file: "src/controllers/sections/refusal-memory.ts",
      find: "[...new Set([...(refused.fields ?? []), ...barred])]",
      replace: "barred",
      killer: { project: "unit", files: ["src/controllers/sections/refusal-memory.test.ts"] },
    },
    {
      name: "removal-that-no-request-makes",
      promise: "an add-on that no request removes is refused, and counts as no write",
      file: "src/controllers/sections/addons.ts",
      find: "if (!isApplicable(selected)) throw unremovable(field, selected);",
      replace: "if (!isApplicable(selected)) return;",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/addons.loopback.test.ts"],
        only: "that no request of today removes",
      },
    },
    {
      name: "disk-asked-to-shrink",
      promise: "no disk is asked to shrink",
      file: DISK_FILE,
      find: "size_gb: Math.max(attributes.size_gb, due(",
      replace: "size_gb: Math.max(0, due(",
      killer: { ...WHOLE, only: "in the middle of a run" },
    },
    {
      name: "limit-switches-its-feature-off",
      promise: "a limit of storage that is declared alone leaves its feature on",
      file: "src/controllers/sections/merge-sections.ts",
      find: "?? valueAt(seen, `${name}.enabled`)",
      replace: "?? false",
      killer: { ...WHOLE, only: "whose limit alone" },
    },
    {
      name: "merge-takes-others-back",
      promise: "only Replace takes back what is not declared",
      file: SETTINGS_FILE,
      find: 'if (mode === "Merge") return differing;',
      replace: 'if (mode !== "Merge") return differing;',
      killer: PLAN,
    },
    {
      name: "repair-restarts-the-database",
      promise: "a repair does not restart the database unless settingsRestart says so",
      file: SETTINGS_FILE,
      find: '(declared.restart === "OnEdit" && !isRepair)',
      replace: '(declared.restart === "OnEdit")',
      killer: SETTINGS,
    },
    {
      name: "two-restarts-for-one-edit",
      promise: "one restart serves several changes that need one",
      file: SETTINGS_FILE,
      find: "restart_database: isLast",
      replace: "restart_database: restarts",
      killer: SETTINGS,
    },
    {
      name: "restart-lost-with-a-refusal",
      promise: "a restart that was left to a later section is made where that one fails",
      file: "src/controllers/sections/restart-for.ts",
      find: "if (!isRestarting) return restartFor(turn, due);",
      replace: "if (!isRestarting) return;",
      killer: SETTINGS,
    },
    {
      name: "additive-takes-ranges-away",
      promise: "Additive leaves ranges that others added",
      file: NETWORK_FILE,
      find: '(declared.mode === "Additive" || wanted.length === observed.cidrs.length)',
      replace: "wanted.length === observed.cidrs.length",
      killer: NETWORK,
    },
    {
      name: "exclusive-leaves-ranges",
      promise: "Exclusive lets in the declared ranges and no others",
      file: NETWORK_FILE,
      find: '(declared.mode === "Additive" || wanted.length === observed.cidrs.length)',
      replace: '(declared.mode === "Additive" || wanted.length <= observed.cidrs.length)',
      killer: NETWORK,
    },
    {
      name: "webhooks-never-after-observing",
      promise: "what was only observed is not done",
      file: "src/controllers/sections/turn.ts",
      find: "digestOf([declared, versions, target.policies.managementPolicy.value])",
      replace: "digestOf([declared, versions, typeof target])",
      killer: ACCESS,
    },
    {
      name: "root-key-in-the-message",
      promise: "the encryption root key is never told",
      file: "src/controllers/sections/encryption-root-key.ts",
      find: 'isRotated ? another([before], "edit") : another(before === undefined ? [] : mark, "declared");',
      replace:
        '{ ...another(mark, "edit"), write: () => Promise.reject(terminal("RequestNeeded", `annotate: ${wanted.value}`)) };',
      killer: { ...ROOT_KEY, only: "names the annotation and no key" },
    },
    {
      name: "another-root-key-taken-for-the-same",
      promise: "a root key that differs is told of",
      file: "src/controllers/sections/encryption-root-key.ts",
      find: 'isRotated ? another([before], "edit") : another(before === undefined ? [] : mark, "declared");',
      replace: "same(isRotated ? [] : mark);",
      killer: { ...ROOT_KEY, only: "names the annotation and no key" },
    },
    {
      name: "settings-out-of-bounds-sent",
      promise: "a setting that no database takes is named, and nothing is sent",
      file: "src/controllers/sections/database-settings.ts",
      find: "if (problems.length === 0) return;",
      replace: "if (problems.length <= rows.length) return;",
      killer: { ...SETTINGS, only: "are named, and nothing is sent" },
    },
    {
      name: "setting-out-of-bounds-not-named",
      promise: "a field that no database takes is named in the status, and not its section",
      file: "src/controllers/sections/failing.ts",
      find: " ?? wanted ?? ",
      replace: " ?? ",
      killer: { project: "loopback", files: ["src/controllers/sections/database-settings-bounds.loopback.test.ts"] },
    },
    {
      name: "fields-out-of-range-named-alone",
      promise: "all fields that are out of range are named in the status",
      file: "src/controllers/sections/refused-sections.ts",
      find: "const isOfFields = issues.every(",
      replace: "const isOfFields = issues.length === 1 && issues.every(",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/refused-sections.loopback.test.ts"],
        only: "are all named",
      },
    },
    {
      name: "unknown-setting-taken-back-without-a-restart",
      promise: "of a setting that is not known here the platform is to tell whether it restarts the database",
      file: SETTINGS_FILE,
      find: "known[wire]?.restart ?? true",
      replace: "known[wire]?.restart ?? false",
      killer: { ...WHOLE, only: "is taken back under Replace" },
    },
    {
      name: "version-of-a-branch-to-be-raised",
      promise: "what is to be done about a section is what an object of that kind has",
      file: "src/controllers/sections/database-access.ts",
      find: "kind === branchKind.type.kind ? TO_REPLACE : TO_RAISE",
      replace: "kind === TO_REPLACE ? TO_REPLACE : TO_RAISE",
      killer: { ...ACCESS, only: "has no version to raise" },
    },
    {
      name: "null-of-the-growth-told",
      promise:
        "what the platform answers null for of how the disk grows is left out of the status, which is written once",
      file: DISK_FILE,
      find: "=> value ?? undefined;",
      replace: "=> value as number | undefined;",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/facts.loopback.test.ts"],
        only: "answers null for",
      },
    },
    {
      name: "branch-writes-to-its-project",
      promise: "what a Branch declares is written to the branch alone, by whatever method",
      file: DISK_FILE,
      find: "      await send((call) => client.disk.update({ ref, body }, call));\n",
      replace: [
        "      await send((call) => client.disk.update({ ref, body }, call));",
        "      for (const { status } of environment.objects.projects.list()) {",
        "        await client.disk.update({ ref: status?.ref ?? ref, body }, at.call);",
        "      }\n",
      ].join("\n"),
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/branch-sections.loopback.test.ts"],
        only: "leaves the project's as they are",
      },
    },
    {
      name: "disk-rests-for-too-long",
      promise: "a disk that rests after a change is asked again as soon as its cool-down is over",
      file: DISK_FILE,
      find: "Math.max(SOONEST_MS, leftMs)",
      replace: "Math.max(SOONEST_MS, 3 * leftMs)",
      killer: { ...DISK, only: "rests after a change" },
    },
  ],
};
