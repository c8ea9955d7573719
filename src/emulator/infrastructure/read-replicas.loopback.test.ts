import { describe, expect, it } from "vitest";
import type { SeedInput } from "../state/seed.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/read-replicas`;

const shop = { name: "shop", ref: REF } as const;
const seed: SeedInput = { projects: [shop] };
const timings = { replicaSetupMs: 5000, replicaRemovalMs: 2000 };

async function databases(client: ReturnType<typeof typedClient>) {
  const { projects } = await client.organizations.listProjects({ slug: "acme" });
  return (projects[0]?.databases ?? []).map(({ identifier, type, region, status }) => ({
    identifier,
    type,
    region,
    status,
  }));
}

describe("a read replica", () => {
  it("is set up in its region, and is one of the project's databases from the beginning", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    await client.readReplicas.setup({ ref: REF, body: { read_replica_region: "eu-west-1" } });
    const primary = { identifier: REF, type: "PRIMARY", region: "us-east-1", status: "ACTIVE_HEALTHY" };
    const replica = {
      identifier: expect.stringMatching(new RegExp(`^${REF}-rr-eu-west-1-[a-z]{5}$`)),
      type: "READ_REPLICA",
      region: "eu-west-1",
      status: "INIT_READ_REPLICA",
    };
    expect(await databases(client)).toEqual([primary, replica]);
    under.clock.advance(4999);
    expect(await databases(client)).toEqual([primary, replica]);
    under.clock.advance(1);
    expect(await databases(client)).toEqual([primary, { ...replica, status: "ACTIVE_HEALTHY" }]);
  });

  it("goes down when it is removed, and makes room for another one when it is gone", async () => {
    await using under = await emulatorUnderTest({ seed, timings });
    await using client = typedClient(under);
    const setUp = () => under.call("POST", `${PATH}/setup`, { body: { read_replica_region: "eu-west-1" } });
    expect([(await setUp()).status, (await setUp()).status]).toEqual([204, 204]);
    under.clock.advance(A_WHILE);
    const full = await setUp();
    expect([full.status, message(full)]).toEqual([400, expect.stringContaining("2 read replicas")]);
    const identifier = (await databases(client))[1]?.identifier ?? "";
    await client.readReplicas.remove({ ref: REF, body: { database_identifier: identifier } });
    await client.readReplicas.remove({ ref: REF, body: { database_identifier: identifier } });
    expect((await databases(client)).map(({ status }) => status)).toEqual([
      "ACTIVE_HEALTHY",
      "GOING_DOWN",
      "ACTIVE_HEALTHY",
    ]);
    expect((await setUp()).status).toBe(400);
    under.clock.advance(2000);
    expect((await databases(client)).map((one) => one.identifier)).not.toContain(identifier);
    expect((await setUp()).status).toBe(204);
  });

  it("goes through the states of its project with it", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ ...shop, readReplicas: [{ region: "us-west-1", identifier: "replica-1" }] }] },
    });
    await using client = typedClient(under);
    const statuses = async () => (await databases(client)).map(({ status }) => status);
    expect(await statuses()).toEqual(["ACTIVE_HEALTHY", "ACTIVE_HEALTHY"]);
    await client.projects.restart({ ref: REF });
    expect(await statuses()).toEqual(["RESTARTING", "RESTARTING"]);
    under.clock.advance(A_WHILE);
    await client.addons.apply({ ref: REF, body: { addon_variant: "ci_large", addon_type: "compute_instance" } });
    expect(await statuses()).toEqual(["RESIZING", "RESIZING"]);
    const { projects } = await client.organizations.listProjects({ slug: "acme" });
    expect(projects[0]?.databases?.map((one) => one.infra_compute_size)).toEqual(["large", "large"]);
  });

  it("can fail in its setup, stays as it failed, and can be removed", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    await client.readReplicas.setup({ ref: REF, body: { read_replica_region: "eu-west-1" } });
    const identifier = (await databases(client))[1]?.identifier ?? "";
    await under.control.replicas.fail({ ref: REF, identifier });
    under.clock.advance(A_WHILE);
    expect((await databases(client))[1]?.status).toBe("INIT_READ_REPLICA_FAILED");
    expect(await client.pooler.get({ ref: REF })).toHaveLength(1);
    await client.readReplicas.remove({ ref: REF, body: { database_identifier: identifier } });
    under.clock.advance(A_WHILE);
    expect(await databases(client)).toHaveLength(1);
  });

  it.each([
    { why: "on the plan free", plan: "free", status: "ACTIVE_HEALTHY", region: "eu-west-1", answer: 402 },
    { why: "of a paused project", plan: "pro", status: "INACTIVE", region: "eu-west-1", answer: 400 },
    { why: "of a project that comes up", plan: "pro", status: "COMING_UP", region: "eu-west-1", answer: 400 },
    { why: "in a region without room", plan: "pro", status: "ACTIVE_HEALTHY", region: "sa-east-1", answer: 400 },
    { why: "in a region that there is not", plan: "pro", status: "ACTIVE_HEALTHY", region: "mars-1", answer: 400 },
  ] as const)("is not set up $why: $answer", async ({ plan, status, region, answer }) => {
    await using under = await emulatorUnderTest({
      seed: {
        organizations: [{ slug: "acme", plan, members: { owner: "Owner" } }],
        projects: [{ ...shop, status }],
        regions: [{ region: "sa-east-1", largestSize: "nano" }],
      },
    });
    await using client = typedClient(under);
    const refused = await under.call("POST", `${PATH}/setup`, { body: { read_replica_region: region } });
    expect(refused.status).toBe(answer);
    expect(await databases(client)).toHaveLength(1);
  });

  it.each([
    { why: "no database of the project", identifier: "replica-9", answer: 404 },
    { why: "a replica of another project", identifier: "replica-2", answer: 404 },
    { why: "the primary database", identifier: REF, answer: 400 },
    { why: "nothing", identifier: "", answer: 400 },
  ])("is not removed by the name of $why: $answer", async ({ identifier, answer }) => {
    const other = { name: "other", readReplicas: [{ region: "us-west-1", identifier: "replica-2" }] } as const;
    await using under = await emulatorUnderTest({
      seed: { projects: [shop, { ...other, readReplicas: [...other.readReplicas] }] },
    });
    const refused = await under.call("POST", `${PATH}/remove`, { body: { database_identifier: identifier } });
    expect(refused.status).toBe(answer);
  });
});
