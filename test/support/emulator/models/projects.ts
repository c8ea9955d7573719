import fc from "fast-check";
import { z } from "zod";
import { type Modelled, modelled, type Resource } from "./resource.ts";

/** Projects beside the one that all the others write to: made, given to another organization, deleted. */

interface Project {
  readonly ref: string;
  readonly name: string;
  readonly organization: string;
}
type ProjectCommand =
  | { readonly create: string; readonly organization: string }
  | { readonly nth: number; readonly transfer: string }
  | { readonly nth: number; readonly remove: true };

const NAMES = ["one", "two", "three"];
const ORGANIZATIONS = ["acme", "lab"];
const NOWHERE = "z".repeat(20);
const refOf = (all: readonly Project[], nth: number): string => all[nth % (all.length + 1)]?.ref ?? NOWHERE;

const listed = z
  .object({ ref: z.string(), name: z.string(), organization_slug: z.string() })
  .transform(({ ref, name, organization_slug: organization }): Project => ({ ref, name, organization }));
const ofOrganization = z.object({ projects: z.array(z.object({ ref: z.string(), name: z.string() })) });
const byRef = (all: readonly Project[]): readonly Project[] => all.toSorted((a, b) => (a.ref < b.ref ? -1 : 1));

const projects: Resource<readonly Project[], ProjectCommand> = {
  name: "projects",
  forms: ["create", "transfer", "remove"],
  command: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        create: fc.constantFrom(...NAMES, ""),
        organization: fc.constantFrom(...ORGANIZATIONS, "none"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ nth: fc.nat(3), transfer: fc.constantFrom(...ORGANIZATIONS, "none") }) },
    { weight: 1, arbitrary: fc.record({ nth: fc.nat(3), remove: fc.constant(true as const) }) },
  ),
  initial: async () => [],
  request: (command, all) => {
    if ("create" in command) {
      const { create: name, organization: organization_slug } = command;
      return { method: "POST", path: "/v1/projects", body: { name, organization_slug, db_pass: "long enough" } };
    }
    const ref = refOf(all, command.nth);
    if ("remove" in command) return { method: "DELETE", path: `/v1/projects/${ref}` };
    const attributes = { target_organization_slug: command.transfer };
    const body = { data: { type: "project_transfer_input", attributes } };
    return { method: "POST", path: `/v2/projects/${ref}/transfers`, body };
  },
  after: (command, all, { json }) => {
    if ("create" in command) return [...all, listed.parse(json)];
    const ref = refOf(all, command.nth);
    if ("remove" in command) return all.filter((one) => one.ref !== ref);
    return all.map((one) => (one.ref === ref ? { ...one, organization: command.transfer } : one));
  },
  read: async ({ call }) => {
    const all = z.array(listed).parse((await call("GET", "/v1/projects")).json);
    const inEach = ORGANIZATIONS.map(async (organization) => {
      const { projects: some } = ofOrganization.parse(
        (await call("GET", `/v1/organizations/${organization}/projects`)).json,
      );
      return some.map(({ ref, name }): Project => ({ ref, name, organization }));
    });
    const isOwn = ({ name }: Project): boolean => NAMES.includes(name);
    return [all, (await Promise.all(inEach)).flat()].map((some) => byRef(some.filter(isOwn)));
  },
  shown: (all) => [byRef(all), byRef(all)],
};

/** The one of them. */
export const projectModels: readonly Modelled[] = [modelled(projects)];
