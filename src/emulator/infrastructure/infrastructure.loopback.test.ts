import { describe, expect, it } from "vitest";
import { contract } from "../../api/contract/contract.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { type EmulatorUnderTest, emulatorUnderTest, undeclared } from "../../../test/support/emulator/api.ts";

/** What the operations on a project's database server, disk and network have in common. */

const REF = "abcdefghijklmnopqrst";

const OPERATIONS: readonly Operation[] = [
  contract.postgresConfig,
  contract.pooler,
  contract.sslEnforcement,
  contract.networkRestrictions,
  contract.networkBans,
  contract.disk,
  contract.addons,
  contract.backups,
  contract.readReplicas,
  contract.readOnlyMode,
].flatMap((section) => Object.values<Operation>(section));

/** A body that is taken, where one is needed. */
const BODIES: Readonly<Record<string, unknown>> = {
  "postgresConfig.replace": {},
  "pooler.update": {},
  "sslEnforcement.update": { requestedConfig: { database: false } },
  "networkRestrictions.apply": {},
  "networkRestrictions.update": {},
  "networkBans.delete": { ipv4_addresses: [] },
  "disk.update": { attributes: { type: "gp3", iops: 3000, size_gb: 8 } },
  "addons.apply": { addon_variant: "cd_default", addon_type: "custom_domain" },
  "backups.restorePitr": { recovery_time_target_unix: 1 },
  "backups.updateSchedule": { schedule_for: "01:00:00" },
  "readReplicas.setup": { read_replica_region: "eu-west-1" },
  "readReplicas.remove": { database_identifier: "replica-1" },
};

function send({ call }: EmulatorUnderTest, { id, method, path }: Operation, ref: string) {
  return call(method, path.replace("{ref}", ref).replace("{addon_variant}", "cd_default"), { body: BODIES[id] });
}

describe.each(OPERATIONS.map((operation) => [operation.id, operation] as const))("%s", (_id, operation) => {
  it("answers for a project that is paused, coming up or a branch's, without a fault", async () => {
    await using under = await emulatorUnderTest({
      seed: {
        organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }],
        projects: [
          { name: "paused", ref: REF, status: "INACTIVE" },
          { name: "shop", branches: [{ name: "main" }, { name: "dev" }] },
        ],
      },
    });
    const { branches } = await under.control.state.read();
    for (const ref of [REF, branches.at(-1)?.projectRef ?? ""]) {
      const answer = await send(under, operation, ref);
      expect(answer.status).toBeLessThan(500);
      expect(undeclared(operation, answer)).toBeUndefined();
    }
  });
});

describe("the control calls on a database server, its disk and network", () => {
  it("say that there is no such project, or no such replica", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    const { disk, network, ssl, replicas } = under.control;
    const unknown = "z".repeat(20);
    await expect(disk.fill({ ref: unknown, usedPercent: 1 })).rejects.toThrow(`Project ${unknown} not found`);
    await expect(network.ban({ ref: unknown, address: "192.0.2.1" })).rejects.toThrow("not found");
    await expect(network.entitle({ ref: unknown, entitlement: "allowed" })).rejects.toThrow("not found");
    await expect(ssl.support({ ref: unknown, supported: true })).rejects.toThrow("not found");
    await expect(replicas.fail({ ref: REF, identifier: "none" })).rejects.toThrow("Read replica none not found");
  });
});
