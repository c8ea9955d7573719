import { visibleProject } from "../access.ts";
import { badRequest } from "../failure.ts";
import { activeHostname, isSubdomainFree } from "./hostnames.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** The vanity subdomain: a name under the platform's own domain, one owner each. Plans without it were refused before. */
export function vanitySubdomainHandlers(world: World): SectionHandlers<"vanitySubdomain"> {
  const domainOf = (name: string): string => `${name}.${world.settings.domain}`;
  return {
    get: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const hostname = activeHostname(world, ref);
      if (hostname !== undefined) return { status: "custom-domain-used", custom_domain: hostname };
      const name = world.vanitySubdomains.get(ref);
      return name === null ? { status: "not-used" } : { status: "active", custom_domain: domainOf(name) };
    },
    checkAvailability: ({ params, body, caller }) => {
      visibleProject(world, caller, params.ref);
      return { available: isSubdomainFree(world, body.vanity_subdomain.toLowerCase()) };
    },
    activate: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const name = body.vanity_subdomain.toLowerCase();
      if (activeHostname(world, ref) !== undefined) {
        throw badRequest("The project uses a custom hostname: delete it to use a vanity subdomain");
      }
      if (world.vanitySubdomains.get(ref) !== name && !isSubdomainFree(world, name)) {
        throw badRequest(`vanity_subdomain: '${name}' is not available`);
      }
      world.vanitySubdomains.set(ref, name);
      return { custom_domain: domainOf(name) };
    },
    delete: ({ params, caller }) => {
      world.vanitySubdomains.reset(visibleProject(world, caller, params.ref).ref);
      return undefined;
    },
  };
}
