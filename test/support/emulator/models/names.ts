import fc from "fast-check";
import { z } from "zod";
import { type Modelled, modelled, PROJECT, type Resource } from "./resource.ts";

/** Names under which a project is reached: one that is in service shows in the other's status, so both are one thing. */

interface Names {
  readonly hostname: { readonly name: string; readonly status: string } | null;
  readonly vanity: string | null;
}
type NameCommand =
  | { readonly hostname: "initialize"; readonly name: string }
  | { readonly hostname: "reverify" | "activate" | "delete" }
  | { readonly vanity: "activate"; readonly name: string }
  | { readonly vanity: "delete" };

const HOSTNAME = `${PROJECT}/custom-hostname`;
const VANITY = `${PROJECT}/vanity-subdomain`;
/** What a step leads to where it is taken (facts.md §5, "Custom hostname machine"); the name servers answer. */
const STATUS = { initialize: "2_initiated", reverify: "4_origin_setup_completed", activate: "5_services_reconfigured" };

const names: Resource<Names, NameCommand> = {
  name: "names",
  forms: ["hostname", "vanity"],
  command: fc.oneof(
    fc.record({
      hostname: fc.constant("initialize" as const),
      name: fc.constantFrom("api.example.com", "B.example.com"),
    }),
    { weight: 3, arbitrary: fc.record({ hostname: fc.constantFrom("reverify", "activate", "delete") }) },
    fc.record({ vanity: fc.constant("activate" as const), name: fc.constantFrom("shop", "Store", "www", "-") }),
    fc.record({ vanity: fc.constant("delete" as const) }),
  ),
  initial: async () => ({ hostname: null, vanity: null }),
  request: (command) => {
    if ("vanity" in command) {
      if (command.vanity === "delete") return { method: "DELETE", path: VANITY };
      return { method: "POST", path: `${VANITY}/activate`, body: { vanity_subdomain: command.name } };
    }
    if (command.hostname === "delete") return { method: "DELETE", path: HOSTNAME };
    const body = "name" in command ? { body: { custom_hostname: command.name } } : {};
    return { method: "POST", path: `${HOSTNAME}/${command.hostname}`, ...body };
  },
  after: (command, known) => {
    if ("vanity" in command) return { ...known, vanity: "name" in command ? command.name.toLowerCase() : null };
    if (command.hostname === "delete") return { ...known, hostname: null };
    const name = "name" in command ? command.name.toLowerCase() : (known.hostname?.name ?? "none");
    return { ...known, hostname: { name, status: STATUS[command.hostname] } };
  },
  read: async ({ call }) => {
    const hostname = (await call("GET", HOSTNAME)).json;
    const seen = z.object({ custom_hostname: z.string(), status: z.string() }).safeParse(hostname).data;
    const vanity = z
      .object({ status: z.string(), custom_domain: z.string().optional() })
      .parse((await call("GET", VANITY)).json);
    return { hostname: seen === undefined ? null : { name: seen.custom_hostname, status: seen.status }, vanity };
  },
  shown: ({ hostname, vanity }) => ({ hostname, vanity: vanityShown(hostname, vanity) }),
};

/** "not-used, custom-domain-used, active" (facts.md §1) */
function vanityShown(hostname: Names["hostname"], vanity: string | null) {
  if (hostname?.status === STATUS.activate) return { status: "custom-domain-used", custom_domain: hostname.name };
  return vanity === null ? { status: "not-used" } : { status: "active", custom_domain: `${vanity}.emulator.test` };
}

/** The one of them. */
export const projectNames: readonly Modelled[] = [modelled(names)];
