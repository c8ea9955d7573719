import { z } from "zod";
import { NEW_API_KEY_TYPES } from "../../api/contract/api-keys.ts";

/**
 * Keys of a project as the emulated service remembers them. They are kept in plain, since the API gives them back to those with the
 * right to see them: API keys when they are revealed, the JWT secret of a branch, the root key of the database's encryption.
 */

/** What the platform makes up for a project when somebody first asks: absent until then. */
const projectKeysRecord = z
  .strictObject({
    /** signs the legacy API keys and the tokens of the project's users */
    jwtSecret: z.string().optional(),
    /** 64 hex digits */
    encryptionKey: z.string().optional(),
    /** whether the API keys that a project has from the start were made; they may have been deleted since */
    apiKeysMade: z.boolean(),
    /** one switch for both legacy API keys (facts.md §6.8) */
    legacyApiKeys: z.boolean(),
  })
  .readonly();
export type ProjectKeys = z.output<typeof projectKeysRecord>;

const KEYS_OF_FRESH_PROJECT: ProjectKeys = { apiKeysMade: false, legacyApiKeys: true };
export const projectKeys = { name: "projectKeys", row: projectKeysRecord, default: KEYS_OF_FRESH_PROJECT } as const;

/** Under the key's id. */
const apiKeyRecord = z
  .strictObject({
    id: z.string(),
    type: z.enum(NEW_API_KEY_TYPES),
    name: z.string(),
    description: z.string().optional(),
    secretJwtTemplate: z.record(z.string(), z.unknown()).readonly().optional(),
    key: z.string(),
    insertedAtMs: z.number(),
    updatedAtMs: z.number(),
  })
  .readonly();
export type ApiKeyRecord = z.output<typeof apiKeyRecord>;
export const apiKeys = { name: "apiKeys", row: apiKeyRecord } as const;
