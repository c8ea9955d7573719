import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import type { Role } from "../organizations/organization-state.ts";
import { ADMINISTRATION, missingInRole } from "./roles.ts";

const refused = (role: Role) =>
  operations.filter((operation) => missingInRole(operation, role) !== undefined).map(({ id }) => id);

describe("a role", () => {
  it.each(["Owner", "Administrator"] as const)("%s may do everything", (role) => {
    expect(refused(role)).toEqual([]);
  });

  it("Developer does the work within projects, and leaves what they are, cost and let in to others", () => {
    expect(refused("Developer").toSorted()).toEqual([
      "addons.apply",
      "addons.remove",
      "authConfig.update",
      "backups.restorePitr",
      "backups.updateSchedule",
      "customHostname.activate",
      "customHostname.delete",
      "customHostname.initialize",
      "customHostname.reverify",
      "disk.update",
      "encryptionKey.get",
      "encryptionKey.update",
      "jit.delete",
      "jit.deleteInvite",
      "jit.invite",
      "jit.update",
      "jitAccess.update",
      "networkRestrictions.apply",
      "networkRestrictions.update",
      "oauth.authorizeProjectClaim",
      "projects.create",
      "projects.delete",
      "projects.update",
      "readReplicas.remove",
      "readReplicas.setup",
      "sslEnforcement.update",
      "transfers.create",
      "upgrades.start",
      "vanitySubdomain.activate",
      "vanitySubdomain.checkAvailability",
      "vanitySubdomain.delete",
    ]);
  });

  it("Read-only may call what only reads", () => {
    const writes = new Set(refused("Read-only"));
    const inQuestion = operations.filter(({ id, retry }) => writes.has(id) === (retry === "read")).map(({ id }) => id);
    expect(inQuestion.toSorted()).toEqual([
      "branches.diff",
      "database.query", // with database_read alone, what it runs cannot write
      "database.queryReadOnly",
      "encryptionKey.get",
      "jit.authorize",
      "oauth.authorizeProjectClaim",
      "vanitySubdomain.checkAvailability",
    ]);
  });

  it("names what it lacks", () => {
    const transfer = operations.find(({ id }) => id === "projects.delete");
    expect(transfer && missingInRole(transfer, "Developer")).toBe("project_admin_write");
  });

  it("is told in docs/emulator/identity.md as it is, and by permissions that operations have", () => {
    const page = readFileSync(new URL("../../../docs/emulator/identity.md", import.meta.url), "utf8");
    const row = page.split("\n").find((line) => line.startsWith("| Developer |")) ?? "";
    expect(new Set([...row.matchAll(/`(\w+)`/g)].map(([, name]) => name))).toEqual(ADMINISTRATION);
    const asked = new Set(operations.flatMap(({ permissions }) => permissions.flat()));
    expect([...ADMINISTRATION].filter((name) => !asked.has(name))).toEqual([]);
  });
});
