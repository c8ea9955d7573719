import { readFileSync } from "node:fs";
import { z } from "zod";
import type { Target } from "../programs/kubectl.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import type { Release } from "./chart.ts";
import { releaseSelector } from "./chart.ts";

/** What RBAC grants and what kube-apiserver's audit log says was asked for, in the same terms. */

/** One verb on one resource. */
export interface Right {
  readonly verb: string;
  /** "group/plural", with "/status" for the subresource; the core group is "core". */
  readonly resource: string;
  /** Undefined for a grant that holds everywhere. */
  readonly namespace?: string | undefined;
  /** Undefined for a grant that holds for every name, and for requests that name nothing. */
  readonly name?: string | undefined;
}

const roleList = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), namespace: z.string().optional() }),
      rules: z
        .array(
          z.object({
            apiGroups: z.array(z.string()),
            resources: z.array(z.string()),
            resourceNames: z.array(z.string()).optional(),
            verbs: z.array(z.string()),
          }),
        )
        .nullable(),
    }),
  ),
});

function resourceOf(group: string, resource: string): string {
  return `${group === "" ? "core" : group}/${resource}`;
}

/** Every right of the roles of a release that are meant for the operator itself: not those for users. */
export async function grantedRights(target: Target, release: Release): Promise<readonly Right[]> {
  const args = [
    "get",
    "clusterroles,roles",
    "--all-namespaces",
    "--output=json",
    "--selector",
    releaseSelector(release),
  ];
  const { items } = roleList.parse(JSON.parse(succeeded(await kubectl(target, args))));
  return items
    .filter(({ metadata }) => !/-(view|edit)$/u.test(metadata.name))
    .flatMap(({ metadata, rules }) =>
      (rules ?? []).flatMap(({ apiGroups, resources, resourceNames = [undefined], verbs }) =>
        apiGroups.flatMap((group) =>
          resources.flatMap((resource) =>
            resourceNames.flatMap((name) =>
              verbs.map((verb) => ({
                verb,
                resource: resourceOf(group, resource),
                namespace: metadata.namespace,
                name,
              })),
            ),
          ),
        ),
      ),
    );
}

const auditEvent = z.object({
  verb: z.string(),
  user: z.object({ username: z.string() }),
  objectRef: z
    .object({
      resource: z.string(),
      subresource: z.string().optional(),
      apiGroup: z.string().default(""),
      namespace: z.string().optional(),
      name: z.string().optional(),
    })
    .optional(),
  responseStatus: z.object({ code: z.number() }).optional(),
});

/** A request of a ServiceAccount, and the status of its answer. */
export interface AskedFor {
  readonly right: Right;
  readonly status: number;
}

/** Everything that a user asked kube-apiserver for, each request once, as the audit log has it. */
export function askedFor(auditLogPath: string, user: string): readonly AskedFor[] {
  const lines = readFileSync(auditLogPath, "utf8").split("\n");
  const asked = new Map<string, AskedFor>();
  for (const line of lines) {
    if (!line.includes(user)) continue;
    const { verb, user: by, objectRef, responseStatus } = auditEvent.parse(JSON.parse(line));
    if (by.username !== user || objectRef === undefined) continue;
    const { resource, subresource, apiGroup, namespace, name } = objectRef;
    const path = subresource === undefined ? resource : `${resource}/${subresource}`;
    const right = { verb, resource: resourceOf(apiGroup, path), namespace, name };
    const status = responseStatus?.code ?? 0;
    asked.set(JSON.stringify([right, status]), { right, status });
  }
  return [...asked.values()];
}

/** Whether a grant is one that a request needs. */
export function covers(grant: Right, asked: Right): boolean {
  return (
    grant.verb === asked.verb &&
    grant.resource === asked.resource &&
    (grant.namespace === undefined || grant.namespace === asked.namespace) &&
    (grant.name === undefined || grant.name === asked.name)
  );
}

/** A right as a line of text. */
export function describeRight({ verb, resource, namespace, name }: Right): string {
  const place = namespace === undefined ? "" : ` in ${namespace}`;
  return `${verb} ${resource}${name === undefined ? "" : `[${name}]`}${place}`;
}
