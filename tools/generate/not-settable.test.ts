import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operations } from "../../src/api/contract/contract.ts";
import { branchSpec } from "../../src/resources/branch/spec.ts";
import { projectSpec } from "../../src/resources/project/spec.ts";
import { branchVerbs } from "../../src/resources/requests.ts";
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
  "upgrades.start target_version": "database",
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
};

/** Asked for by an annotation. */
const ASKED: Readonly<Record<string, keyof typeof branchVerbs>> = {
  "branches.update request_review": "request-review",
};

const LIFE = new Set(["projects.create", "projects.update", "upgrades.start", "branches.create", "branches.update"]);

/** Fields of the requests of a life, those that the catalogue calls deprecated aside. */
const fields = operations
  .filter(({ id }) => LIFE.has(id))
  .flatMap(({ id, body }) => {
    if (body?.encoding !== "json" || !(body.schema instanceof z.ZodObject)) return [];
    const members = Object.entries<z.ZodType>(body.schema.shape);
    return members.flatMap(([name, member]) => (member.meta()?.deprecated === true ? [] : [`${id} ${name}`]));
  });

const listed = notSettable.flatMap(({ inApi }) => inApi);

describe("what no object sets", () => {
  it("is listed, whatever else a project or branch may be made with or changed to", () => {
    const known = new Set([...Object.keys(SETTABLE), ...Object.keys(ASKED), ...listed]);
    expect(fields.length).toBeGreaterThan(20);
    expect(fields.filter((field) => !known.has(field))).toEqual([]);
  });

  it("is nothing that can be declared", () => {
    expect(Object.keys(SETTABLE).filter((field) => listed.includes(field))).toEqual([]);
    const missing = Object.entries(SETTABLE).filter(([field, name]) => {
      const { shape } = field.startsWith("branches.") ? branchSpec : projectSpec;
      return !Object.hasOwn(shape, name);
    });
    expect(missing).toEqual([]);
    expect(Object.values(ASKED).filter((verb) => !Object.hasOwn(branchVerbs, verb))).toEqual([]);
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
