import {
  type Refusal,
  alike,
  allOfThem,
  asked,
  branch,
  forced,
  onPlan,
  PROJECT,
} from "../../support/emulator/refusal.ts";

/** Branches and action runs, but for what their databases refuse (sql.ts). */

const named = (name: string, more: object = {}) => ({ branch_name: name, ...more });
const dev = branch("dev");

const making: readonly Refusal[] = [
  {
    id: "branches.create",
    status: 400,
    because: "the project is paused",
    given: forced("INACTIVE"),
    body: named("new"),
    says: "Project is not ready for branching, it is INACTIVE",
  },
  {
    id: "branches.create",
    status: 400,
    of: ["create with bad enum"],
    because: "there is no such region",
    body: named("new", { region: "nowhere" }),
    says: /^region: Invalid enum value\. Expected 'us-east-1' \| .* \| 'sa-east-1', received 'nowhere'$/,
  },
  {
    id: "branches.create",
    status: 400,
    because: "its region is full",
    given: async ({ control }) => {
      await control.regions.patch({ region: "eu-central-1", largestSize: null });
    },
    body: named("new", { region: "eu-central-1" }),
    says: "region: there is no room for the size micro in eu-central-1 on the plan enterprise",
  },
  {
    id: "branches.create",
    status: 400,
    because: "the plan has no such compute size",
    given: onPlan("free"),
    body: named("new", { desired_instance_size: "large" }),
    says: "desired_instance_size: Add-ons are not available on the free plan of the organization",
  },
  {
    id: "branches.create",
    status: 409,
    because: "there is a branch of this name",
    body: named("main"),
    says: 'Branch with name "main" already exists',
  },
  {
    id: "branches.create",
    status: 422,
    because: "there is a default branch",
    body: named("new", { is_default: true }),
    says: "is_default: the project has a default branch already",
  },
  {
    id: "branches.list",
    status: 422,
    of: ["branches list with branching off"],
    because: "branching is off, and the server an older one",
    given: allOfThem(asked("DELETE", `${PROJECT}/branches`), async ({ control }) => {
      await control.settings.patch({ branchesWithoutBranching: "refused" });
    }),
    says: "Preview branching is not enabled for this project",
  },
  {
    id: "branches.getByName",
    status: 404,
    because: "no branch has this name",
    says: "Branch not found",
    path: `${PROJECT}/branches/x`,
  },
];

const changing: readonly Refusal[] = [
  {
    id: "branches.update",
    status: 400,
    because: "there is no such status",
    given: dev,
    body: { status: "SHINING" },
    says: "status: Invalid enum value. Expected 'CREATING_PROJECT' | 'RUNNING_MIGRATIONS' | 'MIGRATIONS_PASSED' | 'MIGRATIONS_FAILED' | 'FUNCTIONS_DEPLOYED' | 'FUNCTIONS_FAILED', received 'SHINING'",
  },
  {
    id: "branches.update",
    status: 409,
    because: "another branch has the name, which is refused as it is on creation",
    given: dev,
    body: named("main"),
    says: 'Branch with name "main" already exists',
  },
  {
    id: "branches.update",
    status: 422,
    because: "the default branch stays",
    given: branch("main"),
    body: { persistent: false },
    says: "The default branch is always persistent",
  },
  {
    id: "branches.delete",
    status: 422,
    of: ["delete default branch / persistent branch"],
    because: "it is the default branch",
    given: branch("main"),
    says: "Cannot delete the default branch",
  },
  {
    id: "branches.delete",
    status: 422,
    of: ["delete default branch / persistent branch"],
    because: "[K-25] it is persistent",
    given: async (under) => {
      const known = { BRANCH: "", ...(await dev(under)) };
      await asked("PATCH", `/v1/branches/${known.BRANCH}`, { persistent: true })(under);
      return known;
    },
    says: "Cannot delete a persistent branch; it must first be changed to persistent=false",
  },
  {
    id: "branches.restore",
    status: 422,
    because: "its deletion is not scheduled",
    given: dev,
    says: "Branch is not scheduled for deletion",
  },
  ...alike(
    ["get", "update", "delete", "diff", "merge", "push", "reset", "restore"].map((verb) => `branches.${verb}`),
    {
      status: 404,
      because: "there is no such branch",
      says: "Branch not found",
    },
  ),
];

const work = ["branches.merge", "branches.push", "branches.reset"];
const working: readonly Refusal[] = [
  ...alike(["branches.diff", ...work], {
    status: 400,
    because: "the branch is being made",
    given: allOfThem(asked("POST", `${PROJECT}/branches`, named("young")), branch("young")),
    says: "Branch is not ready, it is CREATING_PROJECT",
  }),
  ...alike(["branches.merge", "branches.push"], {
    status: 400,
    because: "the project that it comes from is paused",
    given: allOfThem(forced("INACTIVE"), dev),
    says: "Branch is not ready, its project is INACTIVE",
  }),
  ...alike(work, {
    status: 400,
    because: "no migration of this version is in the history",
    given: dev,
    body: { migration_version: "1" },
    says: "migration_version: no migration 1 in the history",
  }),
  ...Object.entries({ merge: "merged", push: "pushed to", reset: "reset" }).map(([verb, done]) => ({
    id: `branches.${verb}`,
    status: 422,
    because: "the default branch is the project itself",
    given: branch("main"),
    says: `The default branch cannot be ${done}`,
  })),
];

const runs: readonly Refusal[] = [
  {
    id: "actions.list",
    status: 400,
    because: "a page has ten runs at least",
    query: "limit=9",
    says: "limit: Too small: expected number to be >=10, received '9'",
  },
  {
    id: "actions.updateStatus",
    status: 400,
    because: "a step has no such status",
    body: { deploy: "DONE" },
    says: "deploy: Invalid enum value. Expected 'CREATED' | 'DEAD' | 'EXITED' | 'PAUSED' | 'REMOVING' | 'RESTARTING' | 'RUNNING', received 'DONE'",
  },
  ...alike(["actions.get", "actions.logs", "actions.updateStatus"], {
    status: 404,
    because: "the project has no such run",
    says: "Action run not found",
  }),
];

export const BRANCH_REFUSALS: readonly Refusal[] = [...making, ...changing, ...working, ...runs];
