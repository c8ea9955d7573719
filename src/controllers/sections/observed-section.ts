import { calling } from "../shared/failures.ts";
import { digestOf } from "./memory.ts";
import {
  type Disruption,
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

export interface ObservedSection<Declared, Observed> {
  readonly name: string;
  readonly about: string;
  readonly operations: readonly string[];
  /** as Section has it */
  readonly formerly?: Section["formerly"];
  /** as Section has it */
  readonly after?: Section["after"];
  /** as Section has it */
  readonly lacks?: string;
  /** as Section has it */
  readonly needs?: string;
  /** as Section has it */
  readonly hangsOn?: Section["hangsOn"];
  readonly disruption?: Disruption;
  /** words for messages, as `the add-ons` */
  readonly title: string;
  declared(spec: Sections): Declared | undefined;
  read(at: SectionAt, declared: Declared): Promise<Observed>;
  /** The declared fields that differ. Pure. @throws TerminalError for what cannot be had from there */
  plan(declared: Declared, observed: Observed): readonly SectionChange[];
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
  const { name, about, operations, formerly, after, lacks, needs, hangsOn, disruption, title } = options;
  const read = (at: SectionAt, declared: Declared): Promise<Observed> =>
    calling(`read ${title}`, () => options.read(at, declared));
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
      restarts: (due) => options.standing !== undefined && due.length > 0,
      write: async (due, how) => {
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
    ...(formerly === undefined ? {} : { formerly }),
    ...(after === undefined ? {} : { after }),
    ...(lacks === undefined ? {} : { lacks }),
    ...(needs === undefined ? {} : { needs }),
    ...(hangsOn === undefined ? {} : { hangsOn }),
    ...(disruption === undefined ? {} : { disruption }),
    declared: (spec) => options.declared(spec),
    references: () => NO_REFERENCES,
    look: async (at, spec) => {
      const declared = options.declared(spec);
      if (declared === undefined) throw new TypeError(`${name} is not declared`);
      return lookAt(at, declared, await read(at, declared), false);
    },
  };
}

/** A declared field that differs. */
export function differs(field: string, wanted: unknown, observed: unknown): SectionChange {
  return { field, cause: "declared", difference: JSON.stringify([observed ?? null, wanted]) };
}
