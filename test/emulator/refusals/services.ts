import { expect, vi } from "vitest";
import { REF } from "../../support/emulator/every-call.ts";
import { type Refusal, alike, allOfThem, asked, askFor, onPlan, PROJECT } from "../../support/emulator/refusal.ts";

/** The Data API, realtime, storage, names, the encryption key, functions and their secrets. */

const FREE = onPlan("free");

const services: readonly Refusal[] = [
  {
    id: "dataApi.update",
    status: 400,
    because: "no answer has so many rows",
    body: { max_rows: 1_000_001 },
    says: "max_rows: Too big: expected number to be <=1000000, received '1000001'",
  },
  {
    id: "realtime.update",
    status: 400,
    because: "there is room for at least one user",
    body: { max_concurrent_users: 0 },
    says: "max_concurrent_users: Too small: expected number to be >=1, received '0'",
  },
  {
    id: "realtime.shutdown",
    status: 404,
    of: ["SSO provider operations, realtime shutdown, backup schedule read/update"],
    because: "realtime of the project is suspended",
    given: asked("PATCH", `${PROJECT}/config/realtime`, { suspend: true }),
    says: "Tenant not found",
  },
  {
    id: "storage.update",
    status: 400,
    because: "the plan takes no files of this size",
    given: FREE,
    body: { fileSizeLimit: 536_870_912_000 },
    says: "fileSizeLimit: at most 52428800 bytes on the plan free, received '536870912000'",
  },
  ...alike(["storage.get", "storage.update"], {
    status: 404,
    of: ["storage config of a starting branch"],
    because: "the branch starts, and has no storage yet",
    given: allOfThem(asked("POST", `${PROJECT}/branches`, { branch_name: "young" }), async ({ control }) => {
      const { projects } = await control.state.read();
      return { YOUNG: projects.find(({ name }) => name === "young")?.ref ?? "" };
    }),
    path: "/v1/projects/YOUNG/config/storage",
    says: "Tenant config not found",
    beside: { code: "not_found" },
  }),
  {
    id: "encryptionKey.update",
    status: 400,
    of: ["pgsodium bad key"],
    because: "a key has 32 bytes",
    body: { root_key: "0f" },
    says: "root_key: the root key needs 32 bytes written as hex (64 characters), received string",
  },
];

const FUNCTIONS = `${PROJECT}/functions`;
const item = { id: "x", slug: "second", name: "Second", status: "ACTIVE", version: 1 };
const FULL = onPlan("free", { functionsPerProject: 1 });

const manySecrets = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `S${at}`, value: "1" }));

const functions: readonly Refusal[] = [
  {
    id: "functions.bulkUpdate",
    status: 400,
    because: "a function has no such status",
    body: [{ ...item, status: "ASLEEP" }],
    says: "0.status: Invalid enum value. Expected 'ACTIVE' | 'REMOVED' | 'THROTTLED', received 'ASLEEP'",
  },
  {
    id: "functions.bulkUpdate",
    status: 402,
    because: "the plan has room for one",
    given: FULL,
    body: [item],
    says: "Max number of functions reached for project: 1 on the plan of its organization",
  },
  {
    id: "functions.create",
    status: 400,
    because: "a slug begins with a letter",
    body: { slug: "1st", name: "First", body: "1" },
    says: "slug: a function slug starts with a letter and has letters, digits, _ and - only, received '1st'",
  },
  {
    id: "functions.create",
    status: 402,
    because: "the plan has room for one",
    given: FULL,
    body: { slug: "second", name: "Second", body: "1" },
    says: "Max number of functions reached for project: 1 on the plan of its organization",
  },
  {
    id: "functions.create",
    status: 409,
    because: "there is a function of this slug",
    says: "Duplicated function slug",
  },
  {
    id: "functions.deploy",
    status: 400,
    of: ["function deploy"],
    because: "it does not bundle",
    given: async ({ control }) => {
      await control.functions.failBundle({ ref: REF, slug: "hello", count: null }); // one that is counted is used up
    },
    says: "Failed to bundle the function (reason: the module graph could not be built)",
  },
  {
    id: "functions.deploy",
    status: 400,
    of: ["function deploy"],
    because: "it takes longer to bundle than the service waits",
    given: async ({ control, clock }) => {
      await control.settings.patch({ timings: { bundleMs: 60_001, bundleTimeoutMs: 60_000 } });
      const waiting = clock.pendingTimers;
      void vi
        .waitFor(() => expect(clock.pendingTimers).toBe(waiting + 1), { interval: 5 })
        .then(() => clock.advance(60_000));
    },
    says: "Failed to bundle the function (reason: bundle generation timed out)",
  },
  {
    id: "functions.deploy",
    status: 402,
    of: ["function deploy"],
    because: "the plan has room for one",
    given: FULL,
    path: `${FUNCTIONS}/deploy?slug=second`,
    says: "Max number of functions reached for project: 1 on the plan of its organization",
  },
  {
    id: "functions.deploy",
    status: 409,
    of: ["function deploy"],
    because: "[K-31] another one of the project is being bundled",
    given: async (under) => {
      await under.control.settings.patch({ timings: { bundleMs: 60_000 } });
      const waiting = under.clock.pendingTimers;
      // it is answered by nobody: the emulator ends before it
      void askFor(under, "functions.deploy").catch(() => undefined);
      await vi.waitFor(() => expect(under.clock.pendingTimers).toBe(waiting + 1), { interval: 5 });
    },
    says: "A deployment already exists in project abcdefghijklmnopqrst; wait until it is done",
  },
  {
    id: "functions.update",
    status: 400,
    because: "a function keeps its slug",
    query: "slug=second",
    says: "slug: a function cannot be renamed",
  },
  ...alike(
    ["get", "update", "delete", "getBody"].map((verb) => `functions.${verb}`),
    {
      status: 404,
      because: "the project has no such function",
      given: asked("DELETE", `${FUNCTIONS}/hello`),
      says: "Function not found",
    },
  ),
  {
    id: "secrets.create",
    status: 400,
    of: ["must not start with the reserved prefix"],
    because: "the name is the platform's",
    body: [{ name: "PLATFORM_KEY", value: "1" }],
    says: 'name: Secret name "PLATFORM_KEY" must not start with the PLATFORM_ prefix',
  },
  {
    id: "secrets.create",
    status: 400,
    of: ["name ≤256 chars"],
    because: "the name is too long",
    body: [{ name: "N".repeat(257), value: "1" }],
    says: "0.name: Too big: expected string to have <=256 characters, received 257",
  },
  {
    id: "secrets.create",
    status: 400,
    of: ["value ≤24576 chars"],
    because: "the value is too long",
    body: [{ name: "LONG", value: "x".repeat(24_577) }],
    says: "0.value: Too big: expected string to have <=24576 characters, received 24577",
  },
  {
    id: "secrets.create",
    status: 400,
    of: ["≤100 items per call"],
    because: "there are too many at once",
    body: manySecrets(101),
    says: "body: Too big: expected array to have <=100 items, received array",
  },
  {
    id: "secrets.create",
    status: 400,
    of: ["~100 secrets per project limit"],
    because: "the project has as many as it may",
    given: asked("POST", `${PROJECT}/secrets`, manySecrets(100)),
    body: [{ name: "MORE", value: "1" }],
    says: "Maximum number of secrets exceeded: 100 per project",
  },
  {
    id: "secrets.delete",
    status: 400,
    of: ["platform-set PLATFORM_* names appear in the list and cannot be changed"],
    because: "the name is the platform's",
    body: ["PLATFORM_URL"],
    says: 'name: Secret name "PLATFORM_URL" must not start with the PLATFORM_ prefix',
  },
];

export const SERVICE_REFUSALS: readonly Refusal[] = [...services, ...functions];
