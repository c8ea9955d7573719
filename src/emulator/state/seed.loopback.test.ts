import { describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aProject, deploy, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";
import type { SeedInput } from "./seed.ts";

/** What a seed says of the emulated service comes about as the control call of the same thing lets it come about. */

const REF = "abcdefghijklmnopqrst";
const shop = (more: Partial<NonNullable<SeedInput["projects"]>[number]> = {}) => ({ name: "shop", ref: REF, ...more });
const KEYS = { keys: [{ kty: "RSA" }] };

interface Said {
  readonly what: string;
  readonly seed: SeedInput;
  readonly call: (control: EmulatorUnderTest["control"]) => Promise<unknown>;
  readonly read: (under: EmulatorUnderTest) => Promise<unknown>;
  readonly is: unknown;
}

const SAID: readonly Said[] = [
  {
    what: "a bundle that fails",
    seed: { projects: [shop()], failingBundles: [{ slug: "hello", project: "shop", message: "no such module" }] },
    call: (control) => control.functions.failBundle({ slug: "hello", ref: REF, message: "no such module" }),
    read: async (under) => {
      const other = await aProject(under, "other");
      const answers = [
        await deploy(under, other, "hello"),
        await deploy(under, REF, "hello"),
        await deploy(under, REF, "hello"),
      ];
      return answers.map((answer) => (answer.status === 400 ? message(answer) : answer.status));
    },
    is: [201, "Failed to bundle the function (reason: no such module)", 201],
  },
  {
    what: "a step of a run that fails",
    seed: {
      projects: [shop({ branches: [{ name: "main" }] })],
      failingSteps: [{ refOrName: "dev", step: "migrate", count: null }],
    },
    call: (control) => control.actions.failStep({ refOrName: "dev", step: "migrate", count: null }),
    read: async (under) => {
      await using client = typedClient(under);
      for (const name of ["dev", "fine"]) await client.branches.create({ ref: REF, body: { branch_name: name } });
      under.clock.advance(A_WHILE);
      return (await client.branches.list({ ref: REF })).map(({ name, status }) => [name, status]);
    },
    is: [
      ["main", "FUNCTIONS_DEPLOYED"],
      ["dev", "MIGRATIONS_FAILED"],
      ["fine", "FUNCTIONS_DEPLOYED"],
    ],
  },
  {
    what: "what a project stops at that is yet to be created",
    seed: { holds: [{ kind: "project", refOrName: "stuck", at: "COMING_UP" }] },
    call: (control) => control.projects.hold({ refOrName: "stuck", at: "COMING_UP" }),
    read: async (under) => {
      const ref = await aProject(under, "stuck");
      return (await under.call("GET", `/v1/projects/${ref}`)).json;
    },
    is: expect.objectContaining({ status: "COMING_UP" }),
  },
  {
    what: "a service in trouble",
    seed: { projects: [shop({ troubles: [{ service: "auth", status: "UNHEALTHY", message: "out of memory" }] })] },
    call: (control) =>
      control.services.trouble({ ref: REF, service: "auth", status: "UNHEALTHY", message: "out of memory" }),
    read: async (under) => (await under.call("GET", `/v1/projects/${REF}/health?services=auth`)).json,
    is: [expect.objectContaining({ name: "auth", status: "UNHEALTHY" })],
  },
  {
    what: "just-in-time access that is unavailable",
    seed: { projects: [shop({ jitUnavailable: "temporarily_unavailable" })] },
    call: (control) => control.jit.setAvailability({ ref: REF, unavailableReason: "temporarily_unavailable" }),
    read: async (under) => (await under.call("GET", `/v1/projects/${REF}/jit-access`)).json,
    is: { state: "unavailable", unavailableReason: "temporarily_unavailable" },
  },
  {
    what: "a release",
    seed: { projects: [shop({ postgresVersion: "17.6.1.054" })], releases: [{ version: "17.6.1.063" }] },
    call: (control) => control.releases.publish({ version: "17.6.1.063" }),
    read: async (under) => (await under.call("GET", `/v1/projects/${REF}/upgrade/eligibility`)).json,
    is: expect.objectContaining({ eligible: true, latest_app_version: "17.6.1.063" }),
  },
  {
    what: "the keys of another issuer",
    seed: { projects: [shop()], thirdPartyKeys: [{ url: "https://issuer.test", jwks: KEYS }] },
    call: (control) => control.thirdPartyAuth.publish({ url: "https://issuer.test", jwks: KEYS }),
    read: async (under) => {
      await using client = typedClient(under);
      const { id } = await client.thirdPartyAuth.create({ ref: REF, body: { oidc_issuer_url: "https://issuer.test" } });
      under.clock.advance(A_WHILE);
      return (await client.thirdPartyAuth.get({ ref: REF, tpa_id: id })).resolved_jwks;
    },
    is: KEYS,
  },
  {
    what: "a read replica whose setup failed",
    seed: { projects: [shop({ readReplicas: [{ region: "us-west-1", identifier: "replica", failed: true }] })] },
    call: (control) => control.replicas.fail({ ref: REF, identifier: "replica" }),
    read: async (under) => (await under.call("GET", "/v1/organizations/acme/projects")).json,
    is: expect.objectContaining({
      projects: [
        expect.objectContaining({
          databases: expect.arrayContaining([expect.objectContaining({ status: "INIT_READ_REPLICA_FAILED" })]),
        }),
      ],
    }),
  },
  {
    what: "a role on projects",
    seed: {
      organizations: [
        {
          slug: "acme",
          members: { bob: "Read-only" },
          projectRoles: [{ user: "bob", role: "Administrator", projects: ["shop"] }],
        },
      ],
      projects: [shop()],
      tokens: [{ token: "bobs", user: "bob" }],
    },
    call: (control) =>
      control.organizations.patch({
        slug: "acme",
        projectRoles: [{ user: "bob", role: "Administrator", projects: ["shop"] }],
      }),
    read: async (under) =>
      (await under.call("PATCH", `/v1/projects/${REF}`, { token: "bobs", body: { name: "renamed" } })).status,
    is: 200,
  },
];

/** The same seed without what the call says. */
function without({ projects = [], organizations = [], ...rest }: SeedInput): SeedInput {
  return {
    ...(rest.tokens === undefined ? {} : { tokens: rest.tokens }),
    organizations: organizations.map(({ projectRoles: _, ...one }) => one),
    projects: projects.map(({ troubles: _troubles, jitUnavailable: _jit, ...one }) => ({
      ...one,
      readReplicas: (one.readReplicas ?? []).map(({ failed: _failed, ...replica }) => replica),
    })),
  };
}

describe("a seed brings about what a control call does", () => {
  it.each(SAID)("$what", async ({ seed, call, read, is }) => {
    await using seeded = await emulatorUnderTest({ seed });
    expect(await read(seeded)).toEqual(is);
    await using called = await emulatorUnderTest({ seed: without(seed) });
    await call(called.control);
    expect(await read(called)).toEqual(is);
    await using neither = await emulatorUnderTest({ seed: without(seed) });
    expect(await read(neither).catch(() => "refused")).not.toEqual(is);
  });

  it("and is refused where it names no project", async () => {
    const failingBundles = [{ slug: "hello", project: "shpo" }];
    await expect(emulatorUnderTest({ seed: { failingBundles } })).rejects.toThrow(
      "failingBundles[0].project: no project shpo",
    );
  });
});
