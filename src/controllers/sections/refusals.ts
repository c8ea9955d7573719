import type { ProjectDetail } from "../../api/contract/projects.ts";
import { isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { followedBy } from "../shared/followed-by.ts";
import { reasonOf } from "../shared/ready.ts";
import { digestOf } from "./memory.ts";
import type { Section, SectionAt, SectionChange, SectionLook } from "./section.ts";

/** Refusals that hold until something changes: what the plan or an add-on does not allow is not asked for again and again. */

/** Whether the platform refused a write for what it asks for, and not for who asks. What we refuse ourselves costs nothing to refuse again. */
export function isRefusal(error: unknown): error is TerminalError {
  const isFinal = error instanceof TerminalError && (error.reason === "Rejected" || error.reason === "PlanLimit");
  return isFinal && causeChain(error).some((link) => isApiError(link));
}

/** Whether the platform says itself that the plan is in the way. */
export function isPlanRefusal(error: unknown): boolean {
  return causeChain(error).some((link) => isApiError(link, "PLAN_REQUIRED"));
}

/** What is known to stand behind what was asked for: what is refused of it may hang on that (facts.md §6.13). */
export function gatesOf(
  { hangsOn = [] }: Section,
  look: SectionLook | undefined,
  due: readonly SectionChange[],
): readonly string[] {
  if (look?.gate === undefined) return look?.hangsOn === undefined ? hangsOn : [look.hangsOn];
  return due.flatMap(({ field }) => look.gate?.(field) ?? []);
}

/** Whether one of them is not there: what is refused for another reason may pass. What cannot be read is taken for missing. */
export function isMissing(gates: readonly string[], { names }: Circumstance): boolean {
  return gates.some((gate) => names === undefined || !gate.split(",").some((name) => names.has(name)));
}

/** What a refusal may hang on that lies outside of the sections. Asked only once something was refused. */
export interface Surroundings {
  /** Slug of the organization, whose plan decides; undefined where nothing tells it. @throws as calls of the client do */
  organization(): Promise<string | undefined>;
  /**
   * Whether it rests: on its way from one state to another it refuses what it takes afterwards. What cannot be read says nothing.
   *
   * @throws as calls of the client do
   */
  isAtRest(): Promise<boolean>;
  /** version of the database's engine; undefined where nothing tells it */
  readonly engine: string | undefined;
}

/** Those of a project. @param remote the project as it was read last */
export function projectSurroundings(
  { client, call }: Pick<SectionAt, "client" | "call">,
  { ref, organization_slug: slug, database }: ProjectDetail,
): Surroundings {
  return {
    organization: () => Promise.resolve(slug),
    isAtRest: async () => {
      const project = await unlessRefused(() => client.projects.get({ ref }, call));
      return project === undefined || project.status === "ACTIVE_HEALTHY";
    },
    engine: database?.version,
  };
}

/** What a refusal was made under. */
export interface Circumstance {
  /** differs where the plan, the selected add-ons or the version of the database do */
  readonly text: string;
  /** of the plan, and of the selected add-ons by type and by variant; undefined: plan or add-ons could not be read */
  readonly names: ReadonlySet<string> | undefined;
}

/** What a refusal may depend on beside the section. Read once per run, and only where a section is or was refused. */
export class Circumstances {
  readonly #at: SectionAt;
  readonly #surroundings: Surroundings;
  #read: Promise<Circumstance> | undefined;

  constructor(at: SectionAt, surroundings: Surroundings) {
    this.#at = at;
    this.#surroundings = surroundings;
  }

  /** @throws as calls of the client do */
  get(): Promise<Circumstance> {
    this.#read ??= this.#look();
    return this.#read;
  }

  /** Something was written, add-ons perhaps. */
  forget(): void {
    this.#at.addons.forget();
    this.#read = undefined;
  }

  async #look(): Promise<Circumstance> {
    const { client, call, addons: selectedAddons } = this.#at;
    const slug = await this.#surroundings.organization();
    const plan =
      slug === undefined
        ? undefined
        : await unlessRefused(async () => (await client.organizations.get({ slug }, call)).plan);
    const addons = await unlessRefused(async () => {
      const { selected_addons: selected } = await selectedAddons.get();
      return selected.map(({ type, variant }) => ({ type, id: variant.id }));
    });
    const variants = addons?.map(({ id }) => id).toSorted();
    const names =
      plan === undefined || addons === undefined
        ? undefined
        : new Set([plan, ...addons.flatMap(({ type, id }) => [type, id])].filter((name) => name !== null));
    const { engine = "unknown" } = this.#surroundings;
    return { text: `${plan ?? "unknown"} ${digestOf(variants ?? "unknown")} ${engine}`, names };
  }
}

/** What cannot be read is unknown: then what was refused is asked for again from time to time. */
export async function unlessRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isApiError(error, "FORBIDDEN") || isApiError(error, "GONE")) return undefined;
    throw error;
  }
}

interface Gated {
  /** paths in the spec */
  readonly fields: readonly string[];
  /** on which the platform takes them, where the contract says so */
  readonly plans: readonly string[] | undefined;
}

/** A refusal for the organization's plan, with the plans that would do and the fields that need them. */
export function withPlans(error: unknown, { fields, plans }: Gated): unknown {
  if (!(error instanceof TerminalError) || !isPlanRefusal(error) || plans === undefined) return error;
  const { reason, recheckAfterMs, message } = error;
  const options = { cause: error, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
  const needed = isSaid(message, plans) ? "needed by" : `it needs a plan of ${plans.join(", ")} for`;
  return terminal(reasonOf(reason), followedBy(message, `${needed} ${fields.join(", ")}`), options);
}

interface Needing {
  /** path in the spec */
  readonly field: string;
  readonly needs: string | undefined;
}

/** A refusal of the platform's, with what it asks for besides: also where it refuses as it refuses a bad value (facts.md §6.13). */
export function withNeeds(error: unknown, needing: Needing): unknown {
  return isRefusal(error) ? refusalWithNeeds(error, needing) : error;
}

/** The same of what is known to be one. */
export function refusalWithNeeds(error: TerminalError, { field, needs }: Needing): TerminalError {
  if (needs === undefined) return error;
  const { reason, recheckAfterMs, message } = error;
  const options = { cause: error, ...(recheckAfterMs === undefined ? {} : { recheckAfterMs }) };
  return terminal(reasonOf(reason), followedBy(message, `${field} needs ${needs}`), options);
}

/** Whether the platform's words name the plans already. */
function isSaid(message: string, plans: readonly string[]): boolean {
  const words = new Set(message.toLowerCase().match(/[a-z]+/gu));
  return plans.every((plan) => words.has(plan));
}

/**
 * Whether the section was refused as it is declared now.
 *
 * @param declared digest of it and of the versions of what it is made of: a corrected Secret or ConfigMap is a reason to ask again
 */
export function wasRefused(entry: SectionEntry | undefined, declared: string): boolean {
  return entry?.refused?.declared === declared;
}
