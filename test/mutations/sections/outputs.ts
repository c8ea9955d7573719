import type { Section } from "../mutant.ts";

const PLAN = "src/controllers/outputs/plan.ts";
const PLAN_TEST = { project: "unit", files: ["src/controllers/outputs/plan.test.ts"] } as const;
const VALUES = "src/controllers/outputs/values.ts";
const VALUES_TEST = { project: "unit", files: ["src/controllers/outputs/values.test.ts"] } as const;
const WRITE = "src/controllers/outputs/write.ts";
const OUTPUTS_TEST = { project: "loopback", files: ["src/controllers/outputs/outputs.loopback.test.ts"] } as const;
const LEFT_OUT_TEST = { project: "loopback", files: ["src/controllers/outputs/left-out.loopback.test.ts"] } as const;
const HALF_TEST = { project: "loopback", files: ["src/controllers/outputs/never-half.loopback.test.ts"] } as const;
const WIRE_TEST = { project: "loopback", files: ["src/controllers/outputs/wire.loopback.test.ts"] } as const;

/** What a project or branch writes for programs (engine.md §4, cases.md K-08). */
export const outputs: Section = {
  sign: "§4",
  name: "outputs",
  mutants: [
    {
      name: "output-written-half",
      promise: "never written half: what comes by itself is awaited",
      file: PLAN,
      find: 'missing.some((entry) => entry.missing.kind === "awaited")',
      replace: "false",
      killer: PLAN_TEST,
    },
    {
      name: "escape-taken-for-a-variable",
      promise: "$$( is $( as text, as in the command of a container",
      file: "src/resources/outputs/spec.ts",
      find: "/\\$(\\$\\(|\\([a-z-]+\\))/gu",
      replace: "/\\$(\\([a-z-]+\\))/gu",
      killer: { project: "unit", files: ["src/resources/outputs/spec.test.ts"] },
    },
    {
      name: "standing-output-written-half",
      promise: "never written half: one that is there stays as it is until all that comes by itself has come",
      file: PLAN,
      find: "held: awaits || (",
      replace: "held: (awaits && live === undefined) || (",
      killer: { ...HALF_TEST, only: "whose keys are edited" },
    },
    {
      name: "outputs-of-two-refs",
      promise: "one project or branch takes the place of another in Secret and ConfigMap at once",
      file: PLAN,
      find: " || (isAwaiting && live?.isOfRef === false)",
      replace: "",
      killer: { ...HALF_TEST, only: "read whole" },
    },
    {
      name: "entry-of-a-ref-before",
      promise: "nothing of one ref stays beside another's",
      file: PLAN,
      find: "(live?.isOfRef === true && ",
      replace: "(",
      killer: { ...HALF_TEST, only: "leaves nothing of the one before" },
    },
    {
      name: "entry-of-what-has-changed",
      promise: "what cannot be told and was made of what has changed goes",
      file: PLAN,
      find: " && live.changed.isDisjointFrom(sources)",
      replace: "",
      killer: { ...HALF_TEST, only: "loses what cannot be read" },
    },
    {
      name: "output-says-not-of-which-ref",
      promise: "an output says of which project or branch it is",
      file: WRITE,
      find: "annotations: { ...marks.annotations, [REPLACED_VERSION]: resourceVersion }",
      replace: "annotations: { [REPLACED_VERSION]: resourceVersion }",
      killer: { ...HALF_TEST, only: "of which one it is" },
    },
    {
      name: "output-keeps-others-keys",
      promise: "what nobody asks for goes",
      file: PLAN,
      find: ".filter((key) => !valid.has(key))",
      replace: ".filter(() => false)",
      killer: PLAN_TEST,
    },
    {
      name: "no-stand-in",
      promise: "the publishable key stands in where there is no anon key",
      file: VALUES,
      find: 'legacyKey(list, "anon") ?? newKey(list, "publishable")',
      replace: 'legacyKey(list, "anon")',
      killer: VALUES_TEST,
    },
    {
      name: "password-as-it-is",
      promise: "the password in a URI is percent-encoded",
      file: VALUES,
      find: ":${percentEncoded(password)}@",
      replace: ":${password}@",
      killer: VALUES_TEST,
    },
    {
      name: "mask-is-a-key",
      promise: "a masked key is none",
      file: VALUES,
      find: " && WHOLE_KEY.test(text)",
      replace: "",
      killer: VALUES_TEST,
    },
    {
      name: "foreign-output-written",
      promise: "an output Secret that exists without our ownerReference is never written",
      file: WRITE,
      find: "  if (live !== undefined) requireOurs(owner, wanted, live);\n",
      replace: "",
      killer: { ...LEFT_OUT_TEST, only: "is never written where it is" },
    },
    {
      name: "owned-is-an-output",
      promise: "an object that this one owns and that was never written as an output is never written",
      file: WRITE,
      find: "if (!owned || !wasOutput(metadata)) {",
      replace: "if (!owned) {",
      killer: { ...LEFT_OUT_TEST, only: "owns without its having made it" },
    },
    {
      name: "output-without-label-is-anothers",
      promise: "an output whose label somebody takes away stays one",
      file: "src/controllers/outputs/marks.ts",
      find: "return isOutput({ labels }) || annotations?.[REPLACED_VERSION] !== undefined;",
      replace: "return isOutput({ labels }) && annotations?.[REPLACED_VERSION] !== undefined;",
      killer: { ...LEFT_OUT_TEST, only: "lost its label" },
    },
    {
      name: "immutable-output-patched",
      promise: "an immutable output is told of in clear words",
      file: WRITE,
      find: "  if (!otherType && !immutable) return;\n",
      replace: "  if (!otherType) return;\n",
      killer: { ...LEFT_OUT_TEST, only: "that is its own and" },
    },
    {
      name: "output-written-each-time",
      promise: "no write when nothing changed",
      file: WRITE,
      find: "const difference = settled ? [] :",
      replace: "const difference = !settled && live !== undefined ? [] :",
      killer: { ...OUTPUTS_TEST, only: "an idle hour writes nothing" },
    },
    {
      name: "old-output-stays",
      promise: "an output under its old name is deleted",
      file: "src/controllers/outputs/remove.ts",
      find: "    if (name === keep || !isOutput(metadata) || deletionTimestamp !== undefined) continue;\n",
      replace: "    if (name !== keep || !isOutput(metadata) || deletionTimestamp !== undefined) continue;\n",
      killer: { ...OUTPUTS_TEST, only: "leaves no Secret and no ConfigMap behind" },
    },
    {
      name: "permission-fails-all",
      promise: "a missing permission is a condition, and the rest goes on",
      file: "src/controllers/outputs/read.ts",
      find: 'if (!isApiError(error, "FORBIDDEN")) throw',
      replace: "throw",
      killer: { ...LEFT_OUT_TEST, only: "is named by a condition" },
    },
    {
      name: "stale-password-published",
      promise: "only a password that was set is written",
      file: "src/controllers/project/outputs.ts",
      find: 'if (verdict.kind !== "changed") return known(value);',
      replace: "return known(value);",
      killer: { ...LEFT_OUT_TEST, only: "its Secret was edited" },
    },
    {
      name: "own-write-wakes",
      promise: "what the operator writes itself wakes nobody",
      file: "src/controllers/outputs/wire.ts",
      find: "if (isForeignWrite(before.metadata, now.metadata)) wakeOwners(before);",
      replace: "wakeOwners(before);",
      killer: WIRE_TEST,
    },
    {
      name: "deleted-output-unseen",
      promise: "an output that somebody deletes is put back",
      file: "src/controllers/outputs/wire.ts",
      find: "        wakeOwners(object);\n        const { projects }",
      replace: "        const { projects }",
      killer: WIRE_TEST,
    },
  ],
};
