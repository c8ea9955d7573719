import { REF } from "../../support/emulator/every-call.ts";
import { type Refusal, alike, allOfThem, asked, onPlan, OTHER, PROJECT } from "../../support/emulator/refusal.ts";

/** The vanity subdomain and the custom hostname, each refusal of each state of its machine (facts.md §5). */

const vanity: readonly Refusal[] = [
  ...alike(["vanitySubdomain.get", "vanitySubdomain.checkAvailability", "vanitySubdomain.activate"], {
    status: 400,
    of: ["Vanity subdomain on a plan without it: 400, as the catalogue lists, not 402"],
    because: "the plan has none, for which these list no 402",
    given: onPlan("free"),
    says: "This needs the plan Pro, Team or Enterprise; the organization has Free.",
  }),
  {
    id: "vanitySubdomain.delete",
    status: 400,
    because: "it has one name, which need not be said",
    query: "vanity_subdomain=shop",
    says: "query: Unrecognized key(s): 'vanity_subdomain'",
  },
  ...alike(["vanitySubdomain.checkAvailability", "vanitySubdomain.activate"], {
    status: 400,
    of: ["≤63 chars"],
    because: "a label of a host has 63 characters",
    body: { vanity_subdomain: "x".repeat(64) },
    says: "vanity_subdomain: Too big: expected string to have <=63 characters, received 64",
  }),
  {
    id: "vanitySubdomain.activate",
    status: 400,
    because: "another project has the name",
    given: asked("POST", `/v1/projects/${OTHER}/vanity-subdomain/activate`, { vanity_subdomain: "shop" }),
    says: "vanity_subdomain: 'shop' is not available",
  },
];

const HOSTNAME = `${PROJECT}/custom-hostname`;
const NAME = { custom_hostname: "api.example.com" };
const enabling = (ref: string): string =>
  `PATCH /v1/projects/${ref}/billing/addons {"addon_variant":"cd_default","addon_type":"custom_domain"}`;

const adding = (ref: string) =>
  asked("PATCH", `/v1/projects/${ref}/billing/addons`, { addon_variant: "cd_default", addon_type: "custom_domain" });
const ADDON = adding(REF);
const INITIATED = allOfThem(ADDON, asked("POST", `${HOSTNAME}/initialize`, NAME));
const VERIFIED = allOfThem(INITIATED, asked("POST", `${HOSTNAME}/reverify`));
const ACTIVE = allOfThem(VERIFIED, asked("POST", `${HOSTNAME}/activate`));
const exceptInitialize = ["get", "reverify", "activate", "delete"].map((verb) => `customHostname.${verb}`);

/** Where a project is with its hostname, and what of it a step further is refused with. */
const hostname: readonly Refusal[] = [
  {
    id: "customHostname.initialize",
    status: 400,
    of: ["add-on missing → initialize 400 (enable add-on)"],
    because: "the project has no add-on for it",
    says: `Please enable the custom domain add-on first: ${enabling(REF)}`,
  },
  ...alike(exceptInitialize, {
    status: 400,
    of: ['everything else 400 "Resource has been removed"'],
    because: "the project has no add-on for it",
    says: `Resource has been removed: the custom domain add-on is not enabled; ${enabling(REF)}`,
  }),
  ...alike(exceptInitialize, {
    status: 400,
    of: ["none yet → GET 400 (no configuration found)", "reverify 400", "activate 400", "DELETE 400"],
    because: "none was initialized",
    given: ADDON,
    says: "No custom hostname configuration found for this project",
  }),
  {
    id: "customHostname.initialize",
    status: 400,
    of: ["1–253 chars"],
    because: "no host has so long a name",
    given: ADDON,
    body: { custom_hostname: `${"x.".repeat(126)}io` },
    says: "custom_hostname: Too big: expected string to have <=253 characters, received 254",
  },
  {
    id: "customHostname.initialize",
    status: 400,
    because: "another project has the name",
    given: allOfThem(ADDON, adding(OTHER), asked("POST", `/v1/projects/${OTHER}/custom-hostname/initialize`, NAME)),
    says: "custom_hostname: the hostname is in use by another project",
  },
  ...[INITIATED, VERIFIED, ACTIVE].map((given, at) => ({
    id: "customHostname.initialize",
    status: 544,
    of: ["second initialize → 544", "SQL, hostnames"],
    because: `there is one already, which is ${["initiated", "verified", "active"][at] ?? ""}`,
    given,
    says: "A custom hostname exists: delete the existing hostname first",
  })),
  {
    id: "customHostname.activate",
    status: 400,
    of: ["activate before verified → 400"],
    because: "it is not verified",
    given: INITIATED,
    says: "The custom hostname is not verified yet: set its DNS records and verify again",
  },
  {
    id: "customHostname.reverify",
    status: 400,
    of: ["reverify 400 (go activate)"],
    because: "it is verified",
    given: VERIFIED,
    says: "The custom hostname is verified; there is nothing to verify, go on to activate it",
  },
  {
    id: "customHostname.reverify",
    status: 400,
    because: "it is in service",
    given: ACTIVE,
    says: "The custom hostname is in service already; there is nothing to verify",
  },
  {
    id: "customHostname.activate",
    status: 400,
    of: ["activate again → 400"],
    because: "it is in service",
    given: ACTIVE,
    says: "The custom hostname is active already",
  },
  {
    id: "vanitySubdomain.activate",
    status: 400,
    because: "a custom hostname is in service",
    given: ACTIVE,
    says: "The project uses a custom hostname: delete it to use a vanity subdomain",
  },
];

/** Name servers that do not answer. */
const SILENT: NonNullable<Refusal["given"]> = async ({ control }) => {
  await control.dns.set({ name: "example.com", silent: true });
};
const late = { status: 544, of: ["SQL, hostnames"], says: "upstream timeout: nobody answers for api.example.com" };

const unanswered: readonly Refusal[] = [
  {
    ...late,
    id: "customHostname.initialize",
    because: "nobody answers for the name",
    given: allOfThem(ADDON, SILENT),
  },
  ...alike(exceptInitialize, {
    ...late,
    because: "nobody answers for the name any more",
    given: allOfThem(INITIATED, SILENT),
  }),
];

export const NAME_REFUSALS: readonly Refusal[] = [...vanity, ...hostname, ...unanswered];
