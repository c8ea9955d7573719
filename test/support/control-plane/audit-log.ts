import { readFileSync, statSync } from "node:fs";
import { z } from "zod";

/** What a kube-apiserver that was started with `audit` says of the requests to it. */

const entrySchema = z.object({
  verb: z.string(),
  userAgent: z.string().optional(),
  user: z.object({ username: z.string() }),
  objectRef: z
    .object({
      resource: z.string(),
      namespace: z.string().optional(),
      name: z.string().optional(),
      subresource: z.string().optional(),
    })
    .optional(),
});

const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** How long the log is; what is written later comes after. */
export function auditLength(path: string): number {
  return statSync(path).size;
}

/** Requests that were to change something since the log was that long, but for leases: `patch projects ns/name status`. */
export function auditedWrites(path: string, since: number): readonly string[] {
  return readFileSync(path)
    .subarray(since)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => entrySchema.parse(JSON.parse(line)))
    .filter(({ verb, objectRef }) => WRITES.has(verb) && objectRef?.resource !== "leases")
    .map(({ verb, user, objectRef: { resource = "", namespace = "", name = "", subresource = "" } = {} }) =>
      [verb, resource, `${namespace}/${name}`, subresource, `by ${user.username}`]
        .filter((part) => part !== "")
        .join(" "),
    );
}
