import type { Mutant } from "../mutant.ts";

/** @param only why it refuses, as a row of the table says it */
const refusal = (table: string, only: string) =>
  ({
    project: "loopback",
    files: ["test/emulator/every-refusal.test.ts", `test/emulator/refusals/${table}.ts`],
    only,
  }) as const;

/** In which words each area refuses what the contract says that it refuses, and in which form of a body. */
export const emulatedRefusedWords: readonly Mutant[] = [
  {
    name: "unauthorized-in-other-words",
    promise: "whoever has no token is told so in the service's own words by every operation",
    file: "src/emulator/failure.ts",
    find: 'new ApiFailure(401, "Unauthorized")',
    replace: 'new ApiFailure(401, "Unauthorized: there is no such token")',
    killer: refusal("general", "there is no token"),
  },
  {
    name: "privileges-without-a-way-on",
    promise: "a refusal for want of rights is the long text, whole",
    file: "src/emulator/failure.ts",
    find: "`${missing} For more details, refer to the documentation of the Management API.`",
    replace: "missing",
    killer: refusal("keys", "the token may not have keys revealed"),
  },
  {
    name: "route-without-its-method",
    promise: "a path that leads to no operation is named with its method",
    file: "src/emulator/failure.ts",
    find: "`Cannot ${method} ${url}`",
    replace: "`Cannot find ${url}`",
    killer: refusal("general", "a path that is nearly"),
  },
  {
    name: "bare-words-in-an-object",
    promise: "where SSL cannot be enforced, the body is a bare JSON string",
    file: "src/emulator/infrastructure/ssl-enforcement.ts",
    find: ', "bare")',
    replace: ")",
    killer: refusal("infrastructure", "cannot enforce it"),
  },
  {
    name: "storage-refusal-without-a-code",
    promise: "the storage of a branch that starts is refused with a code beside the message",
    file: "src/emulator/services/storage.ts",
    find: ', { code: "not_found" })',
    replace: ")",
    killer: refusal("services", "the branch starts"),
  },
  {
    name: "snippet-refusal-without-an-event",
    promise: "a snippet that is not there is refused with the id of an event beside the message",
    file: "src/emulator/sql/snippets.ts",
    find: ", { errorEventId: newErrorEventId() })",
    replace: ")",
    killer: refusal("observing", "there is no such snippet"),
  },
  {
    name: "field-beside-words-alone",
    promise: "what is refused by words alone has nothing beside its message",
    file: "src/emulator/projects/projects.ts",
    find: 'throw badRequest("Project not ready for deletion.")',
    replace:
      'throw Object.assign(badRequest("Project not ready for deletion."), { fields: { errorEventId: project.ref } })',
    killer: refusal("projects", "it is still being made"),
  },
  {
    name: "verified-hostname-without-a-next-step",
    promise: "who verifies a verified hostname again is told to activate it",
    file: "src/emulator/domains/custom-hostname.ts",
    find: ", go on to activate it",
    replace: "",
    killer: refusal("names", "it is verified"),
  },
  {
    name: "persistent-branch-without-a-way-out",
    promise: "who deletes a persistent branch is told what to change first",
    file: "src/emulator/branches/branches.ts",
    find: "; it must first be changed to persistent=false",
    replace: "",
    killer: refusal("branches", "it is persistent"),
  },
  {
    name: "saml-that-is-off-as-an-unknown-provider",
    promise: "with SAML switched off the refusal says so, and not that a provider is missing",
    file: "src/emulator/auth/sso-providers.ts",
    find: 'new ApiFailure(404, "SAML 2.0 support is not enabled for this project")',
    replace: 'new ApiFailure(404, "SSO Identity Provider not found")',
    killer: refusal("access", "SAML was switched off"),
  },
  {
    name: "late-bundle-without-its-reason",
    promise: "a bundle that takes too long is refused as one that timed out",
    file: "src/emulator/functions/deploy.ts",
    find: 'failed("bundle generation timed out")',
    replace: 'failed("the module graph could not be built")',
    killer: refusal("services", "longer to bundle"),
  },
  {
    name: "unqualified-names-in-read-only-sql",
    promise: "read-only SQL names the schema of all that it reads",
    file: "src/emulator/sql/database.ts",
    find: 'onRun, searchPath: "" }',
    replace: 'onRun, searchPath: "public" }',
    killer: refusal("sql", "it says no schema"),
  },
  {
    name: "oauth-refusal-without-its-description",
    promise: "a refusal of the token endpoint is described in the field of RFC 6749 as well",
    file: "src/emulator/oauth/oauth-failure.ts",
    find: "{ error, error_description: describable(message) }",
    replace: "{ error }",
    killer: refusal("oauth", "nobody was given this code"),
  },
  {
    name: "quota-of-secrets-untold",
    promise: "a secret beyond the quota is refused with the quota",
    file: "src/emulator/functions/secrets.ts",
    find: "exceeded: ${quota} per project",
    replace: "exceeded",
    killer: refusal("services", "as many as it may"),
  },
  {
    name: "id-refused-in-words-of-the-library",
    promise: "what is neither a ref nor an id of a branch is refused with what each is",
    file: "src/api/contract/fields.ts",
    find: `z.uuid("a branch's id is a uuid")`,
    replace: "z.uuid()",
    killer: refusal("general", "branch_id_or_ref"),
  },
];
