import { z } from "zod";
import { operations } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { nearInWords } from "../../base/near.ts";

/** Every permission that some operation asks for, or wants for the secrets of its answer: one that is none of these opens nothing. */
const knownPermissions: ReadonlySet<string> = new Set(
  operations.flatMap((one: Operation) => [...one.permissions.flat(), one.secretPermission ?? []].flat()),
);

/** A permission of a fine-grained token. */
export const permissionSchema = z.string().refine((name) => knownPermissions.has(name), {
  error: ({ input }) =>
    `no operation needs the permission ${JSON.stringify(input)}${nearInWords(String(input), knownPermissions)}`,
});
