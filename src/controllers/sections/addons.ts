import { ADDON_VARIANTS, type ApplicableVariant, type Addons, type AddonType } from "../../api/contract/addons.ts";
import { type ObservedSection, differs, observedSection } from "./observed-section.ts";
import type { SectionAt, Sections } from "./section.ts";

type Declared = NonNullable<Sections["addons"]>;

/** What one declared add-on asks for: a variant, or none of its type. */
interface Wanted {
  readonly field: string;
  readonly type: AddonType;
  readonly variant: ApplicableVariant | undefined;
}

const PITR = { Days7: "pitr_7", Days14: "pitr_14", Days28: "pitr_28", Off: undefined } as const;

function wantedOf({ pitr, ipv4, customDomain }: Declared): readonly Wanted[] {
  const wanted: Wanted[] = [];
  if (pitr !== undefined) wanted.push({ field: "spec.addons.pitr", type: "pitr", variant: PITR[pitr] });
  if (ipv4 !== undefined) {
    wanted.push({ field: "spec.addons.ipv4", type: "ipv4", variant: ipv4 ? "ipv4_default" : undefined });
  }
  if (customDomain !== undefined) {
    const variant = customDomain ? "cd_default" : undefined;
    wanted.push({ field: "spec.addons.customDomain", type: "custom_domain", variant });
  }
  return wanted;
}

function selectedOf({ selected_addons: selected }: Addons, type: AddonType): string | undefined {
  return selected.find((one) => one.type === type)?.variant.id;
}

/** Only what is known can be removed: a variant of tomorrow is told by its name. */
function isApplicable(variant: string): variant is ApplicableVariant {
  return ADDON_VARIANTS.some((known) => known === variant);
}

async function write(at: SectionAt, { type, variant }: Wanted, selected: string | undefined): Promise<void> {
  const { client, ref, call, addons } = at;
  addons.forget();
  if (variant !== undefined) {
    await client.addons.apply({ ref, body: { addon_type: type, addon_variant: variant } }, call);
  } else if (selected !== undefined && isApplicable(selected)) {
    await client.addons.remove({ ref, addon_variant: selected }, call);
  }
}

const section: ObservedSection<Declared, Addons> = {
  name: "addons",
  about:
    "Add-ons beside the compute size. One read, in common with the compute size, one write for each that changes, and one read after them.",
  operations: ["addons.list", "addons.apply", "addons.remove"],
  title: "the add-ons",
  declared: (spec) => spec.addons,
  read: ({ addons }) => addons.get(),
  plan: (declared, observed) =>
    wantedOf(declared).flatMap(({ field, type, variant }) => {
      const selected = selectedOf(observed, type);
      return selected === variant ? [] : [differs(field, variant, selected)];
    }),
  write: async (at, { declared, observed, due }) => {
    const fields = new Set(due.map(({ field }) => field));
    for (const wanted of wantedOf(declared)) {
      if (fields.has(wanted.field)) await write(at, wanted, selectedOf(observed, wanted.type));
    }
    return undefined;
  },
};

export const addonsSection = observedSection(section);

/** Sizes without a variant: what a project or branch has that selects none. */
const SMALLEST: ReadonlySet<string> = new Set(["nano", "pico"]);

/** `ci_small` of small. */
function variantOf(size: string): string | undefined {
  return SMALLEST.has(size) ? undefined : `ci_${size}`;
}

/** Compute size (K-06). Last of all: it restarts the project. */
export const instanceSizeSection = observedSection<string, Addons>({
  name: "instanceSize",
  about:
    "The compute size. One read, in common with the add-ons, one write of the add-on, and one read after it; the project restarts.",
  operations: ["addons.list", "addons.apply", "addons.remove"],
  title: "the compute size",
  disruption: {
    isRepaired: ({ resizePolicy }) => resizePolicy === "Always",
    advice:
      "a resize restarts the database: write the size that there is, or resizePolicy: Always to have the declared one back",
  },
  declared: (spec) => spec.instanceSize,
  read: ({ addons }) => addons.get(),
  plan: (size, observed) => {
    const selected = selectedOf(observed, "compute_instance");
    const variant = variantOf(size);
    return selected === variant ? [] : [differs("spec.instanceSize", variant, selected)];
  },
  progress: (size, _observed, wrote) =>
    wrote
      ? { kind: "applying", reason: "Resizing", message: `the compute size is being changed to ${size}` }
      : { kind: "settled" },
  restarts: () => true,
  write: async (at, { declared, observed }) => {
    const variant = variantOf(declared);
    const wanted = variant !== undefined && isApplicable(variant) ? variant : undefined;
    const selected = selectedOf(observed, "compute_instance");
    await write(at, { field: "spec.instanceSize", type: "compute_instance", variant: wanted }, selected);
    return undefined;
  },
});
