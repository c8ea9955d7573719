import { driftPolicies } from "../../../src/resources/policy-choices.ts";
import { deleteIfThere } from "../matrix/delete-if-there.ts";
import { type Action, type Choice, type Choosing, type Sort, untouched, weighted } from "./choosing.ts";
import { replaceCredential } from "./credential-actions.ts";
import { createFunction, deleteFunction, editFunction, steal, watch } from "./function-actions.ts";
import { draft, specs, types } from "./manifests.ts";
import { askForRestart, restForAWhile } from "./life-actions.ts";
import { goOnManaging } from "./observing.ts";
import { meddleWithOutput, rotatePassword } from "./output-actions.ts";
import { askOfBranch } from "./branch-requests.ts";
import { createSecret, deleteSecret, editSecret } from "./secret-actions.ts";
import { declareSetting, withdrawSetting } from "./settings-actions.ts";
import { refuseEntry } from "./shared-connection.ts";

const BRANCHES = ["spring", "autumn"];

export const createBranch: Choice = (choosing) => {
  const { world, garden, chance } = choosing;
  const name = untouched(
    choosing,
    BRANCHES.filter((branch) => !garden.branches.has(branch)),
  );
  if (name === undefined) return undefined;
  const declared = { name, driftPolicy: chance.oneOf(driftPolicies) };
  garden.branches.set(name, declared);
  garden.hasBranches = true;
  return {
    what: `create the branch ${name}, driftPolicy ${declared.driftPolicy}`,
    act: async () => {
      await world.kube.create(types.branch, draft(garden, types.branch, name, { spec: specs.branch(name, declared) }));
    },
  };
};

const renameBranch: Choice = (choosing) => {
  const { world, garden, word } = choosing;
  const name = untouched(choosing, [...garden.branches.keys()]);
  const before = name === undefined ? undefined : garden.branches.get(name);
  if (name === undefined || before === undefined) return undefined;
  const { namespace } = garden;
  garden.branches.set(name, { ...before, name: `${name}-${word}` });
  garden.driftedBranches.delete(name);
  return {
    what: `rename the branch ${name}`,
    act: async () => {
      await world.kube.patchMerge(types.branch, { namespace, name }, { spec: { name: `${name}-${word}` } });
    },
  };
};

const deleteBranch: Choice = (choosing) => {
  const { world, garden } = choosing;
  const name = untouched(choosing, [...garden.branches.keys()]);
  if (name === undefined) return undefined;
  const { namespace } = garden;
  garden.branches.delete(name);
  garden.driftedBranches.delete(name);
  return {
    what: `delete the branch ${name}`,
    act: () => deleteIfThere(world.kube, types.branch, { namespace, name }),
  };
};

const renameProject: Choice = (choosing) => {
  const { world, garden, word } = choosing;
  if (garden.projectName === undefined || untouched(choosing, ["shop"]) === undefined) return undefined;
  const { namespace } = garden;
  const name = `shop-${garden.life}-${word}`;
  garden.projectName = name;
  garden.driftedName = undefined;
  return {
    what: `rename the project`,
    act: async () => {
      await world.kube.patchMerge(types.project, { namespace, name: "shop" }, { spec: { name } });
    },
  };
};

/** Sorts of edits. */
export const EDITS: readonly Sort[] = [
  { weight: 5, hit: "edit: function created", choose: createFunction },
  { weight: 5, hit: "edit: function edited", choose: editFunction },
  { weight: 2, hit: "edit: function deleted", choose: deleteFunction },
  { weight: 3, hit: "edit: function claimed twice", choose: steal },
  { weight: 2, hit: "edit: function of theirs observed", choose: watch },
  { weight: 4, hit: "edit: managed again", choose: goOnManaging },
  { weight: 4, hit: "edit: secret created", choose: createSecret },
  { weight: 4, hit: "edit: secret edited", choose: editSecret },
  { weight: 1, hit: "edit: secret deleted", choose: deleteSecret },
  { weight: 3, hit: "edit: branch created", choose: createBranch },
  { weight: 1, hit: "edit: branch renamed", choose: renameBranch },
  { weight: 2, hit: "edit: branch deleted", choose: deleteBranch },
  { weight: 1, hit: "edit: project renamed", choose: renameProject },
  { weight: 2, hit: "edit: credential replaced", choose: replaceCredential },
  { weight: 2, hit: "edit: namespace not admitted", choose: refuseEntry },
  { weight: 6, hit: "edit: setting declared", choose: declareSetting },
  { weight: 2, hit: "edit: setting withdrawn", choose: withdrawSetting },
  { weight: 2, hit: "edit: password rotated", choose: rotatePassword },
  { weight: 2, hit: "edit: output meddled with", choose: meddleWithOutput },
  { weight: 2, hit: "edit: restart asked for", choose: askForRestart },
  { weight: 1, hit: "edit: project rested", choose: restForAWhile },
  { weight: 3, hit: "edit: asked of a branch", choose: askOfBranch },
];

/** Something that people do with their manifests; undefined where there is nothing to do of what was chosen. */
export function clusterAction(choosing: Choosing): Action | undefined {
  return weighted(choosing, EDITS);
}
