import { expect, vi } from "vitest";
import { REF } from "../../support/emulator/every-call.ts";
import {
  type Refusal,
  alike,
  allOfThem,
  asked,
  askFor,
  onPlan,
  OTHER,
  PROJECT,
} from "../../support/emulator/refusal.ts";

/** The Data API, realtime, storage, names, the encryption key, functions and their secrets. */

const FREE = onPlan("free");

const services: readonly Refusal[] = [
  {
    id: "dataApi.update",
    status: 400,
    because: "no answer has so many rows",
    body: { max_rows: 1_000_001 },
    says: "max_rows",
  },
  {
    id: "realtime.update",
    status: 400,
    because: "there is room for at least one user",
    body: { max_concurrent_users: 0 },
    says: "max_concurrent_users",
  },
  {
    id: "realtime.shutdown",
    status: 404,
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
    says: "bytes on the plan free",
  },
  ...alike(["storage.get", "storage.update"], {
    status: 404,
    because: "the branch starts, and has no storage yet",
    given: allOfThem(asked("POST", `${PROJECT}/branches`, { branch_name: "young" }), async ({ control }) => {
      const { projects } = await control.state.read();
      return { YOUNG: projects.find(({ name }) => name === "young")?.ref ?? "" };
    }),
    path: "/v1/projects/YOUNG/config/storage",
    says: "Tenant config not found",
  }),
  {
    id: "encryptionKey.update",
    status: 400,
    because: "a key has 32 bytes",
    body: { root_key: "0f" },
    says: "root_key",
  },
];

const ADDON = asked("PATCH", `${PROJECT}/billing/addons`, { addon_variant: "cd_default", addon_type: "custom_domain" });
const HOSTNAME = `${PROJECT}/custom-hostname`;
const INITIATED = allOfThem(ADDON, asked("POST", `${HOSTNAME}/initialize`, { custom_hostname: "api.example.com" }));
const ACTIVE = allOfThem(INITIATED, asked("POST", `${HOSTNAME}/reverify`), asked("POST", `${HOSTNAME}/activate`));
const onHostname = ["get", "initialize", "reverify", "activate", "delete"].map((verb) => `customHostname.${verb}`);

const names: readonly Refusal[] = [
  ...alike(["vanitySubdomain.get", "vanitySubdomain.checkAvailability", "vanitySubdomain.activate"], {
    status: 400,
    because: "the plan has none, for which these list no 402",
    given: FREE,
    says: "This needs the plan Pro, Team or Enterprise",
  }),
  {
    id: "vanitySubdomain.delete",
    status: 400,
    because: "it has one name, which need not be said",
    query: "vanity_subdomain=shop",
    says: "vanity_subdomain",
  },
  {
    id: "vanitySubdomain.activate",
    status: 400,
    because: "another project has the name",
    given: asked("POST", `/v1/projects/${OTHER}/vanity-subdomain/activate`, { vanity_subdomain: "shop" }),
    says: "'shop' is not available",
  },
  {
    id: "vanitySubdomain.activate",
    status: 400,
    because: "a custom hostname is in service",
    given: ACTIVE,
    says: "The project uses a custom hostname",
  },
  ...alike(onHostname, {
    status: 400,
    because: "the project has no add-on for it",
    says: 'billing/addons {"addon_variant":"cd_default"',
  }),
  ...alike(
    onHostname.filter((id) => !id.endsWith("initialize")),
    { status: 400, because: "none was initialized", given: ADDON, says: "No custom hostname configuration found" },
  ),
  {
    id: "customHostname.activate",
    status: 400,
    because: "it is not verified",
    given: INITIATED,
    says: "not verified yet",
  },
  {
    id: "customHostname.initialize",
    status: 544,
    because: "there is one already",
    given: INITIATED,
    says: "delete the existing hostname first",
  },
  {
    id: "customHostname.initialize",
    status: 544,
    because: "nobody answers for the name",
    given: allOfThem(ADDON, async ({ control }) => {
      await control.dns.set({ name: "example.com", silent: true });
    }),
    says: "upstream timeout: nobody answers for api.example.com",
  },
  ...alike(
    onHostname.filter((id) => !id.endsWith("initialize")),
    {
      status: 544,
      because: "nobody answers for the name any more",
      given: allOfThem(INITIATED, async ({ control }) => {
        await control.dns.set({ name: "example.com", silent: true });
      }),
      says: "upstream timeout: nobody answers for api.example.com",
    },
  ),
];

const FUNCTIONS = `${PROJECT}/functions`;
const item = { id: "x", slug: "second", name: "Second", status: "ACTIVE", version: 1 };
const FULL = onPlan("free", { functionsPerProject: 1 });

const functions: readonly Refusal[] = [
  {
    id: "functions.bulkUpdate",
    status: 400,
    because: "a function has no such status",
    body: [{ ...item, status: "ASLEEP" }],
    says: "status",
  },
  {
    id: "functions.bulkUpdate",
    status: 402,
    because: "the plan has room for one",
    given: FULL,
    body: [item],
    says: "Max number of functions",
  },
  {
    id: "functions.create",
    status: 400,
    because: "a slug begins with a letter",
    body: { slug: "1st", name: "First", body: "1" },
    says: "slug",
  },
  {
    id: "functions.create",
    status: 402,
    because: "the plan has room for one",
    given: FULL,
    body: { slug: "second", name: "Second", body: "1" },
    says: "Max number of functions",
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
    because: "it does not bundle",
    given: async ({ control }) => {
      await control.functions.failBundle({ ref: REF, slug: "hello", count: null }); // one that is counted is used up
    },
    says: "Failed to bundle the function",
  },
  {
    id: "functions.deploy",
    status: 402,
    because: "the plan has room for one",
    given: FULL,
    path: `${FUNCTIONS}/deploy?slug=second`,
    says: "Max number of functions",
  },
  {
    id: "functions.deploy",
    status: 409,
    because: "[K-31] another one of the project is being bundled",
    given: async (under) => {
      await under.control.settings.patch({ timings: { bundleMs: 60_000 } });
      const waiting = under.clock.pendingTimers;
      // it is answered by nobody: the emulator ends before it
      void askFor(under, "functions.deploy").catch(() => undefined);
      await vi.waitFor(() => expect(under.clock.pendingTimers).toBe(waiting + 1), { interval: 5 });
    },
    says: "A deployment already exists",
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
    because: "the name is the platform's",
    body: [{ name: "PLATFORM_KEY", value: "1" }],
    says: "must not start with the PLATFORM_ prefix",
  },
  {
    id: "secrets.delete",
    status: 400,
    because: "the name is the platform's",
    body: ["PLATFORM_URL"],
    says: "PLATFORM_",
  },
];

export const SERVICE_REFUSALS: readonly Refusal[] = [...services, ...names, ...functions];
