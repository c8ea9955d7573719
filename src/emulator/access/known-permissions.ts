import { z } from "zod";
import { REVEAL_PERMISSION } from "../../api/contract/api-keys.ts";
import { operations } from "../../api/contract/contract.ts";
import { DATA_API_SECRET_PERMISSION } from "../../api/contract/data-api.ts";
import { nearInWords } from "../../base/near.ts";

/** Every permission that some operation asks for, or wants for the secrets of its answer: one that is none of these opens nothing. */
const knownPermissions: ReadonlySet<string> = new Set([
  ...operations.flatMap(({ permissions }) => permissions.flat()),
  REVEAL_PERMISSION,
  DATA_API_SECRET_PERMISSION,
]);

/** A permission of a fine-grained token. */
export const permissionSchema = z.string().refine((name) => knownPermissions.has(name), {
  error: ({ input }) =>
    `no operation needs the permission ${JSON.stringify(input)}${nearInWords(String(input), knownPermissions)}`,
});
