import type { CidrLists, NetworkRestrictions } from "../../api/contract/network-restrictions.ts";
import { isV6Cidr, normalCidr } from "../../resources/settings/cidr.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { type Fact, factOf, valueOf, whyUnknown } from "./fact.ts";
import { differs, observedSection, type Writing } from "./observed-section.ts";
import type { SectionAt, SectionChange, Sections } from "./section.ts";
import { SETTLED } from "./section.ts";

/** spec.database.networkRestrictions (K-21). People write one list; the API has one for each family of addresses. */

type Declared = NonNullable<NonNullable<Sections["database"]>["networkRestrictions"]>;

/** The platform's restrictions, of both families together, each range in one form. */
export interface Restrictions {
  readonly cidrs: readonly string[];
  readonly isEntitled: boolean;
  /** the database has taken them over */
  readonly isApplied: boolean;
  /** addresses that are banned; absent where nobody asked for them */
  readonly banned?: Fact<readonly string[]>;
}

const PREFIX = "spec.database.networkRestrictions";

function restrictionsOf(
  { entitlement, status }: Pick<NetworkRestrictions, "entitlement" | "status">,
  cidrs: readonly string[],
): Restrictions {
  return { cidrs: normalized(cidrs), isEntitled: entitlement !== "disallowed", isApplied: status === "applied" };
}

function normalized(cidrs: readonly string[]): readonly string[] {
  return [...new Set(cidrs.map(normalCidr))].toSorted();
}

function ofLists(answer: NetworkRestrictions): Restrictions {
  const { dbAllowedCidrs = [], dbAllowedCidrsV6 = [] } = answer.config;
  return restrictionsOf(answer, [...dbAllowedCidrs, ...dbAllowedCidrsV6]);
}

/** The declared ranges; undefined where none are declared. */
function wantedOf({ allowedCidrs, denyAll }: Declared): readonly string[] | undefined {
  return denyAll === true ? [] : allowedCidrs === undefined ? undefined : normalized(allowedCidrs);
}

function missingIn(wanted: readonly string[], { cidrs }: Restrictions): readonly string[] {
  return wanted.filter((cidr) => !cidrs.includes(cidr));
}

/** What differs. Pure. */
export function planRestrictions(declared: Declared, observed: Restrictions): readonly SectionChange[] {
  const wanted = wantedOf(declared);
  if (wanted === undefined) return [];
  const missing = missingIn(wanted, observed);
  const isSame = missing.length === 0 && (declared.mode === "Additive" || wanted.length === observed.cidrs.length);
  if (isSame) return [];
  return [differs(`${PREFIX}.${declared.denyAll === true ? "denyAll" : "allowedCidrs"}`, wanted, observed.cidrs)];
}

/** What is said where the platform does not let the project have restrictions. Pure. */
export function unentitled({ isEntitled }: Pick<Restrictions, "isEntitled">): TerminalError | undefined {
  if (isEntitled) return undefined;
  return terminal(
    "Rejected",
    `${PREFIX}: the platform allows this project no network restrictions (its entitlement is disallowed): they need another plan, and the platform does not tell which`,
  );
}

/** One list for each family. */
function listsOf(cidrs: readonly string[]): CidrLists {
  return { dbAllowedCidrs: cidrs.filter((cidr) => !isV6Cidr(cidr)), dbAllowedCidrsV6: cidrs.filter(isV6Cidr) };
}

function withoutEmpty({ dbAllowedCidrs = [], dbAllowedCidrsV6 = [] }: CidrLists): CidrLists {
  return {
    ...(dbAllowedCidrs.length === 0 ? {} : { dbAllowedCidrs }),
    ...(dbAllowedCidrsV6.length === 0 ? {} : { dbAllowedCidrsV6 }),
  };
}

async function write(
  { client, ref }: SectionAt,
  { declared, observed, send }: Writing<Declared, Restrictions>,
): Promise<Restrictions> {
  const wanted = wantedOf(declared) ?? [];
  const bans = observed.banned === undefined ? {} : { banned: observed.banned };
  if (declared.mode !== "Additive") {
    const lists = await send((call) => client.networkRestrictions.apply({ ref, body: listsOf(wanted) }, call));
    return { ...ofLists(lists), ...bans };
  }
  const add = withoutEmpty(listsOf(missingIn(wanted, observed)));
  const answer = await send((call) => client.networkRestrictions.update({ ref, body: { add } }, call));
  const cidrs = (answer.config.dbAllowedCidrs ?? []).map(({ address }) => address);
  return { ...restrictionsOf(answer, cidrs), ...bans };
}

async function bannedIn({ client, ref, call }: SectionAt): Promise<readonly string[]> {
  return (await client.networkBans.list({ ref }, call)).banned_ipv4_addresses.toSorted();
}

async function read(at: SectionAt, { showBans }: Declared): Promise<Restrictions> {
  const { client, ref, call } = at;
  const [answer, banned] = await Promise.all([
    client.networkRestrictions.get({ ref }, call),
    showBans === true ? factOf("list the banned addresses", () => bannedIn(at)) : undefined,
  ]);
  return { ...ofLists(answer), ...(banned === undefined ? {} : { banned }) };
}

export const networkRestrictionsSection = observedSection<Declared, Restrictions>({
  name: "database.networkRestrictions",
  about:
    "From where the database may be reached. One read, another one with showBans, and one write, after which the platform takes a moment to apply it.",
  operations: [
    "networkRestrictions.get",
    "networkBans.list",
    "networkRestrictions.apply",
    "networkRestrictions.update",
  ],
  title: "the network restrictions",
  needs: "a plan that has them: the platform does not tell which",
  declared: (spec) => spec.database?.networkRestrictions,
  read,
  facts: ({ banned }) => ({ networkBans: valueOf(banned) }),
  unknown: ({ banned }) => whyUnknown(banned),
  plan: planRestrictions,
  blocked: (_declared, observed) => unentitled(observed),
  progress: (declared, { isApplied }) =>
    isApplied || wantedOf(declared) === undefined
      ? SETTLED
      : {
          kind: "applying",
          reason: "Updating",
          message: "the network restrictions are stored and not applied yet",
        },
  write,
});
