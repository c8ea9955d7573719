import { ADDON_VARIANTS, type ApplicableVariant, type Addons, type AddonType } from "../../api/contract/addons.ts";
import { PAID_PLANS } from "../../api/contract/fields.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { forgetAbsence, hostnameOrNone, isActive } from "./domains.ts";
import { differs, observedSection } from "./observed-section.ts";
import type { Former, Section, SectionAt, Sections, SectionWrite } from "./section.ts";

/** What is asked for of one type of add-on: a variant, or none. */
interface Wanted {
  /** that says so */
  readonly field: string;
  readonly type: AddonType;
  readonly variant: ApplicableVariant | undefined;
  /** what is selected now */
  readonly selected: string | undefined;
}

const PITR = { Days7: "pitr_7", Days14: "pitr_14", Days28: "pitr_28", Off: undefined } as const;

/** The platform has none for an organization on the plan free. */
const PAID = `a plan of ${PAID_PLANS.join(", ")}`;
/** of small and of all that are larger */
const SIZES = ADDON_VARIANTS.filter((variant) => variant.startsWith("ci_") && variant !== "ci_micro");

function selectedOf({ selected_addons: selected }: Addons, type: AddonType): string | undefined {
  return selected.find((one) => one.type === type)?.variant.id;
}

/** Only what is known can be removed. */
function isApplicable(variant: string): variant is ApplicableVariant {
  return ADDON_VARIANTS.some((known) => known === variant);
}

/** @throws TerminalError Rejected where no request removes what is selected; as calls of the client do */
async function write(
  at: SectionAt,
  { field, type, variant, selected }: Wanted,
  { send }: Pick<SectionWrite, "send">,
): Promise<void> {
  const { client, ref, addons } = at;
  addons.forget();
  if (variant !== undefined) {
    await send((call) => client.addons.apply({ ref, body: { addon_type: type, addon_variant: variant } }, call));
  } else if (selected !== undefined) {
    if (!isApplicable(selected)) throw unremovable(field, selected);
    await send((call) => client.addons.remove({ ref, addon_variant: selected }, call));
  }
}

/** A variant of tomorrow: a request that is not made must not count as made. */
function unremovable(field: string, selected: string): TerminalError {
  const message = `${field}: ${selected} is selected, which this version of the operator cannot remove`;
  return terminal("Rejected", `${message}: remove it on the platform, or remove the field`);
}

type Declared = NonNullable<Sections["addons"]>;

interface Addon<Name extends keyof Declared> extends Pick<Section, "after" | "hangsOn" | "disruption"> {
  readonly name: Name;
  readonly title: string;
  readonly type: AddonType;
  readonly needs: string;
  /** operations and words of what is read before it is removed; default: nothing is */
  readonly guard?: {
    readonly operations: readonly string[];
    readonly about: string;
    require(at: SectionAt): Promise<void>;
    /** It was removed. */
    done(at: SectionAt): void;
  };
  variant(declared: NonNullable<Declared[Name]>): ApplicableVariant | undefined;
  /** as observedSection has it, of the variants */
  disrupts?(wanted: string | undefined, selected: string | undefined): boolean;
}

/** All of them were one section once. */
const FORMERLY: Former = { name: "addons", declared: ({ addons }) => addons };

/** Types that the platform lists and no request selects (facts.md §1, add-on variants). */
const BY_HAND: readonly AddonType[] = ["auth_mfa_phone", "auth_mfa_web_authn", "log_drain", "etl_pipeline"];

/** Each add-on is a section of its own: one that is refused says nothing of the others, nor of what needs those. */
function addonSection<Name extends keyof Declared>(addon: Addon<Name>): Section {
  const { name, title, type, needs, after, guard, disruption } = addon;
  return observedSection<NonNullable<Declared[Name]>, Addons>({
    name: `addons.${name}`,
    formerly: FORMERLY,
    about: `The add-on ${title}. One read, in common with the other add-ons and the compute size, one write, and one read after it.${guard?.about ?? ""}`,
    operations: ["addons.list", "addons.apply", "addons.remove", ...(guard?.operations ?? [])],
    ...(disruption === undefined ? {} : { disruption }),
    ...(after === undefined ? {} : { after }),
    lacks: `No request selects the add-ons ${BY_HAND.join(", ")}, nor takes them away: that is done on the platform, by hand.`,
    needs,
    hangsOn: [PAID_PLANS.join(), ...(addon.hangsOn ?? [])],
    title: `the add-on ${title}`,
    declared: (spec) => spec.addons?.[name] ?? undefined,
    read: ({ addons }) => addons.get(),
    plan: (declared, observed) => {
      const selected = selectedOf(observed, type);
      const wanted = addon.variant(declared);
      return selected === wanted ? [] : [differs(`spec.addons.${name}`, wanted, selected)];
    },
    disrupts: (declared, observed) => addon.disrupts?.(addon.variant(declared), selectedOf(observed, type)) ?? true,
    write: async (at, { declared, observed, ...how }) => {
      const variant = addon.variant(declared);
      if (variant === undefined) await guard?.require(at);
      await write(at, { field: `spec.addons.${name}`, type, variant, selected: selectedOf(observed, type) }, how);
      if (variant === undefined) guard?.done(at);
      return undefined;
    },
  });
}

/** How far back a variant reaches, days; of one that this version does not know, as far as can be. */
function daysOf(variant: string | undefined): number {
  if (variant === undefined) return 0;
  const days = /^pitr_(?<days>\d+)$/u.exec(variant)?.groups?.["days"];
  return days === undefined ? Infinity : Number(days);
}

export const pitrSection = addonSection({
  name: "pitr",
  title: "point-in-time recovery",
  type: "pitr",
  needs: `the compute size small or a larger one (spec.instanceSize), and ${PAID}`,
  hangsOn: [SIZES.join()],
  // Switched off it goes first: the platform refuses a size that is too small for it while it is on.
  after: [
    {
      section: "instanceSize",
      applies: ({ addons }) => addons?.pitr !== undefined && addons.pitr !== "Off",
      where: "where it is to be had",
    },
  ],
  disruption: {
    isForGood: true,
    isRepaired: () => false,
    advice: () =>
      "shorter than it is, point-in-time recovery loses history that nothing brings back: write the one that there is, and an edit after that to have it shorter",
  },
  disrupts: (wanted, selected) => daysOf(wanted) < daysOf(selected),
  variant: (declared) => PITR[declared],
});

export const ipv4Section = addonSection({
  name: "ipv4",
  title: "IPv4 address",
  type: "ipv4",
  needs: PAID,
  variant: (declared) => (declared ? "ipv4_default" : undefined),
});

/**
 * What serves is taken away by its own section or by hand, never with what it needs, and so is one that is on its way: once the add-on is gone the platform
 * tells nothing of it (facts.md §5).
 *
 * @throws TerminalError Rejected; WaitingError AnswerUnconfirmed; as calls of the client do
 */
async function requireNone(at: SectionAt): Promise<void> {
  const found = await hostnameOrNone(at);
  if (found === undefined) return;
  const lost = isActive(found) ? "would be out of service" : "could not be put into service";
  const message = `spec.addons.customDomain: without the add-on ${found.custom_hostname} ${lost}`;
  throw terminal("Rejected", `${message}: take it away first (spec.customHostname.absent: true), or write true`);
}

export const customDomainSection = addonSection({
  name: "customDomain",
  title: "custom domain",
  type: "custom_domain",
  needs: PAID,
  // Without the add-on the platform says nothing of a hostname any more (facts.md §5), so that nobody could take it away.
  after: [
    {
      section: "customHostname",
      applies: ({ addons, customHostname }) => addons?.customDomain === false && customHostname?.absent === true,
      where: "where neither is to be had",
    },
  ],
  guard: {
    operations: ["customHostname.get"],
    about:
      " Before it is removed, two reads of the custom hostname, a minute apart, unless that was deleted just before: one that there is would go with it.",
    require: requireNone,
    done: forgetAbsence,
  },
  variant: (declared) => (declared ? "cd_default" : undefined),
});

/** Undefined of nano and pico: what a project or branch has that selects none. */
function variantOf(size: string): ApplicableVariant | undefined {
  const variant = `ci_${size}`;
  return isApplicable(variant) ? variant : undefined;
}

/**
 * To disable a variant rolls compute back to its previous size (endpoints.md, add-ons). Which one that is nothing tells, and it may have been chosen by
 * somebody else: so a size without a variant is never gone to by that.
 */
function unreachable(size: string, selected: string | undefined): TerminalError | undefined {
  if (selected === undefined || variantOf(size) !== undefined) return undefined;
  const message = `spec.instanceSize: no request of the platform's leads to ${size}, which is had from the creation on, from ${selected}`;
  const there = isApplicable(selected) ? `${selected.replace(/^ci_/u, "")}, which there is, or ` : "";
  return terminal("Rejected", `${message}: write ${there}another size, or remove the field`);
}

/** Compute size (K-06). Last of all: it restarts the project. */
export const instanceSizeSection = observedSection<string, Addons>({
  name: "instanceSize",
  about:
    "The compute size. One read, in common with the add-ons, one write of the add-on, and one read after it; the project restarts.",
  operations: ["addons.list", "addons.apply"],
  lacks:
    "No request leads to nano, nor to pico of a branch: they are what is had where no size is selected, and to take a selected one away goes back to whichever size was before, which nothing tells. " +
    "Created so, a project or branch has them; declared of one that has another size, they end as Failed with nothing sent.",
  needs: PAID,
  hangsOn: [PAID_PLANS.join()],
  title: "the compute size",
  disruption: {
    isRepaired: ({ resizePolicy }) => resizePolicy === "Always",
    advice: ({ instanceSize = "" }) =>
      variantOf(instanceSize) === undefined
        ? `no request of the platform's leads back to ${instanceSize}: write the size that there is`
        : "a resize restarts the database: write the size that there is, or resizePolicy: Always to have the declared one back",
  },
  declared: (spec) => spec.instanceSize,
  read: ({ addons }) => addons.get(),
  plan: (size, observed) => {
    const selected = selectedOf(observed, "compute_instance");
    const variant = variantOf(size);
    return selected === variant ? [] : [differs("spec.instanceSize", variant, selected)];
  },
  blocked: (size, observed) => unreachable(size, selectedOf(observed, "compute_instance")),
  progress: (size, _observed, wrote) =>
    wrote
      ? { kind: "applying", reason: "Resizing", message: `the compute size is being changed to ${size}` }
      : { kind: "settled" },
  standing: (observed) => selectedOf(observed, "compute_instance"),
  write: async (at, { declared, ...how }) => {
    // Whatever is selected is never removed.
    const wanted = { type: "compute_instance", variant: variantOf(declared), selected: undefined } as const;
    await write(at, { field: "spec.instanceSize", ...wanted }, how);
    return undefined;
  },
});
