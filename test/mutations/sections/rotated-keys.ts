import type { Section } from "../mutant.ts";

const ROTATED = { project: "loopback", files: ["src/controllers/rotated-key.loopback.test.ts"] } as const;

const POLICIES = "src/controllers/shared/policies.ts";
const POLICIES_TEST = { project: "unit", files: ["src/controllers/shared/policies.test.ts"] } as const;

/** Marks and hashes, and the keys of the ring that made them (engine.md §6). */
export const rotatedKeys: Section = {
  sign: "§6",
  name: "rotated-keys",
  mutants: [
    {
      name: "secret-itself-in-the-spec",
      promise: "Secrets in spec are references",
      file: "src/resources/settings/references.ts",
      find: "const schema = z.object({ secretKeyRef }).meta({ description });",
      replace: "const schema = z.object({ secretKeyRef, value: z.string().optional() }).meta({ description });",
      killer: { project: "unit", files: ["src/resources/references-to-secrets.test.ts"] },
    },
    {
      name: "keys-made-by-the-chart",
      promise: "the key ring is a Secret made at run time, never by the chart",
      file: "deploy/helm/baas-operator/templates/serviceaccount.yaml",
      find: "automountServiceAccountToken: false\n",
      replace:
        "automountServiceAccountToken: false\n---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: baas-operator-key-ring\n",
      killer: { project: "loopback", files: ["test/chart/secrets.test.ts"] },
    },
    {
      name: "keys-kept-in-memory-alone",
      promise: "the key ring is a Secret made by the leader",
      file: "src/controllers/shared/key-ring.ts",
      find: "(await this.#create(signal));",
      replace: '{ current: "own", byId: new Map([["own", randomBytes(KEY_BYTES)]]) };',
      killer: { project: "loopback", files: ["src/controllers/shared/key-ring.loopback.test.ts"] },
    },
    {
      name: "folded-ids-are-drift",
      promise: "server normalisation (folded ids) is not drift",
      file: "src/controllers/sections/apple-clients.ts",
      find: "if (isFirst && isSame) return { [CLIENT]: client, [MORE]: more };",
      replace: "",
      killer: { project: "unit", files: ["src/controllers/sections/apple-clients.test.ts"] },
    },
    {
      name: "operator-sets-no-policy",
      promise: "set on the object, its Connection, or the operator, in that order",
      file: POLICIES,
      find: '    [operator, "Operator"],\n',
      replace: "",
      killer: POLICIES_TEST,
    },
    ...[
      { policy: "drift", find: 'driftPolicy: "Correct",', replace: 'driftPolicy: "Report",' },
      { policy: "management", find: 'managementPolicy: "Manage",', replace: 'managementPolicy: "Observe",' },
    ].map(({ policy, ...edit }) => ({
      name: `other-${policy}-policy-by-default`,
      promise: "Correct and Manage where nobody sets a policy",
      file: POLICIES,
      ...edit,
      killer: POLICIES_TEST,
    })),
    {
      name: "mark-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: outputs and Secret objects at rest",
      file: "src/controllers/shared/key-ring.ts",
      find: "const old = byId.get(keyOfBefore);",
      replace: "const old = keyOfBefore === current ? key : undefined;",
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "value-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: settings at rest",
      file: "src/controllers/sections/inputs.ts",
      find: 'verdict.kind === "same" ? seenAgain(sent, secret) : await',
      replace: "await",
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "answer-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: what is answered in the place of a setting",
      file: "src/controllers/sections/inputs.ts",
      find: 'return kind === "takeOver"',
      replace: 'return kind !== "changed"',
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "password-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: a password whose Secret is another version",
      file: "src/controllers/project/apply.ts",
      find: "recordSent(run, password, seenAgain(known.sent, secret))",
      replace: "await rememberSent(run, password)",
      killer: { ...ROTATED, only: "other versions with the same values" },
    },
    {
      name: "root-key-remembered-by-the-newest-key",
      promise: "a newer key in the ring has nothing written by itself: the root key",
      file: "src/controllers/sections/encryption-root-key.ts",
      find: "isSame ? seenAgain(before, wanted) : await",
      replace: "await",
      killer: { ...ROTATED, only: "of what is at rest" },
    },
    {
      name: "lost-key-is-an-edit",
      promise: "a key that is lost is no edit: what somebody set by hand is left to the drift policy",
      file: "src/controllers/secret/source.ts",
      find: 'source.marked.told === "changed"',
      replace: 'source.marked.told !== "same"',
      killer: { ...ROTATED, only: "makes no edit of what somebody" },
    },
    {
      name: "lost-mark-kept",
      promise: "what lost its key is marked anew, so that an edit that comes later is one",
      file: "src/controllers/secret/reconcile.ts",
      find: "if (before.valuesMark === undefined && sameJson",
      replace: "if (sameJson",
      killer: { ...ROTATED, only: "where the key before it" },
    },
    {
      name: "refusal-by-the-newest-key",
      promise: "a newer key in the ring has nothing asked for again that was refused",
      file: "src/controllers/sections/refusal-memory.ts",
      find: "{ before: refused.madeOf, fields",
      replace: "{ before: undefined, fields",
      killer: {
        project: "loopback",
        files: ["src/controllers/sections/refused-data.loopback.test.ts"],
        only: "newer key",
      },
    },
  ],
};
