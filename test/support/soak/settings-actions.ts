import { type Action, type Choice, type Choosing, untouched } from "./choosing.ts";
import { draft, types } from "./manifests.ts";
import { refOf } from "./hand-actions.ts";
import { MAIL, type SettingName, settingNames, settings, settingsOfApps, specOf } from "./settings.ts";

/** What people do with the settings of their Project, and on the platform to those. */

/** What somebody did by hand to the project itself in this round: it is not paused before that was put right. */
export const BY_HAND = "the project, by hand";

export const declareSetting: Choice = (choosing) => {
  const { garden, chance, word } = choosing;
  const name = chooseSetting(choosing, garden.credential === "app" ? settingsOfApps : settingNames);
  if (name === undefined) return undefined;
  const value = settings[name].choose(chance, word);
  if (garden.settings.declare(name, value)) garden.driftedName = undefined;
  return patchSetting(choosing, name, value);
};

export const withdrawSetting: Choice = (choosing) => {
  const { garden } = choosing;
  const name = chooseSetting(choosing, [...garden.settings.declared.keys()]);
  if (name === undefined) return undefined;
  garden.settings.withdraw(name);
  garden.driftedName = undefined;
  return patchSetting(choosing, name, undefined);
};

/** One that somebody sets on the platform, declared or not. */
export const driftSetting: Choice = (choosing) => {
  const { world, garden, chance, word, touched } = choosing;
  const name = chooseSetting(choosing);
  if (name === undefined) return undefined;
  const setting = settings[name];
  const value = setting.choose(chance, `${word}-by-hand`);
  const isPutRight = garden.settings.declared.has(name) && garden.settings.driftPolicy === "Correct";
  garden.settings.setByHand(name, value);
  touched.add(BY_HAND);
  return {
    what: `set ${setting.path} by hand${isPutRight ? "" : ", which is left so"}`,
    act: async () => {
      await setting.setByHand(world.human(garden), await refOf(world.emulator, garden), value);
    },
  };
};

/** One of the settings that was not touched in this round. */
function chooseSetting(choosing: Choosing, among: readonly SettingName[] = settingNames): SettingName | undefined {
  if (choosing.garden.projectName === undefined) return undefined;
  const free = among.filter((name) => !choosing.touched.has(name));
  const chosen = untouched(choosing, free);
  return free.find((name) => name === chosen);
}

function patchSetting({ world, garden }: Choosing, name: SettingName, value: string | number | undefined): Action {
  const { namespace } = garden;
  return {
    what: `${value === undefined ? "declare no more" : "declare"} ${settings[name].path}`,
    act: async () => {
      if (name === "smtpPassword" && value !== undefined) {
        const manifest = draft(garden, types.coreSecret, MAIL.name, { stringData: { [MAIL.key]: String(value) } });
        await world.kube.apply(types.coreSecret, manifest, { fieldManager: "people" });
      }
      await world.kube.patchMerge(types.project, { namespace, name: "shop" }, { spec: specOf(name, value) });
    },
  };
}
