import type { ApiClient } from "../../../src/api/client.ts";
import { operations } from "../../../src/api/contract/contract.ts";
import { sha256 } from "../stage/functions.ts";
import type { Chance } from "./chance.ts";

/** A few settings of a Project, one of each sort of section: how they are declared, set by hand and read. */

export const settingNames = [
  "maxRows",
  "siteUrl",
  "smtpPassword",
  "realtimeUsers",
  "fileSizeLimit",
  "statementTimeout",
] as const;
export type SettingName = (typeof settingNames)[number];

/** Where the value of a setting that is secret lies. */
export const MAIL = { name: "mail", key: "password" } as const;

export interface Setting {
  /** path in the spec */
  readonly path: string;
  /** operation by which it is set */
  readonly operation: string;
  /** a value that it was hardly given before */
  readonly choose: (chance: Chance, word: string) => string | number;
  /** what the spec says for a value */
  readonly declared: (value: string | number) => unknown;
  readonly setByHand: (client: ApiClient, ref: string, value: string | number) => Promise<unknown>;
  /** what stands for the value, as the platform answers it */
  readonly read: (client: ApiClient, ref: string) => Promise<unknown>;
  /** what it answers for that value */
  readonly shown: (value: string | number) => unknown;
}

const asItIs = (value: string | number): unknown => value;
const MEBI = 2 ** 20;

export const settings: Readonly<Record<SettingName, Setting>> = {
  maxRows: {
    path: "dataApi.maxRows",
    operation: "dataApi.update",
    choose: (chance) => chance.between(1, 100_000),
    declared: asItIs,
    setByHand: (client, ref, value) => client.dataApi.update({ ref, body: { max_rows: Number(value) } }),
    read: async (client, ref) => (await client.dataApi.get({ ref })).max_rows,
    shown: asItIs,
  },
  siteUrl: {
    path: "auth.siteUrl",
    operation: "authConfig.update",
    choose: (_chance, word) => `https://${word}.test`,
    declared: asItIs,
    setByHand: (client, ref, value) => client.authConfig.update({ ref, body: { site_url: String(value) } }),
    read: async (client, ref) => (await client.authConfig.get({ ref })).site_url,
    shown: asItIs,
  },
  smtpPassword: {
    path: "auth.smtp.password",
    operation: "authConfig.update",
    choose: (_chance, word) => `mail-${word}`,
    declared: () => ({ secretKeyRef: MAIL }),
    setByHand: (client, ref, value) => client.authConfig.update({ ref, body: { smtp_pass: String(value) } }),
    // Masked: what is answered is a digest.
    read: async (client, ref) => (await client.authConfig.get({ ref })).smtp_pass,
    shown: (value) => sha256(String(value)),
  },
  realtimeUsers: {
    path: "realtime.maxConcurrentUsers",
    operation: "realtime.update",
    choose: (chance) => chance.between(1, 50_000),
    declared: asItIs,
    setByHand: (client, ref, value) => client.realtime.update({ ref, body: { max_concurrent_users: Number(value) } }),
    read: async (client, ref) => (await client.realtime.get({ ref })).max_concurrent_users,
    shown: asItIs,
  },
  fileSizeLimit: {
    path: "storage.fileSizeLimit",
    operation: "storage.update",
    choose: (chance) => chance.between(1, 5000) * MEBI,
    declared: (value) => `${Number(value) / MEBI}Mi`,
    setByHand: (client, ref, value) => client.storage.update({ ref, body: { fileSizeLimit: Number(value) } }),
    read: async (client, ref) => (await client.storage.get({ ref })).fileSizeLimit,
    shown: asItIs,
  },
  statementTimeout: {
    path: "database.settings.statementTimeout",
    operation: "postgresConfig.replace",
    choose: (chance) => `${chance.between(1, 3000)}s`,
    declared: asItIs,
    setByHand: (client, ref, value) =>
      client.postgresConfig.replace({ ref, body: { statement_timeout: String(value) } }),
    read: async (client, ref) => (await client.postgresConfig.get({ ref })).statement_timeout,
    shown: asItIs,
  },
};

/** The settings that an app may set: for some operations there is no scope that it could be given. */
export const settingsOfApps: readonly SettingName[] = settingNames.filter((name) => {
  const scopes = operations.find(({ id }) => id === settings[name].operation)?.scopes ?? [];
  return scopes.length > 0;
});

/** Field of the spec that a setting is below: what is edited there comes into force together. */
export function sectionOf(name: SettingName): string {
  return settings[name].path.split(".", 1)[0] ?? "";
}

/** What a merge patch of the spec says so that a setting is declared, or is no more: with undefined. */
export function specOf(name: SettingName, value: string | number | undefined): object {
  const { path, declared } = settings[name];
  const leaf = value === undefined ? null : declared(value);
  return path.split(".").reduceRight<object>((inner, part, at, parts) => {
    return { [part]: at === parts.length - 1 ? leaf : inner };
  }, {});
}
