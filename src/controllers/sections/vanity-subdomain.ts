import { contract } from "../../api/contract/contract.ts";
import { isApiError } from "../../api/errors.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { TerminalError, TransientError } from "../../runtime/outcome.ts";
import { explain, terminal } from "../shared/failures.ts";
import { believeNone, foundOne } from "./believe-none.ts";
import { digestOf } from "./memory.ts";
import { differs, observedSection } from "./observed-section.ts";
import type { SectionAt, Sections } from "./section.ts";

type Vanity = NonNullable<Sections["vanitySubdomain"]>;

interface VanityFound {
  readonly status: string;
  readonly custom_domain?: string | null | undefined;
  /** the plan has none, so that nothing of it is told: what the platform said */
  readonly refused?: TerminalError;
}

const PLANS: readonly string[] = contract.vanitySubdomain.activate.plans;
const NAME = "vanitySubdomain";
const NAME_FIELD = "spec.vanitySubdomain.name";

/** On a plan without them the read itself is refused (facts.md §6.13): there is none then, and none to be had. */
async function read(at: SectionAt, declared: Vanity, entry: SectionEntry | undefined): Promise<VanityFound> {
  const { client, ref, call } = at;
  try {
    const found = await client.vanitySubdomain.get({ ref }, call);
    foundOne(at, NAME);
    return found;
  } catch (error) {
    const refused = explain(error, "read the vanity subdomain");
    if (!(refused instanceof TerminalError)) throw error;
    if (!isKnownNone(entry, declared, refused) && !(await saysNone(at, declared, error))) throw error;
    return { status: "not-used", refused: ofPlan(refused) };
  }
}

/** The plan is known to be in the way, as the contract says: not a value, though the platform refuses it as it refuses one (facts.md §6.13). */
function ofPlan(refused: TerminalError): TerminalError {
  const { message, recheckAfterMs } = refused;
  return terminal("PlanLimit", message, {
    cause: refused,
    ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }),
  });
}

/** Whether the status says already that there is none, as is declared, and by the same words. */
function isKnownNone(entry: SectionEntry | undefined, declared: Vanity, { message }: TerminalError): boolean {
  const isSo = declared.name === undefined && entry?.state === "InSync" && entry.applied === digestOf(declared);
  return isSo && entry.left === undefined && entry.message?.includes(message) === true;
}

/**
 * Whether a refusal is that of a plan without them. A 400 says much: it is that where the plan is known to be one, and where nothing tells the plan, of two
 * looks that nothing is left to be deleted.
 *
 * @throws WaitingError AnswerUnconfirmed after the first of them; as calls of the client do
 */
async function saysNone(at: SectionAt, { name }: Vanity, error: unknown): Promise<boolean> {
  if (isApiError(error, "PLAN_REQUIRED")) return true;
  if (!isApiError(error, "BAD_REQUEST")) return false;
  const plan = name === undefined ? await knownPlan(at) : await at.plan();
  if (plan !== null && plan !== undefined) return isWithout(plan);
  if (name === undefined && !at.isObserved) {
    believeNone(at, { name: NAME, title: "a vanity subdomain", following: "tell" });
  }
  return name === undefined;
}

function isWithout(plan: string): boolean {
  return !PLANS.some((one) => one === plan);
}

/**
 * What a plan that is known to have none is asked for is refused for the plan, though as a bad value is.
 *
 * @throws TerminalError PlanLimit; as `request` does
 */
async function ofPlanWhereKnown<T>(at: SectionAt, request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    const refused = explain(error, "change the vanity subdomain");
    if (!isApiError(error, "BAD_REQUEST") || !(refused instanceof TerminalError)) throw error;
    // One that cannot be read is told of by what keeps the refusal, which asks for it as well.
    const plan = await at.plan().catch(() => undefined);
    throw typeof plan === "string" && isWithout(plan) ? ofPlan(refused) : error;
  }
}

/** The plan, as far as it can be read: undefined also where the platform fails. */
async function knownPlan(at: SectionAt): ReturnType<SectionAt["plan"]> {
  try {
    return await at.plan();
  } catch (error) {
    if (explain(error, "read the plan") instanceof TransientError) return undefined;
    throw error;
  }
}

function nameOf({ status, custom_domain: domain }: VanityFound): string | undefined {
  return status === "active" ? domain?.split(".")[0] : undefined;
}

/** Why no name is to be had (facts.md §1, vanity subdomain status). */
function blocked({ name }: Vanity, found: VanityFound): TerminalError | undefined {
  const { status, custom_domain: hostname, refused } = found;
  if (name === undefined || refused !== undefined) return refused;
  if (status !== "custom-domain-used") return undefined;
  const which = hostname === null || hostname === undefined ? "a custom hostname" : `the custom hostname ${hostname}`;
  return terminal(
    "Rejected",
    `${NAME_FIELD}: ${which} is in service, beside which there is no vanity subdomain: ` +
      "take that away first (spec.customHostname.absent: true), or remove vanitySubdomain",
  );
}

export const vanitySubdomainSection = observedSection<Vanity, VanityFound>({
  name: NAME,
  about:
    "The name below the platform's own domain. One read, and one of the plan where that is refused; a question whether the name is free, one write, and one read after it.",
  operations: [
    "vanitySubdomain.get",
    "organizations.get",
    "vanitySubdomain.checkAvailability",
    "vanitySubdomain.activate",
    "vanitySubdomain.delete",
  ],
  // As long as a hostname is in service the platform has no name.
  after: [
    {
      section: "customHostname",
      applies: ({ customHostname, vanitySubdomain }) =>
        customHostname?.absent === true && vanitySubdomain?.name !== undefined,
      where: "where that one is to go",
    },
  ],
  needs: `a plan of ${PLANS.join(", ")}`,
  hangsOn: [PLANS.join()],
  title: "the vanity subdomain",
  declared: (spec) => spec.vanitySubdomain,
  read,
  unknown: ({ refused }) => refused?.message,
  plan: ({ name }, found) => {
    const seen = nameOf(found);
    if (seen === name) return [];
    return [differs(name === undefined ? "spec.vanitySubdomain.absent" : NAME_FIELD, name ?? null, seen)];
  },
  blocked,
  write: async (at, { declared: { name }, send }) => {
    const { client, ref, call: looking } = at;
    if (name === undefined) {
      await send((call) => client.vanitySubdomain.delete({ ref }, call));
      return undefined;
    }
    const body = { vanity_subdomain: name };
    const { available } = await ofPlanWhereKnown(at, () =>
      client.vanitySubdomain.checkAvailability({ ref, body }, looking),
    );
    if (!available) throw terminal("Rejected", `${NAME_FIELD}: ${name} is taken: choose another name`);
    await ofPlanWhereKnown(at, () => send((call) => client.vanitySubdomain.activate({ ref, body }, call)));
    return undefined;
  },
});
