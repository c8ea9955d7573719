import type { SectionEntry } from "../../resources/settings/status.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { calling } from "../shared/failures.ts";
import { digestOf } from "./memory.ts";
import {
  type Barred,
  type Section,
  type SectionAt,
  type SectionChange,
  type SectionFacts,
  type SectionLook,
  type SectionProgress,
  type Sections,
  type SectionWrite,
  SETTLED,
} from "./section.ts";
import { NO_REFERENCES } from "./section-references.ts";

/** Sections with a way of their own to be written: what is read, what differs, and which calls follow from that. */

/** What is written. */
export interface Writing<Declared, Observed> extends SectionWrite {
  readonly declared: Declared;
  readonly observed: Observed;
  readonly due: readonly SectionChange[];
}

/** What such a section is; what a Section has of the same name means the same. */
export interface ObservedSection<Declared, Observed> extends Given {
  readonly name: string;
  readonly about: string;
  readonly operations: readonly string[];
  /** words for messages, as `the add-ons` */
  readonly title: string;
  declared(spec: Sections): Declared | undefined;
  /** @param entry what the status says of it, where nothing was written since */
  read(at: SectionAt, declared: Declared, entry: SectionEntry | undefined): Promise<Observed>;
  /** The declared fields that differ. Pure. */
  plan(declared: Declared, observed: Observed): readonly SectionChange[];
  /**
   * Why what differs cannot be had from there, with what to do; default: it can. Said in the place of a write: where nothing is written it differs and no more,
   * and a policy leaves it as it leaves anything else. Pure.
   */
  blocked?(declared: Declared, observed: Observed, at: SectionAt): TerminalError | undefined;
  /** As SectionLook has it. Pure. */
  barred?(observed: Observed, due: readonly SectionChange[]): Barred | undefined;
  /** Whether making what differs takes something away that is not to be had back, so that `disruption` holds; default: it always does. Pure. */
  disrupts?(declared: Declared, observed: Observed): boolean;
  /** What is not in force yet; default: all is. Pure. @param wrote whether this run wrote it */
  progress?(declared: Declared, observed: Observed, wrote: boolean): SectionProgress;
  /** What of it restarts the database when it changes, and whatever changes is that; default: nothing does. Pure. */
  standing?(observed: Observed): unknown;
  /** What the status shows of it beside its entry. Pure. */
  facts?(observed: Observed): SectionFacts;
  /** What is told once that is deleted, of what serves; default: nothing is. Pure. */
  serving?(observed: Observed): string | undefined;
  /** Why something of that is not known; default: all is. Pure. */
  unknown?(observed: Observed): string | undefined;
  /** What the platform has no more, where what is declared is so all the same; default: nothing. Pure. */
  notice?(observed: Observed): string | undefined;
  /** @returns what there is then, where the answers tell it: else it is read */
  write(at: SectionAt, writing: Writing<Declared, Observed>): Promise<Observed | undefined>;
}

export function observedSection<Declared, Observed>(options: ObservedSection<Declared, Observed>): Section {
  const { name, about, operations, title } = options;
  const read = (at: SectionAt, declared: Declared, entry?: SectionEntry): Promise<Observed> =>
    calling(`read ${title}`, () => options.read(at, declared, entry));
  const lookAt = (at: SectionAt, declared: Declared, observed: Observed, wrote: boolean): SectionLook => {
    const facts = options.facts?.(observed);
    const unknown = options.unknown?.(observed);
    const serving = options.serving?.(observed);
    const notice = options.notice?.(observed);
    return {
      changes: options.plan(declared, observed),
      progress: options.progress?.(declared, observed, wrote) ?? SETTLED,
      ...(facts === undefined ? {} : { facts }),
      ...(unknown === undefined ? {} : { unknown }),
      ...(serving === undefined ? {} : { serving }),
      ...(notice === undefined ? {} : { notice }),
      ...(options.standing === undefined ? {} : { standing: digestOf(options.standing(observed) ?? null) }),
      restarts: (due) =>
        options.standing !== undefined && due.length > 0 && options.blocked?.(declared, observed, at) === undefined,
      ...(options.disrupts?.(declared, observed) === false ? { disrupts: false } : {}),
      barred: (due) => options.barred?.(observed, due),
      write: async (due, how) => {
        const blocked = options.blocked?.(declared, observed, at);
        if (blocked !== undefined) throw blocked;
        const writing = { declared, observed, due, ...how };
        const told = await calling(`change ${title}`, () => options.write(at, writing));
        return lookAt(at, declared, told ?? (await read(at, declared)), true);
      },
    };
  };
  return {
    name,
    about,
    operations,
    ...givenOf(options),
    declared: (spec) => options.declared(spec),
    references: () => NO_REFERENCES,
    look: async (at, spec, entry) => {
      const declared = options.declared(spec);
      if (declared === undefined) throw new TypeError(`${name} is not declared`);
      return lookAt(at, declared, await read(at, declared, entry), false);
    },
  };
}

type Given = Pick<Section, "formerly" | "after" | "lacks" | "needs" | "hangsOn" | "disruption">;

/** What a section says of itself as it is, where it does. */
function givenOf({ formerly, after, lacks, needs, hangsOn, disruption }: Given): Given {
  return {
    ...(formerly === undefined ? {} : { formerly }),
    ...(after === undefined ? {} : { after }),
    ...(lacks === undefined ? {} : { lacks }),
    ...(needs === undefined ? {} : { needs }),
    ...(hangsOn === undefined ? {} : { hangsOn }),
    ...(disruption === undefined ? {} : { disruption }),
  };
}

/** A declared field that differs. */
export function differs(field: string, wanted: unknown, observed: unknown): SectionChange {
  return { field, cause: "declared", difference: JSON.stringify([observed ?? null, wanted]) };
}
