import { isApiError } from "../../../src/api/errors.ts";
import type { Lever } from "./lever.ts";
import type { AnyStage } from "./stage.ts";

/** Levers of the names that a project is reached by. */

const same = (wanted: unknown, seen: unknown): boolean => wanted === seen;

/** Somebody creates the records that the platform waits for. */
async function createRecords(stage: AnyStage): Promise<void> {
  const { theatre } = stage;
  for (const { name, value } of stage.stored().customHostname?.records ?? []) {
    await theatre.emulator.control.dns.set({ name, texts: [value] });
  }
}

async function hostname({ client, ref }: AnyStage): Promise<string | undefined> {
  try {
    return (await client.customHostname.get({ ref })).custom_hostname;
  } catch (error) {
    if (isApiError(error, "BAD_REQUEST")) return undefined;
    throw error;
  }
}

/** There is a custom hostname, or none. */
async function bring(stage: AnyStage, wanted: string | undefined): Promise<void> {
  const { client, ref } = stage;
  const there = await hostname(stage);
  if (there === wanted) return;
  if (there !== undefined) await client.customHostname.delete({ ref });
  if (wanted !== undefined) await client.customHostname.initialize({ ref, body: { custom_hostname: wanted } });
}

async function allowHostname({ client, ref }: AnyStage): Promise<void> {
  await client.addons.apply({ ref, body: { addon_type: "custom_domain", addon_variant: "cd_default" } });
}

const HOSTNAME = "api.example.com";
const OTHER_HOSTNAME = "db.example.com";
const READ = "customHostname.get";

const customHostname: readonly Lever[] = [
  {
    path: "customHostname.hostname",
    section: "customHostname",
    moves: ["customHostname.initialize custom_hostname"],
    mine: { declared: HOSTNAME, seen: HOSTNAME },
    theirs: { declared: undefined, seen: undefined },
    costs: {
      set: [READ, "customHostname.initialize"],
      look: [READ],
      repair: [READ, "customHostname.initialize"],
    },
    seen: hostname,
    isSame: same,
    byHand: (stage) => bring(stage, undefined),
    prepare: allowHostname,
    afterwards: { by: createRecords, writes: ["customHostname.activate"] },
  },
  {
    path: "customHostname.absent",
    section: "customHostname",
    moves: [],
    mine: { declared: true, seen: undefined },
    theirs: { declared: undefined, seen: OTHER_HOSTNAME },
    costs: {
      set: [READ, "customHostname.delete", READ],
      look: [READ],
      repair: [READ, "customHostname.delete", READ],
    },
    seen: hostname,
    isSame: same,
    byHand: (stage) => bring(stage, OTHER_HOSTNAME),
    prepare: allowHostname,
  },
];

async function vanity({ client, ref }: AnyStage): Promise<string | undefined> {
  const { status, custom_domain: domain } = await client.vanitySubdomain.get({ ref });
  return status === "active" ? domain?.split(".")[0] : undefined;
}

async function take({ client, ref }: AnyStage): Promise<void> {
  await client.vanitySubdomain.activate({ ref, body: { vanity_subdomain: "store" } });
}

const vanitySubdomain: readonly Lever[] = [
  {
    path: "vanitySubdomain.name",
    section: "vanitySubdomain",
    moves: ["vanitySubdomain.activate vanity_subdomain", "vanitySubdomain.checkAvailability vanity_subdomain"],
    mine: { declared: "shop", seen: "shop" },
    theirs: { declared: "store", seen: "store" },
    costs: {
      set: [
        "vanitySubdomain.get",
        "vanitySubdomain.checkAvailability",
        "vanitySubdomain.activate",
        "vanitySubdomain.get",
      ],
      look: ["vanitySubdomain.get"],
      repair: [
        "vanitySubdomain.get",
        "vanitySubdomain.checkAvailability",
        "vanitySubdomain.activate",
        "vanitySubdomain.get",
      ],
    },
    seen: vanity,
    isSame: same,
    byHand: take,
  },
  {
    path: "vanitySubdomain.absent",
    section: "vanitySubdomain",
    moves: [],
    mine: { declared: true, seen: undefined },
    theirs: { declared: undefined, seen: "store" },
    costs: {
      set: ["vanitySubdomain.get", "vanitySubdomain.delete", "vanitySubdomain.get"],
      look: ["vanitySubdomain.get"],
      repair: ["vanitySubdomain.get", "vanitySubdomain.delete", "vanitySubdomain.get"],
    },
    seen: vanity,
    isSame: same,
    byHand: take,
  },
];

export const nameLevers: readonly Lever[] = [...customHostname, ...vanitySubdomain];
