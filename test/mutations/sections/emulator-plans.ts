import type { Mutant } from "../mutant.ts";

const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;

/** What the emulator lets nobody have on a plan, or with a compute size, that has it not. */
export const emulatedPlans: readonly Mutant[] = [
  {
    name: "created-with-what-its-plan-has-not",
    promise: "no project is created with a compute size that it could not be resized to",
    file: "src/emulator/projects/projects.ts",
    find: "  refuseSizeBeyond(organization.plan, body.desired_instance_size);\n",
    replace: "",
    killer: of("projects/compute-plans", "a project on the plan"),
  },
  {
    name: "branched-with-what-its-plan-has-not",
    promise: "no branch gets a compute size that its project could not have",
    file: "src/emulator/branches/branch-create.ts",
    find: "  refuseSizeBeyond(organizationOf(world, parent).plan, body.desired_instance_size);\n",
    replace: "",
    killer: of("projects/compute-plans", "a branch on the plan free"),
  },
  {
    name: "size-not-to-be-had-on-free",
    promise: "the plan free has the compute size that a fresh project begins with",
    file: "src/emulator/projects/compute-plans.ts",
    find: '!isAtLeast(size, "small")',
    replace: '!isAtLeast(size, "micro")',
    killer: of("projects/compute-plans", "a project on the plan"),
  },
  {
    name: "size-brought-along-to-free",
    promise: "a transfer to the plan free is refused for a compute size that it has not",
    file: "src/emulator/projects/transfers.ts",
    find: "    [!isOnPlan(instanceSize, plan), `the compute size ${instanceSize}`],\n",
    replace: "    [instanceSize.length > 99, `the compute size ${instanceSize}`],\n",
    killer: of("projects/transfers", "is foretold invalid for"),
  },
  {
    name: "seeded-with-what-its-size-has-not",
    promise: "a seed gives no project what no calls could give it",
    file: "src/emulator/infrastructure/infrastructure-seed.ts",
    find: "    if (refusal !== undefined) throw new SeedError",
    replace: '    if (refusal === "") throw new SeedError',
    killer: of("infrastructure/addons", "is not seeded by its variant"),
  },
];
