import { deleteIfThere } from "../matrix/delete-if-there.ts";
import { type Action, type Choice, type Choosing, untouched, weighted } from "./choosing.ts";
import { replaceCredential } from "./credential-actions.ts";
import type { DeclaredFunction, Garden } from "./garden.ts";
import { draft, filesOf, sourceOf, specs, types, valuesOf } from "./manifests.ts";
import type { World } from "./world.ts";

const SLUGS = ["alpha", "beta", "gamma", "delta", "epsilon"];
const SECRETS = ["red", "green"];
const BRANCHES = ["spring", "autumn"];

const createFunction: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  const name = untouched(
    choosing,
    SLUGS.filter((slug) => !garden.functions.has(slug) && !garden.theirFunctions.has(slug)),
  );
  if (name === undefined) return undefined;
  const inConfigMap = chance.is(0.3);
  const declared = { words: word, verifyJwt: chance.is(0.5), inConfigMap, reports: !inConfigMap && chance.is(0.3) };
  garden.functions.set(name, declared);
  return {
    what: `create the function ${name}${inConfigMap ? " from a ConfigMap" : ""}${declared.reports ? ", reporting" : ""}`,
    act: async () => {
      if (inConfigMap) await writeSource(world, garden, name, word);
      await world.kube.create(
        types.function,
        draft(garden, types.function, name, { spec: specs.function(name, declared) }),
      );
    },
  };
};

async function writeSource({ kube }: World, garden: Garden, name: string, words: string): Promise<void> {
  const manifest = draft(garden, types.configMap, sourceOf(name), { data: filesOf(words) });
  await kube.apply(types.configMap, manifest, { fieldManager: "people" });
}

const editFunction: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  const name = untouched(choosing, [...garden.functions.keys()]);
  const before = name === undefined ? undefined : garden.functions.get(name);
  if (name === undefined || before === undefined) return undefined;
  const source = chance.is(0.7);
  const declared: DeclaredFunction = source ? { ...before, words: word } : { ...before, verifyJwt: !before.verifyJwt };
  garden.functions.set(name, declared);
  garden.drifted.delete(name);
  return {
    what: `edit the function ${name}`,
    act: async () => {
      if (source && before.inConfigMap) return writeSource(world, garden, name, word);
      const { namespace } = garden;
      await world.kube.patchMerge(types.function, { namespace, name }, { spec: specs.function(name, declared) });
    },
  };
};

const deleteFunction: Choice = (choosing) => {
  const { world, garden } = choosing;
  const name = untouched(choosing, [...garden.functions.keys()]);
  if (name === undefined) return undefined;
  const { namespace } = garden;
  garden.functions.delete(name);
  garden.drifted.delete(name);
  return {
    what: `delete the function ${name}`,
    act: () => deleteIfThere(world.kube, types.function, { namespace, name }),
  };
};

/** An object that asks for a function of theirs gets nothing (engine.md §4), and leaves nothing behind. */
const steal: Choice = (choosing) => {
  const { world, garden, word } = choosing;
  const { namespace } = garden;
  const slug = untouched(choosing, [...garden.theirFunctions.keys()]);
  if (slug === undefined) return undefined;
  const name = `thief-of-${slug}`;
  if (garden.thieves.delete(name)) {
    return {
      what: `delete ${name}`,
      act: () => deleteIfThere(world.kube, types.function, { namespace, name }),
    };
  }
  garden.thieves.set(name, slug);
  const declared = { words: word, verifyJwt: true, inConfigMap: false, reports: false };
  const spec = { ...specs.function(name, declared), slug };
  return {
    what: `create ${name}`,
    act: async () => {
      await world.kube.create(types.function, draft(garden, types.function, name, { spec }));
    },
  };
};

const createSecret: Choice = (choosing) => {
  const { world, garden, word } = choosing;
  const name = untouched(
    choosing,
    SECRETS.filter((secret) => !garden.secrets.has(secret)),
  );
  if (name === undefined) return undefined;
  const values = new Map([
    [keyOf(name, "A"), word],
    [keyOf(name, "B"), `${word}-b`],
  ]);
  garden.secrets.set(name, values);
  return {
    what: `create the secrets ${name}`,
    act: async () => {
      await writeValues(world, garden, name, values);
      await world.kube.create(types.secret, draft(garden, types.secret, name, { spec: specs.secret(name) }));
    },
  };
};

function keyOf(name: string, letter: string): string {
  return `${name.toUpperCase()}_${letter}`;
}

async function writeValues(
  { kube }: World,
  garden: Garden,
  name: string,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  const data = [...values].map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  const manifest = draft(garden, types.coreSecret, valuesOf(name), { data: Object.fromEntries(data) });
  await kube.apply(types.coreSecret, manifest, { fieldManager: "people" });
}

const editSecret: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  const name = untouched(choosing, [...garden.secrets.keys()]);
  if (name === undefined) return undefined;
  const values = new Map(garden.secrets.get(name));
  const [a, b, c] = ["A", "B", "C"].map((letter) => keyOf(name, letter));
  if (a !== undefined) values.set(a, word);
  if (b !== undefined && chance.is(0.4) && !values.delete(b)) values.set(b, `${word}-b`);
  if (c !== undefined && chance.is(0.4) && !values.delete(c)) values.set(c, `${word}-c`);
  garden.secrets.set(name, values);
  return { what: `edit the secrets ${name}`, act: () => writeValues(world, garden, name, values) };
};

const deleteSecret: Choice = (choosing) => {
  const { world, garden } = choosing;
  const name = untouched(choosing, [...garden.secrets.keys()]);
  if (name === undefined) return undefined;
  const { namespace } = garden;
  garden.secrets.delete(name);
  return {
    what: `delete the secrets ${name}`,
    act: () => deleteIfThere(world.kube, types.secret, { namespace, name }),
  };
};

const createBranch: Choice = (choosing) => {
  const { world, garden } = choosing;
  const name = untouched(
    choosing,
    BRANCHES.filter((branch) => !garden.branches.has(branch)),
  );
  if (name === undefined) return undefined;
  garden.branches.set(name, name);
  garden.hasBranches = true;
  return {
    what: `create the branch ${name}`,
    act: async () => {
      await world.kube.create(types.branch, draft(garden, types.branch, name, { spec: specs.branch(name) }));
    },
  };
};

const renameBranch: Choice = (choosing) => {
  const { world, garden, word } = choosing;
  const name = untouched(choosing, [...garden.branches.keys()]);
  if (name === undefined) return undefined;
  const { namespace } = garden;
  garden.branches.set(name, `${name}-${word}`);
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
  return {
    what: `rename the project`,
    act: async () => {
      await world.kube.patchMerge(types.project, { namespace, name: "shop" }, { spec: { name } });
    },
  };
};

const CHOICES: readonly (readonly [weight: number, Choice])[] = [
  [5, createFunction],
  [5, editFunction],
  [2, deleteFunction],
  [3, steal],
  [4, createSecret],
  [4, editSecret],
  [1, deleteSecret],
  [3, createBranch],
  [1, renameBranch],
  [2, deleteBranch],
  [1, renameProject],
  [2, replaceCredential],
];

/** Something that people do with their manifests; undefined where there is nothing to do of what was chosen. */
export function clusterAction(choosing: Choosing): Action | undefined {
  return weighted(choosing, CHOICES);
}
