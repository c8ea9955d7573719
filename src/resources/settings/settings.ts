import { z } from "zod";
import { dataApiSettings } from "./data-api.ts";
import { poolerSettings } from "./pooler.ts";
import { realtimeSettings } from "./realtime.ts";
import { storageSettings } from "./storage.ts";

/** Sections of a spec that Project and Branch have in common: what lives under a ref is configured the same way. */

const databaseSettings = z
  .object({
    pooler: poolerSettings.optional(),
  })
  .describe("The database. What is not declared is left as it is.");

export const settingsFields = {
  database: databaseSettings.optional(),
  dataApi: dataApiSettings.optional(),
  realtime: realtimeSettings.optional(),
  storage: storageSettings.optional(),
};

const settingsSpec = z.object(settingsFields);

/** The part of a spec that sections are declared in. */
export type SettingsSpec = z.output<typeof settingsSpec>;
