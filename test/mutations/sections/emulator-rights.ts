import type { Mutant } from "../mutant.ts";

const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;
const BRANCH = "src/emulator/branches/branch-create.ts";
const SEED = "src/emulator/infrastructure/infrastructure-seed.ts";
const PLACE = of("branches/branch-place", "the region of a branch");
const PLANS = of("infrastructure/addon-plans", "on the plan free");
const UNREACHABLE = of("state/unreachable-seed", "a seed is refused");
const REACHABLE = of("state/unreachable-seed", "a seed brings about what calls could");
const KEYS = of("auth/signing-keys", "the status of a signing key");

/** That nobody has by one way what another way refuses: regions, sizes, add-ons, secrets, and moves of keys. */
export const emulatedRights: readonly Mutant[] = [
  {
    name: "branch-in-any-region",
    promise: "a bad enum is 400 and names the field, also where the catalogue has any text: the region of a branch",
    file: BRANCH,
    find: "if (body.region !== undefined) validate(",
    replace: 'if (body.region === "") validate(',
    killer: PLACE,
  },
  {
    name: "branch-without-room",
    promise: "a branch is refused where the region has no room for its size, as a project is",
    file: BRANCH,
    find: "if (!isDefault) refusePlace(",
    replace: "if (body.region !== undefined) refusePlace(",
    killer: PLACE,
  },
  {
    name: "smallest-branch-in-a-full-region",
    promise: "no size finds room where none fits",
    file: "src/emulator/projects/regions.ts",
    find: "largestSize !== null && SIZES.indexOf(size)",
    replace: 'largestSize === null ? size === "pico" : SIZES.indexOf(size)',
    killer: PLACE,
  },
  {
    name: "large-project-on-the-plan-free",
    promise: "a project is created with no compute size that a change of it would be refused for its plan",
    file: "src/emulator/projects/projects.ts",
    find: "  refuseSizeOfPlan(body, organization);\n",
    replace: "",
    killer: PLANS,
  },
  {
    name: "large-branch-on-the-plan-free",
    promise: "a branch is created with no compute size that a change of it would be refused for its plan",
    file: BRANCH,
    find: "  refuseSizeOfPlan(body, { plan });\n",
    replace: "",
    killer: PLANS,
  },
  {
    name: "size-of-a-default-branch-refused",
    promise: "a default branch is the project itself: no size that its creation says is used, nor refused",
    file: BRANCH,
    find: "  if (!isDefault) refusePlace(world, parent, body);\n",
    replace:
      "  refuseSizeOfPlan(body, organizationOf(world, parent));\n  if (!isDefault) refusePlace(world, parent, body);\n",
    killer: PLANS,
  },
  {
    name: "rolled-back-to-large-on-the-plan-free",
    promise: "the removal of a compute size leads to none that the plan does not have",
    file: "src/emulator/infrastructure/addons.ts",
    find: "isSizeOfAddon(previousSize)) ",
    replace: 'isSizeOfAddon("micro")) ',
    killer: PLANS,
  },
  {
    name: "large-project-moved-to-the-plan-free",
    promise: "a transfer is refused for a compute size that the other organization's plan does not have",
    file: "src/emulator/projects/transfers.ts",
    find: "isSizeOfAddon(instanceSize) && ",
    replace: 'isSizeOfAddon("micro") && ',
    killer: of("projects/transfers", "is foretold invalid"),
  },
  {
    name: "large-branch-moved-to-the-plan-free",
    promise:
      "a transfer is refused for what a branch uses that the other organization's plan does not have: branches move along",
    file: "src/emulator/projects/transfers.ts",
    find: "movedWith(world, project).flatMap((one) =>",
    replace: "movedWith(world, project).slice(0, 1).flatMap((one) =>",
    killer: of("projects/transfers", "of a branch, which moves along"),
  },
  {
    name: "branch-moved-in-the-middle-of-an-upgrade",
    promise: "a project is not transferred while one of its branches is on its way from one state to another",
    file: "src/emulator/projects/transfers.ts",
    find: "...obstaclesOfStatus(world, one),",
    replace: "...obstaclesOfStatus(world, { ...one, project }),",
    killer: of("projects/transfers", "is refused while a branch"),
  },
  {
    name: "seeded-recovery-of-a-small-project",
    promise: "a seed brings about no point-in-time recovery with a size that has none",
    file: SEED,
    find: " || isAtLeast(instanceSize, smallest)) return instanceSize;",
    replace: ' || isAtLeast(instanceSize, "micro")) return instanceSize;',
    killer: UNREACHABLE,
  },
  {
    name: "seeded-recovery-without-its-size",
    promise:
      "a seed that says no compute size has the smallest that its point-in-time recovery needs, whichever way it says that",
    file: SEED,
    find: "pitr || pitrOf(addons) !== undefined ?",
    replace: "pitr ?",
    killer: REACHABLE,
  },
  {
    name: "seeded-ban-of-the-primary-twice",
    promise: "no ban of a seed takes the place of another one: the primary database is meant where none is said",
    file: SEED,
    find: "world.networkBans.get(ref, banKey(identifier,",
    replace: 'world.networkBans.get(ref, banKey(wanted.identifier ?? "",',
    killer: UNREACHABLE,
  },
  {
    name: "seeded-variant-over-another",
    promise: "a seed names one variant of an add-on",
    file: SEED,
    find: "distinct(z.enum(OTHER_VARIANTS), typeOf,",
    replace: "distinct(z.enum(OTHER_VARIANTS), (variant) => variant,",
    killer: UNREACHABLE,
  },
  {
    name: "seeded-replica-too-many",
    promise: "a seed sets up no more read replicas than the operation does",
    file: SEED,
    find: "replicasOf(world, ref).length >= REPLICAS_PER_PROJECT",
    replace: "replicasOf(world, ref).length > REPLICAS_PER_PROJECT",
    killer: UNREACHABLE,
  },
  {
    name: "seeded-user-in-place-of-another",
    promise: "a seed gives the id of one user to no other",
    file: "src/emulator/state/seed-people.ts",
    find: "if (namesake !== undefined) throw",
    replace: "if (namesake?.username === username) throw",
    killer: UNREACHABLE,
  },
  {
    name: "switched-recovery-of-a-small-project",
    promise: "the switch of point-in-time recovery brings the compute size along that it needs",
    file: "src/emulator/control/lives.ts",
    find: "...(pitr === true ? sizeForPitr(",
    replace: "...(pitr === false ? sizeForPitr(",
    killer: REACHABLE,
  },
  {
    name: "hostname-outlives-its-add-on",
    promise: "a custom hostname is removed with its add-on, and is not there again with the next one",
    file: "src/emulator/infrastructure/addon-selection.ts",
    find: '  if (type === "custom_domain") world.customHostnames.reset(ref);\n',
    replace: "",
    killer: of("domains/custom-hostname", "is gone with its add-on"),
  },
  {
    name: "secrets-told-to-who-only-reads",
    promise: "what opens a project is told to no member who only reads",
    file: "src/emulator/access/roles.ts",
    find: ' && !name.endsWith("_secret_read")',
    replace: "",
    killer: of("access/secret-rights", "tells to who may know it"),
  },
  {
    name: "secrets-told-by-the-token-alone",
    promise: "what opens a project is told by token and by role",
    file: "src/emulator/access/secret-rights.ts",
    find: "return missing === undefined ? undefined : `",
    replace: "return missing !== undefined ? undefined : `",
    killer: of("access/secret-rights", "tells to who may know it"),
  },
  {
    name: "signing-key-told-another-way",
    promise: "who moves a signing key where it cannot go is told the way there is",
    file: "src/emulator/auth/signing-keys.ts",
    find: 'from === "in_use" ?',
    replace: 'from === "revoked" ?',
    killer: KEYS,
  },
  {
    name: "signing-key-kept-from-the-previous-ones",
    promise: "a signing key is moved to the given status, of all four, where nothing is lost by it",
    file: "src/emulator/auth/signing-key-state.ts",
    find: 'standby: ["in_use", "previously_used", "revoked"]',
    replace: 'standby: ["in_use", "revoked"]',
    killer: KEYS,
  },
  {
    name: "signing-key-back-in-use-from-revoked",
    promise: "the status of a signing key goes where its graph says, and nowhere else",
    file: "src/emulator/auth/signing-key-state.ts",
    find: 'revoked: ["standby", "previously_used"]',
    replace: 'revoked: ["standby", "previously_used", "in_use"]',
    killer: KEYS,
  },
  {
    name: "two-signing-keys-in-use",
    promise: "one signing key is in use: promoting another one moves it to previously_used",
    file: "src/emulator/auth/signing-keys.ts",
    find: "for (const other of before) put(",
    replace: "for (const other of before.slice(1)) put(",
    killer: KEYS,
  },
];
