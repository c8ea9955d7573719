import { deleteIfThere } from "../matrix/delete-if-there.ts";
import { type Choice, untouched } from "./choosing.ts";
import { refOf } from "./hand-actions.ts";
import { DATABASE, OUTPUT, outputOf, types } from "./manifests.ts";
import { BY_HAND } from "./settings-actions.ts";

/** What people do that a Project's connection output is to follow, and to the output itself. A Project that is paused lets none of it be seen. */

/** The password's Secret gets another one. */
export const rotatePassword: Choice = (choosing) => {
  const { world, garden } = choosing;
  if (garden.projectName === undefined || garden.pausedAs !== undefined) return undefined;
  if (untouched(choosing, ["password"]) === undefined) return undefined;
  const { namespace } = garden;
  garden.passwords += 1;
  const { password } = garden;
  return {
    what: "rotate the password of the database",
    act: async () => {
      const data = { [DATABASE.key]: Buffer.from(password).toString("base64") };
      await world.kube.patchMerge(types.coreSecret, { namespace, name: DATABASE.name }, { data });
    },
  };
};

/** A person takes the key away that programs use and makes another one of its name. */
export const rotateKey: Choice = (choosing) => {
  const { world, garden, touched } = choosing;
  if (garden.projectName === undefined || garden.pausedAs !== undefined) return undefined;
  if (untouched(choosing, ["key"]) === undefined) return undefined;
  touched.add(BY_HAND);
  return {
    what: "rotate the publishable key by hand",
    act: async () => {
      const client = world.human(garden);
      const ref = await refOf(world.emulator, garden);
      const keys = await client.apiKeys.list({ ref });
      const old = keys.find(({ type, name }) => type === "publishable" && name === "default");
      if (typeof old?.id !== "string") throw new Error("there is no publishable key");
      await client.apiKeys.delete({ ref, id: old.id });
      await client.apiKeys.create({ ref, body: { type: "publishable", name: "default" } });
    },
  };
};

/** The output is edited or deleted by somebody: it is put back. */
export const meddleWithOutput: Choice = (choosing) => {
  const { world, garden, chance, word, touched } = choosing;
  if (garden.projectName === undefined || garden.pausedAs !== undefined) return undefined;
  const branches = [...garden.branches.keys()].filter(
    (one) => !touched.has(one) && garden.branchNow(one) !== undefined,
  );
  const name = untouched(choosing, [OUTPUT, ...branches.map(outputOf)]);
  if (name === undefined) return undefined;
  const deletes = chance.is(0.5);
  const place = { namespace: garden.namespace, name };
  return {
    what: `${deletes ? "delete" : "edit"} the connection Secret ${name}`,
    act: async () => {
      if (deletes) return deleteIfThere(world.kube, types.coreSecret, place);
      // Between a deletion in an earlier round and now it is there again, unless the Project has not been up.
      const data = { ref: Buffer.from(word).toString("base64") };
      await world.kube.patchMerge(types.coreSecret, place, { data });
    },
  };
};
