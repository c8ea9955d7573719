import { deleteIfThere } from "../matrix/delete-if-there.ts";
import { type Choice, untouched } from "./choosing.ts";
import { anyDriftPolicy } from "./drift-policy.ts";
import type { DeclaredFunction, Garden, Watcher } from "./garden.ts";
import { draft, filesOf, sourceOf, specs, types } from "./manifests.ts";
import type { World } from "./world.ts";

/** What people do with their EdgeFunctions. */

/** Slugs of the functions that are declared. */
export const SLUGS: readonly string[] = ["alpha", "beta", "gamma", "delta", "epsilon"];

export const createFunction: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  const name = untouched(
    choosing,
    SLUGS.filter((slug) => !garden.functions.has(slug) && !garden.theirFunctions.has(slug)),
  );
  if (name === undefined) return undefined;
  const inConfigMap = chance.is(0.3);
  const driftPolicy = inConfigMap ? "Correct" : anyDriftPolicy(chance);
  const declared = { words: word, verifyJwt: chance.is(0.5), inConfigMap, driftPolicy };
  garden.functions.set(name, declared);
  return {
    what: `create the function ${name}${inConfigMap ? " from a ConfigMap" : ""}, driftPolicy ${driftPolicy}`,
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

export const editFunction: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  const name = untouched(choosing, [...garden.functions.keys()]);
  const before = name === undefined ? undefined : garden.functions.get(name);
  if (name === undefined || before === undefined) return undefined;
  const source = chance.is(0.7);
  const declared: DeclaredFunction = source ? { ...before, words: word } : { ...before, verifyJwt: !before.verifyJwt };
  garden.functions.set(name, declared);
  garden.drifted.delete(name);
  return {
    what: `edit the function ${name}${garden.observedFunctions.has(name) ? ", which observes" : ""}`,
    act: async () => {
      if (source && before.inConfigMap) return writeSource(world, garden, name, word);
      const { namespace } = garden;
      await world.kube.patchMerge(types.function, { namespace, name }, { spec: specs.function(name, declared) });
    },
  };
};

/** The platform's side of one that only observes stays, and is theirs from then on. */
export const deleteFunction: Choice = (choosing) => {
  const { world, garden } = choosing;
  const name = untouched(choosing, [...garden.functions.keys()]);
  if (name === undefined) return undefined;
  const { namespace } = garden;
  const observes = garden.observedFunctions.has(name);
  const kept = garden.observedFunctions.get(name);
  if (kept !== undefined) garden.theirFunctions.set(name, kept);
  garden.functions.delete(name);
  garden.observedFunctions.delete(name);
  garden.drifted.delete(name);
  return {
    what: `delete the function ${name}${observes ? ", which observes" : ""}`,
    act: () => deleteIfThere(world.kube, types.function, { namespace, name }),
  };
};

/** An object that asks for a function of theirs gets nothing (engine.md §4), and leaves nothing behind. */
export const steal: Choice = (choosing) => {
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
  const declared = { words: word, verifyJwt: true, inConfigMap: false, driftPolicy: "Correct" } as const;
  const spec = { ...specs.function(name, declared), slug };
  return {
    what: `create ${name}`,
    act: async () => {
      await world.kube.create(types.function, draft(garden, types.function, name, { spec }));
    },
  };
};

/** An object that observes a function of theirs says how that is, and never touches it (engine.md §6). */
export const watch: Choice = (choosing) => {
  const { world, garden, chance } = choosing;
  const { namespace } = garden;
  // It has the slug for itself, should theirs go: one that others declare stays for those.
  const slug = untouched(
    choosing,
    [...garden.theirFunctions.keys()].filter((one) => !SLUGS.includes(one)),
  );
  if (slug === undefined) return undefined;
  const name = `watcher-of-${slug}`;
  if (garden.watchers.delete(name)) {
    return {
      what: `delete ${name}`,
      act: () => deleteIfThere(world.kube, types.function, { namespace, name }),
    };
  }
  const watcher: Watcher = { slug, verifyJwt: chance.is(0.5) };
  garden.watchers.set(name, watcher);
  return {
    what: `create ${name}`,
    act: async () => {
      await world.kube.create(types.function, draft(garden, types.function, name, { spec: specs.watcher(watcher) }));
    },
  };
};
