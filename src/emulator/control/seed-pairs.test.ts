import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "../../api/contract/contract.ts";
import { seedSchema } from "../state/seed.ts";
import { callsByName } from "./calls.ts";

/** Where the seed says what a call brings about; or why it says none of it. */
const UNDOES = "takes back what a seed need not say";
const READS = "only reads";
const REQUESTS = "is about requests, not about what the service is";
const PAIRS: Readonly<Record<string, { readonly seed: readonly string[] } | { readonly none: string }>> = {
  "actions.failStep": { seed: ["failingSteps"] },
  "actions.mend": { none: UNDOES },
  "branches.force": { seed: ["projects.branches.status"] },
  "branches.hold": { seed: ["holds"] },
  "branches.release": { none: UNDOES },
  "disk.autoscale": { seed: ["projects.diskAutoscale"] },
  "disk.fill": { seed: ["projects.diskUsedPercent"] },
  "dns.clear": { none: UNDOES },
  "dns.set": { seed: ["dns"] },
  "faults.add": { none: REQUESTS },
  "faults.clear": { none: REQUESTS },
  "faults.list": { none: READS },
  "faults.remove": { none: REQUESTS },
  "functions.failBundle": { seed: ["failingBundles"] },
  "functions.mendBundles": { none: UNDOES },
  "jit.invitations": { none: READS },
  "jit.loginRoles": { none: READS },
  "jit.setAvailability": { seed: ["projects.jitUnavailable"] },
  "limits.reset": { none: REQUESTS },
  "log.clear": { none: REQUESTS },
  "log.read": { none: READS },
  "log.summary": { none: READS },
  "network.ban": { seed: ["projects.bans"] },
  "network.entitle": { seed: ["projects.networkEntitlement"] },
  "oauth.addApp": { seed: ["oauthApps"] },
  "oauth.approve": { none: "a user does it on the consent page; the code holds for minutes" },
  "oauth.expireTokens": { none: UNDOES },
  "oauth.grants": { none: READS },
  "oauth.removeApp": { none: UNDOES },
  "oauth.revokeGrant": { none: UNDOES },
  "organizations.patch": {
    seed: ["organizations.plan", "organizations.quotas", "organizations.members", "organizations.projectRoles"],
  },
  "projects.force": { seed: ["projects.status"] },
  "projects.hold": { seed: ["holds"] },
  "projects.patch": { seed: ["projects.dataApi", "projects.pitr", "projects.softBranchDeletion"] },
  "projects.release": { none: UNDOES },
  "projects.remove": { none: UNDOES },
  "regions.patch": { seed: ["regions"] },
  "releases.publish": { seed: ["releases"] },
  "replicas.fail": { seed: ["projects.readReplicas.failed"] },
  "services.mend": { none: UNDOES },
  "services.trouble": { seed: ["projects.troubles"] },
  "settings.patch": { seed: ["settings"] },
  "settings.read": { none: READS },
  "snippets.put": { seed: ["snippets"] },
  "snippets.remove": { none: UNDOES },
  "ssl.support": { seed: ["projects.sslEnforcementSupported"] },
  "state.read": { none: READS },
  "state.reset": { none: "goes back to the seed" },
  "state.seed": { none: "is the seed" },
  "storage.putBucket": { seed: ["projects.buckets"] },
  "storage.removeBucket": { none: UNDOES },
  "thirdPartyAuth.publish": { seed: ["thirdPartyKeys"] },
  "time.advance": { none: "time goes on from the clock's" },
  "time.read": { none: READS },
  "tokens.add": { seed: ["tokens"] },
  "tokens.revoke": { none: UNDOES },
  "upgrades.obstruct": { seed: ["projects.upgrade"] },
};

/** The operation that brings about what a seed says and no control call of its own does; or the call that adds it as a part of a seed. */
const BY_OPERATION: Readonly<Record<string, string>> = {
  "organizations.name": "organizations.create",
  "organizations.slug": "organizations.create",
  "projects.addons": "addons.apply",
  "projects.auth": "authConfig.update",
  "projects.branches.gitBranch": "branches.create",
  "projects.branches.name": "branches.create",
  "projects.branches.persistent": "branches.update",
  "projects.databasePassword": "projects.updatePassword",
  "projects.functions": "functions.deploy",
  "projects.instanceSize": "projects.create",
  "projects.name": "projects.create",
  "projects.organization": "projects.create",
  "projects.postgresVersion": "upgrades.start",
  "projects.readReplicas.identifier": "state.seed",
  "projects.readReplicas.region": "readReplicas.setup",
  "projects.ref": "state.seed",
  "projects.region": "projects.create",
  "projects.secrets": "secrets.create",
  users: "state.seed",
};

/** Fields whose own fields are looked at one by one. */
const OPENED = new Set(["organizations", "projects", "projects.branches", "projects.readReplicas"]);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function fieldsOf({ properties = {}, items }: Schema, above: string): readonly string[] {
  if (items !== undefined) return fieldsOf(items, above);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = above === "" ? name : `${above}.${name}`;
    return OPENED.has(path) ? fieldsOf(schema, path) : [path];
  });
}

describe("what no operation can create", () => {
  const schema = z.toJSONSchema(seedSchema, { io: "input", unrepresentable: "any" });
  const fields = fieldsOf(schema as Schema, ""); // a JSON schema has these members, or none of them
  const bySeed = Object.values(PAIRS).flatMap((pair) => ("seed" in pair ? pair.seed : []));

  it("comes from the seed wherever a control call makes it: every call is paired, or says why it is not", () => {
    expect(Object.keys(PAIRS).toSorted()).toEqual([...callsByName.keys()].toSorted());
    expect(bySeed.filter((path) => !fields.includes(path))).toEqual([]);
  });

  it("comes from a control call wherever the seed has it, and all else that the seed has from an operation", () => {
    expect([...new Set([...bySeed, ...Object.keys(BY_OPERATION)])].toSorted()).toEqual(fields.toSorted());
    const known = new Set([...operations.map(({ id }) => id), ...callsByName.keys()]);
    expect(Object.values(BY_OPERATION).filter((id) => !known.has(id))).toEqual([]);
  });
});
