import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "../../src/api/contract/contract.ts";
import { branchSpec } from "../../src/resources/branch/spec.ts";
import { kinds } from "../../src/resources/kinds.ts";
import { projectSpec } from "../../src/resources/project/spec.ts";
import { branchVerbs, projectVerbs } from "../../src/resources/requests.ts";
import { sections } from "../../src/controllers/sections/sections.ts";
import { notSettable } from "./not-settable.ts";
import { reference } from "./reference.ts";

/** Where what a project or branch is made with, and is changed to beside its sections, stands in a spec; of Branch but for the first ones. */
const SETTABLE: Readonly<Record<string, string>> = {
  "projects.create db_pass": "databasePassword",
  "projects.create name": "name",
  "projects.create organization_slug": "organization",
  "projects.create region_selection": "region",
  "projects.create desired_instance_size": "instanceSize",
  "projects.create template_url": "templateUrl",
  "projects.create high_availability": "highAvailability",
  "projects.update name": "name",
  "projects.updatePassword password": "databasePassword",
  "upgrades.start target_version": "database",
  "transfers.create data": "organization",
  "encryptionKey.update root_key": "encryptionRootKey",
  "branches.create branch_name": "name",
  "branches.create git_branch": "gitBranch",
  "branches.create persistent": "persistent",
  "branches.create region": "region",
  "branches.create desired_instance_size": "instanceSize",
  "branches.create release_channel": "releaseChannel",
  "branches.create postgres_engine": "postgresEngine",
  "branches.create with_data": "withData",
  "branches.create notify_url": "notifyUrl",
  "branches.update branch_name": "name",
  "branches.update git_branch": "gitBranch",
  "branches.update persistent": "persistent",
  "branches.update notify_url": "notifyUrl",
  "branches.delete force": "softDelete",
};

const verbs = { ...projectVerbs, ...branchVerbs };

/** Asked for by an annotation. */
const ASKED: Readonly<Record<string, keyof typeof verbs>> = {
  "branches.update request_review": "request-review",
  "branches.merge migration_version": "merge",
  "branches.push migration_version": "push",
  "branches.reset migration_version": "reset",
  "backups.restorePitr recovery_time_target_unix": "restore-to",
  "networkBans.delete ipv4_addresses": "lift-network-bans",
};

/** What writes to a project or branch and belongs to no section: the kind, or the annotation, that it is sent for. */
const USED: Readonly<Record<string, string>> = {
  "backups.restorePitr": "restore-to",
  "branches.create": "Branch",
  "branches.update": "Branch",
  "branches.delete": "Branch",
  "branches.merge": "merge",
  "branches.push": "push",
  "branches.reset": "reset",
  "branches.restore": "restore",
  "encryptionKey.update": "replace-root-key",
  "functions.bulkUpdate": "EdgeFunction",
  "functions.deploy": "EdgeFunction",
  "functions.update": "EdgeFunction",
  "functions.delete": "EdgeFunction",
  "networkBans.delete": "lift-network-bans",
  "projects.update": "Project",
  "projects.delete": "Project",
  "projects.pause": "Project",
  "projects.restore": "Project",
  "projects.restart": "restart",
  "projects.cancelRestore": "cancel-restore",
  "projects.updatePassword": "Project",
  "readOnlyMode.disableTemporarily": "allow-writes",
  "realtime.shutdown": "shut-down-realtime",
  "secrets.create": "Secret",
  "secrets.delete": "Secret",
  "transfers.create": "Project",
  "upgrades.start": "Project",
};

/** Sent for a Project, by a path on which a branch's ref is unknown (facts.md §5). */
const OF_NO_BRANCH: ReadonlySet<string> = new Set(["projects.update", "projects.delete", "transfers.create"]);

/** What leaves nothing that could be declared, or is done by another operation, and why. */
const NO_STATE: Readonly<Record<string, string>> = {
  "actions.updateStatus": "what runs an action tells how far it is",
  "database.queryReadOnly": "a question",
  "functions.create": "functions.deploy makes what is not there",
  "jit.acceptInvite": "who is invited does it",
  "jit.authorize": "a question",
  "loginRole.create": "a login of a command line, for a while",
  "loginRole.delete": "as loginRole.create",
};

/** Everything that writes to a project or branch that there is. */
const writes = operations.filter(
  ({ path, retry }) => retry !== "read" && (path.includes("{ref}") || path.includes("{branch_id_or_ref}")),
);

const OF_FUNCTIONS_AND_SECRETS = /^(functions|secrets)[.]/u;

function membersOf(schema: unknown): readonly (readonly [string, z.ZodType])[] {
  return schema instanceof z.ZodObject ? Object.entries<z.ZodType>(schema.shape) : [];
}

/** What requests of a life carry, and those that are asked for; of sections what stands beside the body. What the catalogue calls deprecated is left out. */
const fields = operations.flatMap(({ id, body, query }) => {
  const isSent = Object.hasOwn(USED, id) && !OF_FUNCTIONS_AND_SECRETS.test(id);
  const carried = (isSent || id === "projects.create") && body?.encoding === "json" ? membersOf(body.schema) : [];
  const beside = isSent || id === "customHostname.delete" ? membersOf(query) : [];
  return [...carried, ...beside].flatMap(([name, member]) =>
    member.meta()?.deprecated === true ? [] : [`${id} ${name}`],
  );
});

const listed = notSettable.flatMap(({ inApi }) => inApi);

describe("what no object sets", () => {
  it("is listed, whatever else a project or branch may be made with or changed to", () => {
    const known = new Set([...Object.keys(SETTABLE), ...Object.keys(ASKED), ...listed]);
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter((field) => !known.has(field))).toEqual([]);
  });

  it("is listed, whatever else is written to a project or branch than by a section, a kind or an annotation", () => {
    const ofSections = new Set(sections.flatMap((section) => section.operations));
    const others = writes.map(({ id }) => id).filter((id) => !ofSections.has(id) && !Object.hasOwn(USED, id));
    const known = new Set([...listed, ...Object.keys(NO_STATE)]);
    expect(others.filter((id) => !known.has(id))).toEqual([]);
    expect(Object.keys(NO_STATE).filter((id) => !others.includes(id) || listed.includes(id))).toEqual([]);
    expect(Object.keys(USED).filter((id) => !writes.some((one) => one.id === id) || ofSections.has(id))).toEqual([]);
    const senders = new Set<string>([...kinds.map(({ type }) => type.kind), ...Object.keys(verbs)]);
    expect(Object.values(USED).filter((sender) => !senders.has(sender))).toEqual([]);
  });

  it("is listed of a branch, whatever is sent by its ref for a Project alone", () => {
    const isOfProject = (sender: string): boolean =>
      sender === "Project" || (Object.hasOwn(projectVerbs, sender) && !Object.hasOwn(branchVerbs, sender));
    const ofProject = Object.entries(USED).flatMap(([id, sender]) => (isOfProject(sender) ? [id] : []));
    const ofBranch = notSettable.flatMap(({ what, inApi }) => (/\bof a branch\b/u.test(what) ? inApi : []));
    expect(ofBranch.filter((id) => Object.hasOwn(USED, id)).toSorted()).toEqual(
      ofProject.filter((id) => !OF_NO_BRANCH.has(id)).toSorted(),
    );
    expect([...OF_NO_BRANCH].filter((id) => !ofProject.includes(id))).toEqual([]);
  });

  it("is nothing that can be declared", () => {
    expect(Object.keys(SETTABLE).filter((field) => listed.includes(field))).toEqual([]);
    const missing = Object.entries(SETTABLE).filter(([field, name]) => {
      const { shape } = field.startsWith("branches.") ? branchSpec : projectSpec;
      return !Object.hasOwn(shape, name);
    });
    expect(missing).toEqual([]);
    expect(Object.values(ASKED).filter((verb) => !Object.hasOwn(verbs, verb))).toEqual([]);
  });

  it("is of the API as it is", () => {
    const ids = new Set<string>(operations.map(({ id }) => id));
    const known = new Set([...fields, ...ids]);
    expect(listed.filter((one) => !known.has(one))).toEqual([]);
    expect(Object.keys(SETTABLE).filter((field) => !fields.includes(field))).toEqual([]);
  });

  it("stands in the reference, with what to do instead", async () => {
    const page = (await reference.files()).get("docs/reference/sections.md") ?? "";
    for (const { what } of notSettable) expect(page).toContain(`| ${what} | `);
  });
});
