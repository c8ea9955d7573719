import { describe, expect, it } from "vitest";
import { ADDON_TYPES } from "../../api/contract/addons.ts";
import { authConfigRows } from "../../api/contract/auth-config-fields.ts";
import { operations } from "../../api/contract/contract.ts";
import { authSettings } from "../../resources/settings/auth/auth.ts";
import { settingsOf } from "../../resources/settings/setting.ts";
import { leavesOf } from "../../../test/support/sections/leaves.ts";
import { sections } from "./sections.ts";

/** That whatever the platform answers of a project's configuration can be set (every-setting.test.ts), is told by a status, or is named as what the API lacks. */

/** Reads of what is no configuration of a section, and why. */
const OTHERS: Readonly<Record<string, string>> = {
  "addons.list": "add-ons and their prices: each is a section, or told of those as what no request selects",
  "branches.list": "branches, which are a kind",
  "disk.utilization": "a measurement",
  "networkBans.list": "status.networkBans",
  "organizations.get": "the organization, for its plan",
  "signingKeys.getLegacy": "keys, which are no section: not-settable.ts",
  "signingKeys.list": "as signingKeys.getLegacy",
  "signingKeys.get": "as signingKeys.getLegacy",
  "ssoProviders.list": "providers, which are no section: not-settable.ts",
  "ssoProviders.get": "as ssoProviders.list",
  "thirdPartyAuth.list": "issuers, which are no section: not-settable.ts",
  "thirdPartyAuth.get": "as thirdPartyAuth.list",
  "vanitySubdomain.checkAvailability": "a question",
};

/** What is answered of a section beside its settings, with all below it, and why. */
const BESIDE: Readonly<Record<string, string>> = {
  "backups.getSchedule updated_at": "when it was written",
  "customHostname.get data": "status.customHostname",
  "customHostname.get status": "status.customHostname",
  "disk.autoscale growth_percent": "status.diskAutoscale",
  "disk.autoscale min_increment_gb": "status.diskAutoscale",
  "disk.autoscale max_size_gb": "status.diskAutoscale",
  "disk.get last_modified_at": "when it was written",
  "encryptionKey.get root_key": "compared, and written as an annotation asks",
  "jitAccess.get appliedSuccessfully": "how far it is",
  "jitAccess.get unavailableReason": "how far it is",
  "networkRestrictions.get applied_at": "how far it is",
  "networkRestrictions.get config": "the ranges that both requests take",
  "networkRestrictions.get entitlement": "what the plan has",
  "networkRestrictions.get old_config": "what was there before",
  "networkRestrictions.get status": "how far it is",
  "networkRestrictions.get updated_at": "when it was written",
  "pooler.get connectionString": "outputs",
  "pooler.get connection_string": "outputs",
  "pooler.get database_type": "which database it is of",
  "pooler.get db_host": "outputs",
  "pooler.get db_name": "outputs",
  "pooler.get db_port": "outputs",
  "pooler.get db_user": "outputs",
  "pooler.get identifier": "which database it is of",
  "pooler.getPgbouncer connection_string": "as that of pooler.get",
  "sslEnforcement.get appliedSuccessfully": "how far it is",
  "sslEnforcement.get currentConfig.database": "what is written as requestedConfig.database",
  "vanitySubdomain.get custom_domain": "the domain of what is written as vanity_subdomain",
  "vanitySubdomain.get status": "how far it is",
};

/** Reads that belong to a section and are not asked by it. */
const UNASKED: Readonly<Record<string, string>> = { "pooler.getPgbouncer": "database.pooler" };

const sectionsOf = (id: string) =>
  sections.filter(({ name, operations: ids }) => UNASKED[id] === name || ids.includes(id));

const reads = operations.filter(
  ({ id, retry, path }) => retry === "read" && (sectionsOf(id).length > 0 || path.includes("{ref}/config/")),
);

/** What requests of a section carry; of auth, what it has fields for. */
function settableIn(id: string): ReadonlySet<string> {
  if (id === "authConfig.get") return new Set(settingsOf(authSettings).map(({ wire }) => wire));
  const ids = new Set(sectionsOf(id).flatMap((section) => section.operations));
  const carried = operations
    .filter((one) => ids.has(one.id))
    .flatMap(({ body, query }) => [body?.encoding === "json" ? leavesOf(body.schema) : [], leavesOf(query)]);
  return new Set(carried.flat());
}

function isLacking(id: string, leaf: string): boolean {
  const words = new Set(sectionsOf(id).flatMap(({ lacks = "" }) => lacks.match(/\w+/gu) ?? []));
  return words.has(leaf.split(".")[0] ?? "");
}

const isBeside = (one: string): boolean =>
  Object.keys(BESIDE).some((name) => one === name || one.startsWith(`${name}.`));

/** Leaves of every answer, as `pooler.get pool_mode`. */
const answered = reads
  .filter(({ id }) => !Object.hasOwn(OTHERS, id))
  .flatMap(({ id, success }) =>
    success.kind === "json" ? [...new Set(leavesOf(success.schema))].map((leaf) => ({ id, leaf })) : [],
  );

describe("what the platform answers of a project's configuration", () => {
  it("can be set, is told, or is named as what the API lacks", () => {
    const unknown = answered.filter(
      ({ id, leaf }) => !settableIn(id).has(leaf) && !isLacking(id, leaf) && !isBeside(`${id} ${leaf}`),
    );
    expect(unknown).toEqual([]);
    expect(answered.length).toBeGreaterThan(authConfigRows.length);
  });

  it("is told of each type of add-on: it has a section, or the reference says that no request selects it", () => {
    const ofSections = new Set<string>(["compute_instance", "custom_domain", "ipv4", "pitr"]);
    const byHand = ADDON_TYPES.filter((type) => !ofSections.has(type));
    const addons = sections.filter(({ name }) => name.startsWith("addons."));
    expect(addons).toHaveLength(3);
    for (const { lacks = "" } of addons) expect(lacks).toContain(byHand.join(", "));
  });

  it("is left out of that by closed lists of what there is", () => {
    const ids = new Set<string>(reads.map(({ id }) => id));
    expect([...Object.keys(OTHERS), ...Object.keys(UNASKED)].filter((id) => !ids.has(id))).toEqual([]);
    const known = answered.map(({ id, leaf }) => `${id} ${leaf}`);
    const gone = (name: string): boolean => !known.some((one) => one === name || one.startsWith(`${name}.`));
    expect(Object.keys(BESIDE).filter(gone)).toEqual([]);
    const settable = answered.filter(({ id, leaf }) => isBeside(`${id} ${leaf}`) && settableIn(id).has(leaf));
    expect(settable).toEqual([]);
  });
});
