import type { Killer, Mutant } from "../mutant.ts";

const of = (only: string): Killer => ({ project: "loopback", files: ["test/emulator/read-your-writes.test.ts"], only });
const WRITES = of("some of each kind were accepted");
const DATABASES = of("a database shows what was accepted alone");
const SERVICES = "src/emulator/services";
const KEYS = "src/emulator/keys/api-keys.ts";
const ORGANIZATIONS = "src/emulator/organizations";

/** "What was written is read, and what was refused changed nothing." */
export const emulatedWrites: readonly Mutant[] = [
  {
    name: "password-answered-and-not-set",
    promise: "a password that was accepted is the database's",
    file: "src/emulator/projects/projects.ts",
    find: "{ digest: sha256(body.password), changes: changes + 1 }",
    replace: "{ ...project.databasePassword, changes: changes + 1 }",
    killer: WRITES,
  },
  {
    name: "connections-not-shut-down",
    promise: "realtime comes up anew when its connections were shut down",
    file: `${SERVICES}/realtime.ts`,
    find: "{ ...known, shutDownAtMs: nowMs }",
    replace: "known",
    killer: WRITES,
  },
  {
    name: "realtime-replaced",
    promise: "the configuration of realtime is merged",
    file: `${SERVICES}/realtime.ts`,
    find: "settings: { ...known.settings, ...definedOnly(body) }",
    replace: "settings: { ...known.settings, private_only: false, ...definedOnly(body) }",
    killer: WRITES,
  },
  {
    name: "storage-features-replaced",
    promise: "the configuration of storage is merged, at any depth",
    file: `${SERVICES}/storage.ts`,
    find: "icebergCatalog: { ...known.features.icebergCatalog, ...definedOnly(",
    replace: "icebergCatalog: { ...known.features.icebergCatalog, maxTables: 10, ...definedOnly(",
    killer: WRITES,
  },
  {
    name: "rows-of-the-data-api-reset",
    promise: "the configuration of the Data API is merged",
    file: `${SERVICES}/data-api.ts`,
    find: "maxRows: body.max_rows ?? known.maxRows",
    replace: "maxRows: body.max_rows ?? 1000",
    killer: WRITES,
  },
  {
    name: "key-deleted-and-listed",
    promise: "a key that was deleted is listed no more",
    file: KEYS,
    find: "      world.apiKeys.delete(project.ref, known.id);\n",
    replace: "",
    killer: WRITES,
  },
  {
    name: "description-of-a-key-kept",
    promise: "a key has the description that was said last",
    file: KEYS,
    find: "description: said.description ?? known.description",
    replace: "description: known.description ?? said.description",
    killer: WRITES,
  },
  {
    name: "legacy-keys-always-on",
    promise: "the legacy keys are there as they were switched",
    file: KEYS,
    find: "legacyApiKeys: query.enabled }",
    replace: "legacyApiKeys: true }",
    killer: WRITES,
  },
  {
    name: "root-key-not-kept",
    promise: "the root key is the one that was set",
    file: "src/emulator/keys/encryption-key.ts",
    find: "encryptionKey: body.root_key }",
    replace: "encryptionKey: world.projectKeys.get(ref).encryptionKey }",
    killer: WRITES,
  },
  {
    name: "organization-of-nobody",
    promise: "who creates an organization is in it",
    file: `${ORGANIZATIONS}/organizations.ts`,
    find: 'members: { [caller.userId]: "Owner" }',
    replace: "members: {}",
    killer: WRITES,
  },
  {
    name: "role-missing-in-one-list",
    promise: "both lists of members have the role of each",
    file: `${ORGANIZATIONS}/organization-members.ts`,
    find: "roles: [own, ...onProjects]",
    replace: "roles: onProjects",
    killer: WRITES,
  },
  {
    name: "restored-branch-goes",
    promise: "a branch that was restored stays",
    file: "src/emulator/branches/branches.ts",
    find: "  updateBranch(world, branch, { deletionScheduledAtMs: undefined });\n",
    replace: "",
    killer: WRITES,
  },
  {
    name: "upgrade-forgotten",
    promise: "an upgrade that was begun is told by its status",
    file: "src/emulator/projects/upgrade-schedule.ts",
    find: "  world.upgrades.set(project.ref, upgrade);\n",
    replace: "",
    killer: WRITES,
  },
  {
    name: "webhooks-answered-and-not-enabled",
    promise: "webhooks that were enabled are in the schema",
    file: "src/emulator/sql/database.ts",
    find: 'steps: [WEBHOOKS], transaction: "read-write"',
    replace: 'steps: [WEBHOOKS], transaction: "read-only"',
    killer: DATABASES,
  },
];
