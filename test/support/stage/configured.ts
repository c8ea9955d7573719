import { authSettings } from "../../../src/resources/settings/auth/auth.ts";
import { declaring } from "../sections/declared.ts";
import { settingsOf } from "../../../src/resources/settings/setting.ts";
import { coreSecret } from "./functions.ts";
import { conditionOf, type Room } from "./room.ts";

/** A Project whose settings hold every secret that a setting can be, each a value that is told from all others. */

const NAME = "configured";
const secrets = settingsOf(authSettings).filter(({ source }) => source === "secret");

/** What the values are called. */
const first = (path: string): string => `the first value of auth.${path}`;
const second = (path: string): string => `the value of auth.${path}`;
const ROOT_KEY = "the root key";

/** Values that no Secret of the room holds in the end. */
export const formerSettings: readonly string[] = secrets.map(({ path }) => first(path));

/** 64 digits that are told from any others. */
const rootKey = "c0ffee5ec7e7".repeat(6).slice(0, 64);

/** Adds what it puts into the room's Secrets to the canaries. */
export function settingCanaries(): readonly (readonly [name: string, value: string])[] {
  const values = secrets.flatMap(({ path }, index): readonly (readonly [string, string])[] => [
    [first(path), `canary-first-setting-${index}-6d1b`],
    [second(path), `canary-setting-${index}-a40e`],
  ]);
  return [...values, [ROOT_KEY, rootKey]];
}

/** Declares all of them, rotates all of them, has the platform quote one that it refuses, and asks for another root key. */
export async function configure(room: Room, canaries: ReadonlyMap<string, string>): Promise<void> {
  const value = (name: string): string => canaries.get(name) ?? "";
  const values = (nameOf: (path: string) => string) =>
    coreSecret(room, "settings", Object.fromEntries(secrets.map(({ path }) => [path, value(nameOf(path))])));
  const auth = declaring([
    ...secrets.map(({ path }) => [path, { secretKeyRef: { name: "settings", key: path } }] as const),
    ["smtp.host", "mail.test"],
    ["smtp.port", 25],
    ["smtp.user", "shop"],
    ["smtp.adminEmail", "shop@mail.test"],
  ]);
  await room.apply([values(first), room.project(NAME, { auth })]);
  await room.ready("Project", NAME);
  const { faults } = room.emulator.control;
  const quoted = { message: `invalid value "${value(second("smtp.password"))}" for smtp_pass` };
  const operation = "authConfig.update";
  await faults.add({ operation, fault: { kind: "status", status: 400, body: quoted } });
  await room.apply(values(second));
  await room.until("Project", NAME, (object) => isTold(conditionOf(object, "Stalled")?.message));
  await room.apply(room.project(NAME, { auth: { ...auth, signupEnabled: false } }));
  // What was refused of the others is asked for again.
  await room.reconcile("Project", NAME);
  await room.ready("Project", NAME);
  const encryptionRootKey = { secretKeyRef: { name: "root", key: "rootKey" } };
  await room.apply([coreSecret(room, "root", { rootKey }), room.project(NAME, { auth, encryptionRootKey })]);
  await room.stalled("Project", NAME, "RequestNeeded");
  await room.kubectl("annotate", "project", NAME, "baas.dev/replace-root-key=1");
  await room.ready("Project", NAME);
}

function isTold(message: string | undefined): boolean {
  return message?.includes("invalid value") ?? false;
}
