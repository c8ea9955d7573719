import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import {
  applyBranch,
  applyProject,
  branchStatus,
  projectStatus,
  secretData,
} from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { REVEAL_PERMISSION } from "../../api/contract/api-keys.ts";
import { operations } from "../../api/contract/contract.ts";
import { findCondition } from "../shared/conditions.ts";

/** What a Branch writes for programs that connect to it: its own database, keys and pooler, not its project's. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  applyProject(theatre, { writeConnectionSecretToRef: { name: "project" } });
  await life.settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

const OUTPUT = { writeConnectionSecretToRef: { name: "branch", includeServiceKey: true } };

describe("the Secret of a branch", () => {
  it("[K-08] holds what its own ref has, with the password that the platform made for it", async () => {
    applyBranch(theatre, OUTPUT);
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    const { ref = "", host, binding, conditions } = branchStatus(theatre);
    const held = secretData(theatre, "branch") ?? {};
    const { password = "" } = held;
    expect(password).not.toBe("");
    const login = `postgresql://postgres:${password}@${host}:5432/postgres`;
    expect(held).toMatchObject({
      type: "postgresql",
      host: `db.${ref}.emulator.test`,
      port: "5432",
      username: "postgres",
      uri: login,
      url: `https://${ref}.emulator.test`,
      "pooler-transaction-uri": expect.stringContaining(`//postgres.${ref}:${password}@`),
    });
    const project = secretData(theatre, "project") ?? {};
    const shared = Object.keys(held).filter((key) => held[key] === project[key]);
    expect(shared.toSorted()).toEqual(["database", "port", "provider", "type", "username"]);
    expect(held["service-key"]).toMatch(/^eyJ/u);
    expect(binding).toEqual({ name: "branch" });
    expect(findCondition(conditions, "OutputsComplete")).toBeUndefined();
  });

  it("names the user of its own database, who may be another one than its project's", async () => {
    applyBranch(theatre, OUTPUT);
    await life.settle("Branch", "preview");
    const { ref = "" } = branchStatus(theatre);
    const parentRef = projectStatus(theatre).ref ?? "";
    const config = await life.client.branches.get({ branch_id_or_ref: ref }, { parentRef });
    const fault = { kind: "status", status: 200, body: { ...config, db_user: "preview_owner" } } as const;
    await theatre.emulator.control.faults.add({ operation: "branches.get", count: null, fault });
    await theatre.pass(600_000);
    await life.run("Branch", "preview", "drift");
    const { username, uri, password } = secretData(theatre, "branch") ?? {};
    expect(username).toBe("preview_owner");
    expect(uri).toContain(`//preview_owner:${password}@db.${ref}.`);
    expect(secretData(theatre, "project")?.["username"]).toBe("postgres");
  });

  it("is not written again while nothing changes", async () => {
    applyBranch(theatre, OUTPUT);
    await life.settle("Branch", "preview");
    const { version } = theatre.kubernetes;
    for (let check = 0; check < 3; check += 1) {
      await theatre.pass(600_000);
      await life.run("Branch", "preview", "drift");
    }
    expect(theatre.kubernetes.version).toBe(version);
  });

  it("leaves the password out where the token may not see it, and says so", async () => {
    const every = new Set([...operations.flatMap((one) => one.permissions.flat()), REVEAL_PERMISSION]);
    const permissions = [...every].filter((name) => name !== "project_admin_write");
    await theatre.emulator.control.tokens.revoke({ token: "token" });
    await theatre.emulator.control.tokens.add({ token: "token", user: "owner", permissions });
    applyBranch(theatre, OUTPUT);
    expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    const { conditions } = branchStatus(theatre);
    expect(findCondition(conditions, "OutputsComplete")).toMatchObject({
      reason: "PasswordUnknown",
      message: expect.stringContaining(
        "password, uri, pooler-transaction-uri, pooler-session-uri (the platform does not",
      ),
    });
    expect(secretData(theatre, "branch")).toHaveProperty("anon-key");
    expect(secretData(theatre, "branch")).not.toHaveProperty("password");
  });
});

describe("the end of a branch's ttl", () => {
  it("takes its outputs away, which lead to what is no more", async () => {
    applyBranch(theatre, { ...OUTPUT, ttl: "1h" });
    await life.settle("Branch", "preview");
    expect(secretData(theatre, "branch")).toBeDefined();
    await theatre.pass(3_600_000);
    await life.settle("Branch", "preview");
    const { binding, conditions } = branchStatus(theatre);
    expect(findCondition(conditions, "Expired")).toMatchObject({ status: "True" });
    expect([binding, secretData(theatre, "branch")]).toEqual([undefined, undefined]);
    expect(secretData(theatre, "project")).toBeDefined();
  });
});
