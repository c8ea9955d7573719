import type { ApiClient } from "../../../src/api/client.ts";
import type { Emulator } from "../../../src/emulator/emulator.ts";
import { sourceText } from "../stage/functions.ts";
import { type Choice, type Choosing, untouched } from "./choosing.ts";
import type { FunctionState, Garden } from "./garden.ts";

/** What a person does on the platform, past the operator: to what is declared, which is put right, and to what is nobody's business. */

/** The garden's own project as it is, with a person's client. */
async function project({ world, garden }: Choosing): Promise<{ readonly client: ApiClient; readonly ref: string }> {
  return { client: world.human(garden), ref: await refOf(world.emulator, garden) };
}

/** @throws Error where there is none */
export async function refOf(emulator: Emulator, { organization, left }: Garden): Promise<string> {
  const { projects } = await emulator.control.state.read({});
  const own = projects.find(
    ({ name, organization: owner, branchOf }) => owner === organization && branchOf === undefined && !left.has(name),
  );
  if (own === undefined) throw new Error(`${organization} has no project of its own`);
  return own.ref;
}

async function deploy(choosing: Choosing, slug: string, { words, verifyJwt }: FunctionState): Promise<void> {
  const { client, ref } = await project(choosing);
  const files = [{ path: "index.ts", content: sourceText(words) }];
  await client.functions.deploy({
    ref,
    slug,
    body: { metadata: { entrypoint_path: "index.ts", verify_jwt: verifyJwt }, files },
  });
}

/** Whether nobody puts right what is done to a function by hand: its drift is left, or it is only observed. */
function isLeft({ functions, observedFunctions }: Garden, slug: string): boolean {
  return observedFunctions.has(slug) || functions.get(slug)?.driftPolicy !== "Correct";
}

/** What is done to a function that is left so is in the model then, whichever way it is left. */
function leave({ observedFunctions, drifted }: Garden, slug: string, state: FunctionState | undefined): void {
  (observedFunctions.has(slug) ? observedFunctions : drifted).set(slug, state);
}

export const driftFunction: Choice = (choosing) => {
  const { garden, chance, word } = choosing;
  // One whose drift is reported already says no more of another one until the next look, for which nobody waits.
  const slug = untouched(
    choosing,
    [...garden.functions.keys()].filter((name) => !garden.drifted.has(name) && garden.functionNow(name) !== undefined),
  );
  const now = slug === undefined ? undefined : garden.functionNow(slug);
  if (slug === undefined || now === undefined) return undefined;
  const left = isLeft(garden, slug);
  const deletes = chance.is(0.3);
  const state = { words: word, verifyJwt: !now.verifyJwt };
  if (left) leave(garden, slug, deletes ? undefined : state);
  const what = `${deletes ? "delete" : "deploy"} the function ${slug} by hand${left ? ", which is left so" : ""}`;
  if (!deletes) return { what, act: () => deploy(choosing, slug, state) };
  return {
    what,
    act: async () => {
      const { client, ref } = await project(choosing);
      await client.functions.delete({ ref, function_slug: slug });
    },
  };
};

export const driftSecret: Choice = (choosing) => {
  const { garden, chance, word } = choosing;
  const name = untouched(
    choosing,
    [...garden.secrets.keys()].filter((one) => !garden.driftedSecrets.has(one)),
  );
  // Of one that is observed, what is there is the object's: a name that it has yet to set could be set by somebody else.
  const key = name === undefined ? undefined : chance.maybeOneOf([...garden.secretNow(name).keys()]);
  if (name === undefined || key === undefined) return undefined;
  const deletes = chance.is(0.5);
  const observes = garden.observedSecrets.has(name);
  const isLeft = observes || garden.secrets.get(name)?.driftPolicy !== "Correct";
  const now = new Map(garden.secretNow(name));
  if (deletes) now.delete(key);
  else now.set(key, word);
  if (isLeft) (observes ? garden.observedSecrets : garden.driftedSecrets).set(name, now);
  return {
    what: `${deletes ? "delete" : "set"} the secret ${key} by hand${isLeft ? ", which is left so" : ""}`,
    act: async () => {
      const { client, ref } = await project(choosing);
      if (deletes) await client.secrets.delete({ ref, body: [key] });
      else await client.secrets.create({ ref, body: [{ name: key, value: word }] });
    },
  };
};

export const driftBranch: Choice = (choosing) => {
  const { world, garden, chance } = choosing;
  const object = untouched(
    choosing,
    [...garden.branches.keys()].filter((one) => !garden.driftedBranches.has(one)),
  );
  const declared = object === undefined ? undefined : garden.branches.get(object);
  if (object === undefined || declared === undefined) return undefined;
  const { name, driftPolicy } = declared;
  // Where drift is not looked for, nobody could say what is shown of one that is gone.
  const renames = driftPolicy === "Ignore" || chance.is(0.5);
  const branch_name = `${name}-by-hand`;
  const isLeft = driftPolicy !== "Correct";
  if (isLeft) garden.driftedBranches.set(object, renames ? branch_name : undefined);
  return {
    what: `${renames ? "rename" : "delete"} the branch ${name} by hand${isLeft ? ", which is left so" : ""}`,
    act: async () => {
      if (isLeft) world.crew.note(BRANCH_LEFT);
      const { client, ref } = await project(choosing);
      const { branches } = await world.emulator.control.state.read({});
      const id = branches.find((one) => one.parentRef === ref && one.name === name)?.id;
      if (id === undefined) throw new Error(`there is no branch ${name}`);
      const path = { branch_id_or_ref: id };
      if (renames) await client.branches.update({ ...path, body: { branch_name } }, { parentRef: ref });
      else await client.branches.delete(path, { parentRef: ref });
    },
  };
};

/** By which it is noted that the drift of a branch was left. */
const BRANCH_LEFT = "branch left as it is";

export const driftProject: Choice = (choosing) => {
  const { garden } = choosing;
  if (garden.projectName === undefined || untouched(choosing, ["shop"]) === undefined) return undefined;
  const name = `${garden.projectName} by hand`;
  const isPaused = garden.pausedAs !== undefined;
  const isLeft = !isPaused && garden.settings.driftPolicy !== "Correct";
  if (isPaused) garden.pausedAs = name;
  if (isLeft) garden.driftedName = name;
  const left = isLeft ? ", which is left so" : "";
  return {
    what: `rename the project by hand${isPaused ? " while its object is paused" : left}`,
    act: async () => {
      const { client, ref } = await project(choosing);
      await client.projects.update({ ref, body: { name } });
    },
  };
};

/** Something of theirs, whose name nobody declares. */
export const addTheirs: Choice = (choosing) => {
  const { garden, chance, word } = choosing;
  // The first branch of a project becomes its default one, whoever makes it: theirs come after.
  const kinds = ["function", "secret", "branch"] as const;
  switch (chance.oneOf(kinds.filter((kind) => kind !== "branch" || garden.hasBranches))) {
    case "function": {
      const state = { words: word, verifyJwt: true };
      const slug = `theirs-${chance.between(1, 3)}`;
      garden.theirFunctions.set(slug, state);
      return { what: `deploy a function of theirs, ${slug}`, act: () => deploy(choosing, slug, state) };
    }
    case "secret": {
      const name = `THEIRS_${chance.between(1, 3)}`;
      garden.theirSecrets.set(name, word);
      return {
        what: `set a secret of theirs, ${name}`,
        act: async () => {
          const { client, ref } = await project(choosing);
          await client.secrets.create({ ref, body: [{ name, value: word }] });
        },
      };
    }
    case "branch": {
      const name = `theirs-${word}`;
      garden.theirBranches.add(name);
      return {
        what: `create a branch of theirs, ${name}`,
        act: async () => {
          const { client, ref } = await project(choosing);
          await client.branches.create({ ref, body: { branch_name: name } });
        },
      };
    }
  }
};
