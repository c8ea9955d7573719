import type { Section } from "../mutant.ts";

const IN = "src/controllers/sections";
const AUTH = `${IN}/auth.loopback.test.ts`;
const DOMAINS = `${IN}/domains.loopback.test.ts`;
const HOSTNAMES = `${IN}/domains.ts`;
const SWITCHES = `${IN}/switches.loopback.test.ts`;
const NETWORK = `${IN}/network-restrictions.loopback.test.ts`;

/** What goes wrong for people who manage this API declaratively (cases.md), each by the mistake that brings it back. */
export const cases: Section = {
  sign: "K",
  name: "cases",
  mutants: [
    {
      name: "young-project-refused",
      promise: "K-02: what a young project answers 500 for is tried again",
      file: "src/controllers/shared/failures.ts",
      find: 'SERVER_ERROR: "passing"',
      replace: 'SERVER_ERROR: "refused"',
      killer: { project: "loopback", files: [NETWORK], only: "K-02" },
    },
    {
      name: "removed-switch-taken-for-a-failure",
      promise: "K-10: where the endpoint of legacy keys is gone, so are they",
      file: `${IN}/switches.ts`,
      find: 'if (!isApiError(error, "GONE")) throw error;',
      replace: 'if (!isApiError(error, "CONFLICT")) throw error;',
      killer: { project: "loopback", files: [SWITCHES], only: "K-10" },
    },
    {
      name: "branching-that-is-off-taken-for-a-failure",
      promise: "what an older platform answers where branching is off is no failure",
      file: `${IN}/switches.ts`,
      find: "read: ({ client, ref, call }) => listBranches(client, ref, call),",
      replace: "read: ({ client, ref, call }) => client.branches.list({ ref }, call),",
      killer: { project: "loopback", files: [SWITCHES], only: "422" },
    },
    {
      name: "new-branch-goes-with-the-switch",
      promise: "a branch that somebody made right before is not taken away with preview branching",
      file: `${IN}/switches.ts`,
      find: "inTheWay(previews(await listBranches(at.client, at.ref, at.call)))",
      replace: "inTheWay(previews((await listBranches(at.client, at.ref, at.call)).slice(0, 0)))",
      killer: { project: "loopback", files: [SWITCHES], only: "after the look" },
    },
    {
      name: "mask-taken-for-a-difference",
      promise: "K-13: a secret that reads back masked makes no write",
      file: `${IN}/inputs.ts`,
      find: 'isTampered: kind === "changed" };',
      replace: "isTampered: true };",
      killer: { project: "loopback", files: [AUTH], only: "K-13" },
    },
    {
      name: "replaced-secret-left",
      promise: "K-13: a secret that somebody replaced by hand is put back",
      file: `${IN}/inputs.ts`,
      find: 'isTampered: kind === "changed" };',
      replace: "isTampered: false };",
      killer: { project: "loopback", files: [AUTH], only: "K-13" },
    },
    {
      name: "undeclared-fields-echoed",
      promise: "K-14: a request holds what is declared and nothing that was only read",
      file: `${IN}/field-section.ts`,
      find: "const wanted = bodyOf(making);",
      replace: "const wanted = { ...answer, ...bodyOf(making) };",
      killer: { project: "loopback", files: [AUTH], only: "K-14" },
    },
    {
      name: "port-sent-as-a-number",
      promise: "K-17: what is a text on the wire is sent as one, however it is written",
      file: "src/resources/settings/builders.ts",
      find: "encode: (value) => String(Number(schema.parse(value))),",
      replace: "encode: (value) => Number(schema.parse(value)),",
      killer: { project: "loopback", files: [AUTH], only: "K-17" },
    },
    {
      name: "word-sent-as-it-is-written",
      promise: "K-18: a short word of ours is the platform's long one on the wire",
      file: "src/resources/settings/builders.ts",
      find: "words[schema.parse(value)] ?? null;",
      replace: "schema.parse(value);",
      killer: { project: "loopback", files: [AUTH], only: "K-18" },
    },
    {
      name: "second-hostname-over-the-first",
      promise: "K-22: another custom hostname takes the old one away first",
      file: HOSTNAMES,
      find: "if (observed !== undefined) await deleteHostname(at, observed, how);",
      replace: "",
      killer: { project: "loopback", files: [DOMAINS], only: "K-22" },
    },
    {
      name: "records-looked-up-all-the-time",
      promise: "K-22: somebody's DNS is looked at once a minute",
      file: HOSTNAMES,
      find: "const DNS_POLL_MS = 60_000;",
      replace: "const DNS_POLL_MS = 1000;",
      killer: { project: "loopback", files: [DOMAINS], only: "K-22" },
    },
    {
      name: "verified-hostname-never-in-service",
      promise: "K-22: a hostname whose records were found is put into service",
      file: HOSTNAMES,
      find: "return isPending(found) || isActive(found) ? []",
      replace: "return isPending(found) || !isActive(found) ? []",
      killer: { project: "loopback", files: [DOMAINS], only: "K-22" },
    },
    {
      name: "branch-made-with-its-projects-engine",
      promise: "a branch is made with the engine that it declares",
      file: "src/controllers/branch/create.ts",
      find: "...(postgresEngine === undefined ? {} : { postgres_engine: postgresEngine }),",
      replace: "",
      killer: { project: "loopback", files: ["src/controllers/branch/create.loopback.test.ts"], only: "is made so" },
    },
    {
      name: "branch-made-in-its-projects-channel",
      promise: "a branch is made with the channel that it declares",
      file: "src/controllers/branch/create.ts",
      find: "...(releaseChannel === undefined ? {} : { release_channel: releaseChannel }),",
      replace: "",
      killer: { project: "loopback", files: ["src/controllers/branch/create.loopback.test.ts"], only: "is made so" },
    },
    {
      name: "branch-made-without-its-data",
      promise: "K-27: a branch that is to have data is asked for with it, or refused in the platform's words",
      file: "src/controllers/branch/create.ts",
      find: "...(withData === undefined ? {} : { with_data: withData }),",
      replace: "",
      killer: { project: "e2e", files: ["test/e2e/branch.e2e.test.ts"], only: "K-27" },
    },
    {
      name: "replaced-secret-told-once",
      promise: "K-13: a secret that somebody replaced by hand is told for as long as it is left",
      file: `${IN}/inputs.ts`,
      find: ": { seen: before, isTampered",
      replace: ': { seen: kind === "changed" ? await seenHash(at, answered) : before, isTampered',
      killer: { project: "loopback", files: [`${IN}/tampered.loopback.test.ts`] },
    },
    {
      name: "empty-family-left-out",
      promise: "K-21: the addresses of a family that nobody is let in of are sent as none, not left out",
      file: `${IN}/network-restrictions.ts`,
      find: "body: listsOf(wanted) }",
      replace: "body: withoutEmpty(listsOf(wanted)) }",
      killer: {
        project: "loopback",
        files: [NETWORK],
        only: "name both families",
      },
    },
    {
      name: "taken-name-asked-for",
      promise: "a vanity subdomain that is taken is told so in words, and not asked for",
      file: `${IN}/vanity-subdomain.ts`,
      find: "if (!available) throw",
      replace: "if (available === undefined) throw",
      killer: {
        project: "loopback",
        files: [DOMAINS],
        only: "that is taken is told so",
      },
    },
  ],
};
