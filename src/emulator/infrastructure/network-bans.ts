import type { networkBans } from "../../api/contract/network-bans.ts";
import { visibleProject } from "../access.ts";
import type { BanRecord } from "./network-state.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";

type BansRequest = HandlerRequest<(typeof networkBans)["delete"]>["body"];

/** Banned addresses. Logins fail nowhere in the emulator: bans come from the seed and control calls. */
export function networkBansHandlers(world: World): SectionHandlers<"networkBans"> {
  const bansOf = (ref: string): readonly BanRecord[] => [...world.networkBans.of(ref).values()];
  return {
    list: ({ params, caller }) => {
      const bans = bansOf(visibleProject(world, caller, params.ref).ref);
      return { banned_ipv4_addresses: [...new Set(bans.map(({ address }) => address))] };
    },
    listEnriched: ({ params, caller }) => ({
      banned_ipv4_addresses: bansOf(visibleProject(world, caller, params.ref).ref).map(
        ({ address, identifier, type }) => ({ banned_address: address, identifier, type }),
      ),
    }),
    delete: ({ params, body, caller, address }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      for (const [key, ban] of world.networkBans.of(ref)) {
        if (isMeant(ban, body, address)) world.networkBans.delete(ref, key);
      }
      return undefined;
    },
  };
}

/** An identifier alone means all bans of that database; beside addresses it means theirs in that database only. */
function isMeant(ban: BanRecord, wanted: BansRequest, requester: string): boolean {
  const { ipv4_addresses: named, requester_ip: own = false, identifier } = wanted;
  const addresses = own ? [...named, requester.replace(/^::ffff:/i, "")] : named;
  if (identifier !== undefined && identifier !== ban.identifier) return false;
  return addresses.includes(ban.address) || (identifier !== undefined && addresses.length === 0);
}
