import type { CustomHostname } from "../../api/contract/custom-hostname.ts";
import { type Caller, visibleProject } from "../access.ts";
import { ApiFailure, badRequest } from "../failure.ts";
import { dropAddon, hasAddon } from "../infrastructure/addon-selection.ts";
import type { CustomHostnameRecord } from "./hostname-state.ts";
import { isHostnameFree, isSilent, missingRecords } from "./hostnames.ts";
import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/**
 * src/emulator/domains: names under which a project is reached, and what the name servers of the emulated world answer. Never here: a question
 * to a real name server.
 */

/** The custom hostname: the strict machine of facts.md §5, "Custom hostname machine", step by step. */
export function customHostnameHandlers(world: World): SectionHandlers<"customHostname"> {
  const set = (ref: string, record: CustomHostnameRecord): CustomHostname => {
    world.customHostnames.set(ref, record);
    return output(world, ref, record);
  };
  return {
    get: ({ params, caller }) => {
      const { ref, record } = configured(world, caller, params.ref);
      return output(world, ref, record);
    },
    initialize: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      if (!hasAddon(world, ref, "custom_domain")) {
        throw badRequest(`Please enable the custom domain add-on first: ${enabling(ref)}`);
      }
      if (world.customHostnames.get(ref) !== null) {
        throw new ApiFailure(544, "A custom hostname exists: delete the existing hostname first");
      }
      return set(ref, initiated(world, body.custom_hostname.toLowerCase()));
    },
    reverify: ({ params, caller }) => {
      const { ref, record } = configured(world, caller, params.ref);
      refuseVerified(record);
      const missing = missingRecords(world, record);
      const status = missing.length === 0 ? "4_origin_setup_completed" : record.status;
      return set(ref, { ...record, status, missing });
    },
    activate: ({ params, caller }) => {
      const { ref, record } = configured(world, caller, params.ref);
      if (record.status === "2_initiated") {
        throw badRequest("The custom hostname is not verified yet: set its DNS records and verify again");
      }
      if (record.status === "5_services_reconfigured") throw badRequest("The custom hostname is active already");
      return set(ref, { ...record, status: "5_services_reconfigured" });
    },
    delete: ({ params, query, caller }) => {
      const { ref } = configured(world, caller, params.ref);
      world.customHostnames.reset(ref);
      if (query.remove_addon === true) dropAddon(world, ref, "custom_domain");
      return undefined;
    },
  };
}

/** A project's hostname. @throws ApiFailure 400 without the add-on, and where there is none; 544 when nobody answers for it */
function configured(
  world: World,
  caller: Caller,
  wantedRef: string,
): { readonly ref: string; readonly record: CustomHostnameRecord } {
  const { ref } = visibleProject(world, caller, wantedRef);
  if (!hasAddon(world, ref, "custom_domain")) {
    throw badRequest(`Resource has been removed: the custom domain add-on is not enabled; ${enabling(ref)}`);
  }
  const record = world.customHostnames.get(ref);
  if (record === null) throw badRequest("No custom hostname configuration found for this project");
  refuseSilent(world, record.hostname);
  return { ref, record };
}

/** @throws ApiFailure 400 that says what is left to do, if anything */
function refuseVerified({ status }: CustomHostnameRecord): void {
  if (status === "2_initiated") return;
  if (status === "5_services_reconfigured") {
    throw badRequest("The custom hostname is in service already; there is nothing to verify");
  }
  throw badRequest("The custom hostname is verified; there is nothing to verify, go on to activate it");
}

/** "SQL, hostnames: upstream timeout" (facts.md §5). @throws ApiFailure 544 when nobody answers for the name */
function refuseSilent(world: World, hostname: string): void {
  if (isSilent(world, hostname)) throw new ApiFailure(544, `upstream timeout: nobody answers for ${hostname}`);
}

/** The one request after which hostnames are taken: nothing in the answers of this section would lead to it. */
function enabling(ref: string): string {
  return `PATCH /v1/projects/${ref}/billing/addons {"addon_variant":"cd_default","addon_type":"custom_domain"}`;
}

function initiated(world: World, hostname: string): CustomHostnameRecord {
  if (!isHostnameFree(world, hostname)) throw badRequest("custom_hostname: the hostname is in use by another project");
  refuseSilent(world, hostname);
  const id = newId();
  const record: CustomHostnameRecord = {
    id,
    hostname,
    status: "2_initiated",
    ownership: { name: `_custom-hostname.${hostname}`, value: newId() },
    certificate: { name: `_acme-challenge.${hostname}`, value: newId().replaceAll("-", "") },
    missing: [],
  };
  return { ...record, missing: missingRecords(world, record) };
}

function output(world: World, ref: string, record: CustomHostnameRecord): CustomHostname {
  const { id, hostname, status, missing } = record;
  const custom_origin_server = `${ref}.${world.settings.domain}`;
  const result = { id, hostname, custom_origin_server, verification_errors: [...missing], ...progress(record) };
  return { status, custom_hostname: hostname, data: { success: true, errors: [], messages: [], result } };
}

/** How the certificate and the name itself do at each step; in service there is no record left: "ssl active, no records". */
function progress(record: CustomHostnameRecord): Pick<HostnameResult, "status" | "ssl" | "ownership_verification"> {
  const { status, ownership, certificate } = record;
  const validation_records = [{ txt_name: certificate.name, txt_value: certificate.value }];
  const ssl = { validation_records, validation_errors: [] };
  const ownership_verification = { type: "txt", ...ownership };
  switch (status) {
    case "2_initiated":
      return { status: "pending", ssl: { ...ssl, status: "pending_validation" }, ownership_verification };
    case "4_origin_setup_completed":
      return { status: "active", ssl: { ...ssl, status: "pending_deployment" }, ownership_verification };
    case "5_services_reconfigured":
      return { status: "active", ssl: { ...ssl, status: "active", validation_records: [] } };
    default:
      return status satisfies never;
  }
}

type HostnameResult = CustomHostname["data"]["result"];
