import { isApiError } from "../../api/errors.ts";
import type { CustomHostname } from "../../api/contract/custom-hostname.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { FINAL_ABSENCE_MS } from "../shared/absences.ts";
import { terminal, waiting } from "../shared/failures.ts";
import type { IdentityStatus } from "../shared/record-identity.ts";
import { isElsewhere } from "../shared/sessions.ts";
import type { Sought } from "../shared/sought.ts";
import { believeNone, foundOne, tookIt } from "./believe-none.ts";
import { digestOf } from "./memory.ts";
import { differs, observedSection } from "./observed-section.ts";
import type { SectionAt, SectionChange, SectionFacts, SectionProgress, Sections, SectionWrite } from "./section.ts";

type Hostname = NonNullable<Sections["customHostname"]>;

const HOSTNAME_FIELD = "spec.customHostname.hostname";
/** How soon somebody's DNS is looked at, milliseconds: verifying is limited to ten requests a minute. */
const DNS_POLL_MS = 60_000;

type HostnameAt = Pick<SectionAt, "client" | "ref" | "call">;

/** Nothing configured, and no add-on, are both told by 400 (facts.md §5). */
async function readHostname({ client, ref, call }: HostnameAt): Promise<CustomHostname | undefined> {
  try {
    return await client.customHostname.get({ ref }, call);
  } catch (error) {
    if (isApiError(error, "BAD_REQUEST", "GONE")) return undefined;
    throw error;
  }
}

function isPending({ status }: CustomHostname): boolean {
  // The challenge alone is not enough: it is put into service once the platform has set up its origin, too.
  return status !== "4_origin_setup_completed" && status !== "5_services_reconfigured";
}

export function isActive({ status }: CustomHostname): boolean {
  return status === "5_services_reconfigured";
}

function isNamed({ custom_hostname: name }: CustomHostname, hostname: string | undefined): boolean {
  return name.toLowerCase() === hostname?.toLowerCase();
}

const NAME = "customHostname";
/** Of a 400 nothing tells whether it says that there is none. */
const NONE = { name: NAME, title: "a custom hostname" };

/** Whether the status says already that there is none, as is declared. */
function isKnownNone(entry: SectionEntry | undefined, declared: Hostname): boolean {
  return entry?.state === "InSync" && entry.left === undefined && entry.applied === digestOf(declared);
}

/** The one that holds the add-on, whatever its state. @throws WaitingError AnswerUnconfirmed where none was found but once; as calls of the client do */
export async function hostnameOrNone(at: SectionAt): Promise<CustomHostname | undefined> {
  const found = await readHostname(at);
  if (found === undefined || found.custom_hostname === "") {
    believeNone(at, { ...NONE, following: "end" });
    return undefined;
  }
  foundOne(at, NAME);
  return found;
}

/** What the absence of a hostname was looked for for is done. */
export function forgetAbsence(at: SectionAt): void {
  foundOne(at, NAME);
}

/** The records are looked up again at each look, as long as the platform waits for them. */
async function lookUp(
  at: SectionAt,
  declared: Hostname,
  entry: SectionEntry | undefined,
): Promise<CustomHostname | undefined> {
  const { hostname } = declared;
  const found = await readHostname(at);
  if (found !== undefined) foundOne(at, NAME);
  // Only a second look tells that nothing is left to be deleted; a name that is declared is begun, which is refused where there is one.
  else if (hostname === undefined && !at.isObserved && !isKnownNone(entry, declared)) {
    believeNone(at, { ...NONE, following: "tell" });
  }
  if (found === undefined || at.isObserved || !isPending(found) || !isNamed(found, hostname)) return found;
  return at.client.customHostname.reverify({ ref: at.ref }, at.call);
}

function planHostname({ hostname }: Hostname, found: CustomHostname | undefined): readonly SectionChange[] {
  if (hostname === undefined) {
    return found === undefined ? [] : [differs("spec.customHostname.absent", true, found.custom_hostname)];
  }
  if (found === undefined || !isNamed(found, hostname)) {
    return [differs(HOSTNAME_FIELD, hostname, found?.custom_hostname)];
  }
  // Verified, and to be put into service.
  return isPending(found) || isActive(found) ? [] : [differs(HOSTNAME_FIELD, "active", found.status)];
}

function hostnameProgress(_declared: Hostname, found: CustomHostname | undefined): SectionProgress {
  if (found === undefined || !isPending(found)) return { kind: "settled" };
  if (found.status === "3_challenge_verified") {
    const message = `the DNS records of ${found.custom_hostname} are found: the platform sets up its origin`;
    return { kind: "waiting", reason: "Updating", message, pollMs: DNS_POLL_MS };
  }
  const message = `the DNS records of ${found.custom_hostname} are not found yet: create those of status.customHostname.records`;
  return { kind: "waiting", reason: "DnsPending", message, pollMs: DNS_POLL_MS };
}

function hostnameFacts(found: CustomHostname | undefined): SectionFacts {
  if (found === undefined) return { customHostname: undefined };
  const { ssl, ownership_verification: ownership, verification_errors: errors } = found.data.result;
  const records = isPending(found)
    ? [
        ...(ownership === null || ownership === undefined
          ? []
          : [{ type: ownership.type.toUpperCase(), name: ownership.name, value: ownership.value }]),
        ...(ssl.validation_records ?? []).map(({ txt_name, txt_value }) => ({
          type: "TXT",
          name: txt_name,
          value: txt_value,
        })),
        ...cnameOf(found),
      ]
    : [];
  const wrong = [...(errors ?? []), ...(ssl.validation_errors ?? []).map(({ message }) => message)];
  return {
    customHostname: {
      hostname: found.custom_hostname,
      state: found.status,
      ...(records.length === 0 ? {} : { records }),
      ...(wrong.length === 0 || isActive(found) ? {} : { errors: wrong }),
    },
  };
}

function cnameOf({
  custom_hostname: name,
  data,
}: CustomHostname): readonly { type: string; name: string; value: string }[] {
  const { custom_origin_server: value } = data.result;
  return value === null || value === undefined ? [] : [{ type: "CNAME", name, value }];
}

interface Holder {
  readonly metadata: { readonly uid: string };
  readonly status: SectionFacts & Pick<IdentityStatus, "ref" | "connection">;
}

/**
 * Whether another one has the name still: its status may be old, so that it is asked where its account is the same, and believed elsewhere. That it has it no
 * more is believed of two looks: a name that serves is deleted for it.
 *
 * @throws WaitingError AnswerUnconfirmed at the first one that finds it gone; as calls of the client do
 */
async function stillHas(at: SectionAt, { metadata: { uid }, status }: Holder, hostname: string): Promise<boolean> {
  const { client, session, call, environment } = at;
  const { ref, connection } = status;
  if (ref === undefined || connection?.identity !== session.account || isElsewhere(connection, session)) return true;
  try {
    const found = await readHostname({ client, ref, call });
    if (found !== undefined && isNamed(found, hostname)) {
      environment.absences.found(uid, soughtHostname(hostname));
      return true;
    }
  } catch (error) {
    if (isApiError(error, "FORBIDDEN")) return true;
    throw error;
  }
  const leftMs = FINAL_ABSENCE_MS - environment.absences.noteMissedLately(uid, soughtHostname(hostname));
  if (leftMs <= 0) return false;
  const message = `${hostname} was the hostname of another project: looked for once more before it is taken for free`;
  throw waiting("AnswerUnconfirmed", message, leftMs);
}

function soughtHostname(hostname: string): Sought {
  return { kind: "hostname", hostname: hostname.toLowerCase() };
}

/**
 * The platform gives a name to one project: where another object is known to have it, nothing is deleted to be refused after.
 *
 * @returns who has it no more, though a status says so
 * @throws TerminalError Rejected; as calls of the client do
 */
async function requireFree(at: SectionAt, hostname: string): Promise<readonly Holder[]> {
  const { projects, branches } = at.environment.objects;
  const objects: readonly Holder[] = [...projects.list(), ...branches.list()];
  const named = objects.filter(
    ({ status: { ref, customHostname } }) =>
      ref !== at.ref && customHostname?.hostname.toLowerCase() === hostname.toLowerCase(),
  );
  const held = await Promise.all(named.map((holder) => stillHas(at, holder, hostname)));
  if (!held.includes(true)) return named;
  throw terminal(
    "Rejected",
    `${HOSTNAME_FIELD}: ${hostname} is the hostname of another project: take it away there first`,
  );
}

/** What is told of a hostname that serves, once it is deleted. */
function wordsOfGone(found: CustomHostname | undefined): string | undefined {
  if (found === undefined || !isActive(found)) return undefined;
  return `${found.custom_hostname} was deleted and serves no more: declared again it is a new one, with DNS records of its own`;
}

/** What is not there after a deletion whose answer was lost, or is refused since there is nothing any more, is deleted. @throws as calls of the client do */
async function deleteHostname(
  at: SectionAt,
  observed: CustomHostname,
  { send, gone }: Pick<SectionWrite, "send" | "gone">,
): Promise<void> {
  const { client, ref } = at;
  const words = wordsOfGone(observed);
  try {
    await send((call) => client.customHostname.delete({ ref }, call), words === undefined ? {} : { gone: words });
    tookIt(at, NAME);
  } catch (error) {
    const mayBeDone = isApiError(error) && (error.effect === "unknown" || isApiError(error, "BAD_REQUEST", "GONE"));
    if (!mayBeDone) throw error;
    const found = await readHostname(at);
    if (found !== undefined) {
      gone(undefined, hostnameFacts(found));
      throw error;
    }
    if (error.effect === "unknown") tookIt(at, NAME);
  }
  if (words !== undefined) gone(words, hostnameFacts(undefined));
}

/** The custom hostname's steps in their order, which the platform is strict about (K-22). */
export const customHostnameSection = observedSection<Hostname, CustomHostname | undefined>({
  name: NAME,
  about:
    "The custom hostname, step by step: begun, verified while somebody creates the DNS records, put into service. Another one deletes the old one first, since the platform begins none beside it. One read in each look, one write for each step, and one read after a deletion.",
  operations: [
    "customHostname.get",
    "customHostname.initialize",
    "customHostname.reverify",
    "customHostname.activate",
    "customHostname.delete",
  ],
  after: [
    {
      section: "addons.customDomain",
      applies: ({ addons, customHostname }) => addons?.customDomain === true && customHostname?.hostname !== undefined,
      where: "where both are to be had",
    },
  ],
  needs: "the add-on customDomain (spec.addons.customDomain: true)",
  hangsOn: ["custom_domain"],
  title: "the custom hostname",
  declared: (spec) => spec.customHostname,
  read: lookUp,
  plan: planHostname,
  progress: hostnameProgress,
  facts: hostnameFacts,
  lacks:
    "The platform begins no hostname beside another one, so that the old one is deleted first. It serves no more from then on, also where the new one is refused, and comes back as a new one alone, with DNS records of its own.",
  serving: wordsOfGone,
  write: async (at, { declared, observed, ...how }) => {
    const { client, ref } = at;
    const { hostname } = declared;
    if (observed !== undefined && isNamed(observed, hostname)) {
      return how.send((call) => client.customHostname.activate({ ref }, call));
    }
    const former = hostname === undefined ? [] : await requireFree(at, hostname);
    if (observed !== undefined) await deleteHostname(at, observed, how);
    if (hostname === undefined) return undefined;
    const begun = await how.send((call) =>
      client.customHostname.initialize({ ref, body: { custom_hostname: hostname } }, call),
    );
    for (const { metadata } of former) at.environment.absences.found(metadata.uid, soughtHostname(hostname));
    return begun;
  },
});
