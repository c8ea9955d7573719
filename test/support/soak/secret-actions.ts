import { deleteIfThere } from "../matrix/delete-if-there.ts";
import { type Choice, untouched } from "./choosing.ts";
import { anyDriftPolicy } from "./drift-policy.ts";
import type { Garden } from "./garden.ts";
import { draft, specs, types, valuesOf } from "./manifests.ts";
import type { World } from "./world.ts";

/** What people do with their Secret objects, and with the Kubernetes Secrets behind them. */

const SECRETS = ["red", "green"];

export const createSecret: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  const isTheirs = (name: string): boolean => LETTERS.some((letter) => garden.theirSecrets.has(keyOf(name, letter)));
  const name = untouched(
    choosing,
    SECRETS.filter((secret) => !garden.secrets.has(secret) && !isTheirs(secret)),
  );
  if (name === undefined) return undefined;
  const values = new Map([
    [keyOf(name, "A"), word],
    [keyOf(name, "B"), `${word}-b`],
  ]);
  const driftPolicy = anyDriftPolicy(chance);
  const declared = { values, redeploys: chance.is(0.6), driftPolicy };
  garden.secrets.set(name, declared);
  const why = declared.redeploys ? ", for which functions are deployed again" : "";
  return {
    what: `create the secrets ${name}${why}, driftPolicy ${driftPolicy}`,
    act: async () => {
      await writeValues(world, garden, name, values);
      await world.kube.create(types.secret, draft(garden, types.secret, name, { spec: specs.secret(name, declared) }));
    },
  };
};

const LETTERS = ["A", "B", "C"] as const;

function keyOf(name: string, letter: (typeof LETTERS)[number]): string {
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

export const editSecret: Choice = (choosing) => {
  const { world, garden, chance, word } = choosing;
  const name = untouched(choosing, [...garden.secrets.keys()]);
  const before = name === undefined ? undefined : garden.secrets.get(name);
  if (name === undefined || before === undefined) return undefined;
  const values = new Map(before.values).set(keyOf(name, "A"), word);
  for (const letter of ["B", "C"] as const) {
    const key = keyOf(name, letter);
    if (chance.is(0.4) && !values.delete(key)) values.set(key, `${word}-${letter.toLowerCase()}`);
  }
  garden.secrets.set(name, { ...before, values });
  garden.driftedSecrets.delete(name);
  return {
    what: `edit the secrets ${name}${garden.observedSecrets.has(name) ? ", which are observed" : ""}`,
    act: () => writeValues(world, garden, name, values),
  };
};

/** The platform's side of one that only observes stays, and is theirs from then on. */
export const deleteSecret: Choice = (choosing) => {
  const { world, garden } = choosing;
  const name = untouched(choosing, [...garden.secrets.keys()]);
  if (name === undefined) return undefined;
  const { namespace } = garden;
  for (const [key, value] of garden.observedSecrets.get(name) ?? []) garden.theirSecrets.set(key, value);
  const observes = garden.observedSecrets.delete(name);
  garden.secrets.delete(name);
  garden.driftedSecrets.delete(name);
  return {
    what: `delete the secrets ${name}${observes ? ", which are observed" : ""}`,
    act: () => deleteIfThere(world.kube, types.secret, { namespace, name }),
  };
};
