import type { ApiClient } from "../../api/client.ts";
import type { CallOptions } from "../../api/client-options.ts";
import type { Reason } from "../../resources/conditions.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { SettingsSpec } from "../../resources/settings/settings.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import type { SectionEntry, SectionFacts as SectionFactsStatus } from "../../resources/settings/status.ts";
import type { Environment } from "../environment.ts";
import type { AnswersOfRun } from "../shared/answers.ts";
import type { PlannedChange } from "../shared/drift.ts";
import type { Marked } from "../shared/key-ring.ts";
import type { Session } from "../shared/sessions.ts";
import type { SelectedAddons } from "./selected-addons.ts";
import type { SectionReferences } from "./section-references.ts";

/**
 * src/controllers/sections: what a project or branch is configured to be. A section is one part of the spec with an endpoint of its own; it is declared
 * once (sections.ts lists them all), says how it is read, compared and written, and gets drift, status, events and metrics from run-sections.ts. What
 * a project is (its life, its name, its password) lives in project/, never here.
 *
 * This file: what a section is.
 */

/** The part of a spec that sections are declared in. */
export type Sections = DeepReadonly<SettingsSpec>;

/** What a section is looked at and written with. */
export interface SectionAt {
  readonly environment: Environment;
  readonly session: Session;
  readonly client: ApiClient;
  /** of the object: what it has beside its sections, and so what can be done about them, differs */
  readonly kind: string;
  /** ref of the project or branch */
  readonly ref: string;
  /** metadata.uid of the object */
  readonly uid: string;
  /** of the object: where the Secrets and ConfigMaps that it names are */
  readonly namespace: string;
  /** asked for at each call: a write, and what follows from it, need not go as the look went */
  readonly call: CallOptions;
  readonly signal: AbortSignal;
  readonly addons: SelectedAddons;
  /** what the run has read already */
  readonly answers: AnswersOfRun;
  /** Plan of the organization, read once a run and only where it is asked for; undefined where nothing tells it. @throws as calls of the client do */
  readonly plan: () => Promise<string | null | undefined>;
  /** `managementPolicy: Observe`: nothing is asked of the platform but reads */
  readonly isObserved: boolean;
}

/** A declared field that differs. `field` is its path in the spec. */
export type SectionChange = PlannedChange;

/** What of the declared section is not in force yet, though nothing more is to be written. */
export type SectionProgress =
  | { readonly kind: "settled" }
  /** the platform is at it: bounded by provisioningTimeout */
  | { readonly kind: "applying"; readonly reason: Reason; readonly message: string }
  /** somebody else has to do something first, in their own time; `pollMs`: how soon that is looked at, at first (waits.ts) */
  | { readonly kind: "waiting"; readonly reason: Reason; readonly message: string; readonly pollMs: number };

/** What was last sent of the secret fields, for the status. */
export type SentFields = NonNullable<SectionEntry["secrets"]>;

/** The ConfigMaps that a look was made of, for the status. */
export type Documents = NonNullable<SectionEntry["documents"]>;

/** What was written without the restart of the database that it needs, for the status. */
export type AwaitsRestart = NonNullable<SectionEntry["awaitsRestart"]>;

/** What a status shows of sections beside their entries. */
export type SectionFacts = DeepReadonly<SectionFactsStatus>;

/** A section whose change restarts the database. */
export interface Restarting {
  readonly section: string;
  /** `standing` of it before that change */
  readonly had: string;
}

/** How a write is made. */
export interface SectionWrite {
  /** later sections of this run, each of which restarts the database: what needs a restart waits for the first that does; empty: none does */
  readonly restartBy: readonly Restarting[];
  /**
   * Sends one request that changes something: each goes by this, so that it is known of which something may have arrived. What is known no more once it is
   * sent is given up in the status right before, and taken back where the request certainly came to nothing.
   *
   * @param recorded what awaits a restart, or serves no more, once it is taken: nothing that can be read tells it after a crash
   * @throws KubeError Conflict: nothing was sent; read again; else as `request`
   */
  readonly send: <T>(request: (call: CallOptions) => Promise<T>, recorded?: RecordedBefore) => Promise<T>;
  /**
   * Notes what served and was deleted by this write, in words, and what the status shows beside the entry from then on: told until what is declared is in
   * force, whatever becomes of the rest of the write. Undefined words: it serves still.
   */
  readonly gone: (words: string | undefined, facts: SectionFacts) => void;
}

/** What is known of a section once a request is sent, and is told by no read. */
export interface RecordedBefore {
  /** undefined, where it is named: nothing awaits one */
  readonly awaitsRestart?: AwaitsRestart | undefined;
  /** what served, in words */
  readonly gone?: string;
}

/** Changes that cannot be made, with what to do. */
export interface Barred {
  /** paths in the spec */
  readonly fields: readonly string[];
  readonly error: TerminalError;
}

/** Which values of Secrets and ConfigMaps are marked. */
export interface Marking {
  /** the mark that was kept of them, if any */
  readonly before: string | undefined;
  /** those of these fields, by path in the spec; undefined: all of the section's */
  readonly fields: readonly string[] | undefined;
}

/** A section as one look found it. Immutable: a write gives the next one. */
export interface SectionLook {
  readonly changes: readonly SectionChange[];
  readonly progress: SectionProgress;
  /** paths in the spec of what is not in force yet, where that is told of fields; default: the section */
  readonly awaited?: readonly string[];
  /** absent where nothing secret is declared */
  readonly secrets?: SentFields;
  /** absent where no ConfigMap is named */
  readonly documents?: Documents;
  /** Marks the values that it was made of; absent where it is made of none. */
  madeOf?(marking: Marking): Promise<Marked | undefined>;
  /** what the status shows of the section beside its entry */
  readonly facts?: SectionFacts;
  /** what would be told to be gone, were it deleted: it serves, so that it is not */
  readonly serving?: string;
  /** why something that the status is to show beside its entry is not known: told of a section that is in sync */
  readonly unknown?: string;
  /** what the platform has no more, where what is declared is so all the same: told of a section that is in sync, and once by an event */
  readonly notice?: string;
  /** what was written and is in force only after a restart: one that others bring (`leftTo`), or that nobody asked for */
  readonly awaitsRestart?: AwaitsRestart;
  /** The same, once the database was restarted; only where something awaits that. */
  readonly restarted?: () => SectionLook;
  /** false where all is the platform's own, and what overrides nothing may be believed at once; absent else */
  readonly overridden?: false;
  /** digest of what was sent last of fields that cannot be read back */
  readonly sent?: string;
  /** the plans, with commas between, or the add-on that all of it hangs on; absent where it hangs on none, or on several */
  readonly hangsOn?: string;
  /** The same of a field, where others of the section do not hang on it; default: none hangs on any. */
  gate?(field: string): string | undefined;
  /** The declared fields that words of the platform name, with what stands or falls with them; default, and where nothing is left without them: none. */
  named?(words: string): readonly string[];
  /** Which of the changes no request of the section's makes as things are, and why: they are refused once the others are made; absent: none is. */
  barred?(due: readonly SectionChange[]): Barred | undefined;
  /** making its changes interrupts and loses nothing, though the section may (Section.disruption); absent: it does as that says */
  readonly disrupts?: false;
  /** Whether making those changes restarts the database. */
  restarts(due: readonly SectionChange[]): boolean;
  /** digest of what the platform has of what restarts the database when it changes: another one says that it did; absent where nothing does */
  readonly standing?: string;
  /**
   * Makes the changes, all of them `changes` of this look, and says what there is then.
   *
   * @throws as `calling` does
   */
  write(due: readonly SectionChange[], how: SectionWrite): Promise<SectionLook>;
}

/**
 * Of a section whose change interrupts what is served, or loses what nothing brings back: what somebody changed by hand is told and left, also where drift is
 * corrected, and so is what differs when an object that asks for reports first sees it.
 */
export interface Disruption {
  /** it loses what nothing brings back: what differs is an edit only of what the status says was declared before */
  readonly isForGood?: true;
  /** Whether a hand-made change is repaired all the same. */
  isRepaired(spec: Sections): boolean;
  /** what to do about one that is left, for people */
  advice(spec: Sections): string;
}

/**
 * A section that is carried out before another one is looked at: as long as it is on its way. One that failed, or is left as it is, holds up nobody, for the
 * other may be had all the same, or is refused with the platform's words.
 */
export interface Prior {
  readonly section: string;
  /** Whether it is needed first, as the two are declared. */
  applies(spec: Sections): boolean;
  /** the same for the reference, as `where it is switched on` */
  readonly where: string;
}

/** The section of older versions of this program that a section was part of, or was under another name. */
export interface Former {
  readonly name: string;
  /** What was declared of it, for the digest that those versions recorded; undefined where part of that cannot be read. */
  declared(spec: Sections): unknown;
}

/** One part of the spec with an endpoint of its own. */
export interface Section {
  /** its path in the spec, as `database.pooler` */
  readonly name: string;
  /** a name that is given up stands here: what was in force under it is in force still */
  readonly formerly?: Former;
  /** one sentence for the reference: what it is and what a write of it does */
  readonly about: string;
  /** operations that it calls, by id: for the reference */
  readonly operations: readonly string[];
  /** sections that come first */
  readonly after?: readonly Prior[];
  /** fields that cannot be read back, by path in the spec: written once per change, and never found drifted */
  readonly writeOnly?: readonly string[];
  /** plans and add-ons that the platform asks for, in words: for refusals, whose own words do not always name them, and for the reference */
  readonly needs?: string;
  /** The same as what a circumstance names: plans, types of add-ons or variants, of each of which one has to be there, with commas between. */
  readonly hangsOn?: readonly string[];
  /** for the reference: what the platform's API cannot do about it, and what that means for who declares it */
  readonly lacks?: string;
  /** A change of it interrupts what is served, or loses something, unless its look says otherwise; default: none does. */
  readonly disruption?: Disruption;
  /** The declared part, for the digest by which an edit is told; undefined: not declared. */
  declared(spec: Sections): unknown;
  references(spec: Sections): SectionReferences;
  /**
   * Marks the values of the Secrets and ConfigMaps that it is made of now, as a look does; absent where nothing that is sent is made of any.
   *
   * @throws as `look` does where one is not there
   */
  madeOf?(at: SectionAt, spec: Sections, marking: Marking): Promise<Marked | undefined>;
  /**
   * Reads the section and compares it with what is declared.
   *
   * @param entry what the status says of it
   * @throws as `calling` does; WantingError of WaitingError ReferenceNotFound where a Secret or ConfigMap is not there
   */
  look(at: SectionAt, spec: Sections, entry: SectionEntry | undefined): Promise<SectionLook>;
}

export const SETTLED: SectionProgress = { kind: "settled" };
