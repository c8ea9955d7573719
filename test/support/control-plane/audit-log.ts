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

/** How often which request was made since the log was that long, by verb, resource and subresource, the most frequent first. */
export function auditedRequests(path: string, since: number, userAgent: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, objectRef, userAgent: agent = "" } of entriesSince(path, since)) {
    if (!agent.startsWith(userAgent)) continue;
    const { resource = "", subresource } = objectRef ?? {};
    const request = [verb, resource, subresource].filter((part) => part !== undefined && part !== "").join(" ");
    counts.set(request, (counts.get(request) ?? 0) + 1);
  }
  return new Map([...counts].toSorted(([, a], [, b]) => b - a));
}

/** Requests that were to change something since the log was that long, but for leases: `patch projects ns/name status`. */
export function auditedWrites(path: string, since: number): readonly string[] {
  return entriesSince(path, since)
    .filter(({ verb, objectRef }) => WRITES.has(verb) && objectRef?.resource !== "leases")
    .map(({ verb, user, objectRef: { resource = "", namespace = "", name = "", subresource = "" } = {} }) =>
      [verb, resource, `${namespace}/${name}`, subresource, `by ${user.username}`]
        .filter((part) => part !== "")
        .join(" "),
    );
}

function entriesSince(path: string, since: number): readonly z.output<typeof entrySchema>[] {
  return readFileSync(path)
    .subarray(since)
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => entrySchema.parse(JSON.parse(line)));
}
