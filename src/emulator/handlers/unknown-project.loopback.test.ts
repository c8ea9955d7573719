import { describe, expect, it } from "vitest";
import { contract } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { emulatorUnderTest, undeclared } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";

const transfer = { data: { type: "project_transfer_input", attributes: { target_organization_slug: "acme" } } };

/** Bodies that the contract accepts, of the operations that have one. */
const BODIES: Readonly<Record<string, unknown>> = {
  "customHostname.initialize": { custom_hostname: "api.example.com" },
  "dataApi.update": {},
  "projects.update": { name: "store" },
  "projects.updatePassword": { password: "long enough" },
  "realtime.update": {},
  "storage.update": {},
  "transfers.create": transfer,
  "transfers.preview": transfer,
  "upgrades.start": { target_version: "17" },
  "vanitySubdomain.activate": { vanity_subdomain: "shop" },
  "vanitySubdomain.checkAvailability": { vanity_subdomain: "shop" },
};

const { customHostname, dataApi, projects, realtime, storage, transfers, upgrades, vanitySubdomain } = contract;
const sections = { customHostname, dataApi, projects, realtime, storage, transfers, upgrades, vanitySubdomain };
const operations = Object.values<Readonly<Record<string, Operation>>>(sections)
  .flatMap((section) => Object.values(section))
  .filter(({ path }) => path.includes("{ref}"));

const urlOf = ({ id, path }: Operation, ref: string): string =>
  `${path.replace("{ref}", ref)}${id === "projects.health" ? "?services=db" : ""}`;

describe("an operation on a project", () => {
  it.each(operations.map((operation) => [operation.id, operation] as const))(
    "%s answers 404 for an unknown one and, with the same words, for one that the caller may not see",
    async (id, operation) => {
      await using under = await emulatorUnderTest({ seed: { tokens: [{ token: "stranger", user: "stranger" }] } });
      const ref = await aProject(under);
      const body = BODIES[id];
      const unknown = await under.call(operation.method, urlOf(operation, "z".repeat(20)), { body });
      const foreign = await under.call(operation.method, urlOf(operation, ref), { body, token: "stranger" });
      expect([unknown.status, message(unknown), undeclared(operation, unknown)]).toEqual([
        404,
        "Project not found",
        undefined,
      ]);
      expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    },
  );

  it.each(operations.map((operation) => [operation.id, operation] as const))(
    "%s answers 403 to a token without its permission, and names that",
    async (id, operation) => {
      await using under = await emulatorUnderTest({
        seed: { tokens: [{ token: "narrow", user: "owner", permissions: ["organizations_read"] }] },
      });
      const ref = await aProject(under);
      const sent = { body: BODIES[id], token: "narrow" };
      const refused = await under.call(operation.method, urlOf(operation, ref), sent);
      expect([refused.status, message(refused)]).toEqual([
        403,
        expect.stringContaining(operation.permissions[0]?.[0] ?? "no permission"),
      ]);
    },
  );
});
