import type { ProjectDetail } from "../../api/contract/projects.ts";
import { isApiError } from "../../api/errors.ts";
import { isUnwell, isUp } from "../shared/project-states.ts";
import { digestOf } from "./memory.ts";
import type { Section, SectionAt, SectionChange, SectionLook } from "./section.ts";

/** What a refusal hangs on beside what is declared: the plan, the add-ons, the version of the database. */

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
  /** the platform calls what it lies in unwell: no outage is added to that which nobody asked for */
  readonly isUnwell: boolean;
}

/** Those of a project. @param remote the project as it was read last */
export function projectSurroundings(
  { client, call }: Pick<SectionAt, "client" | "call">,
  { ref, organization_slug: slug, database, status }: ProjectDetail,
): Surroundings {
  return {
    organization: () => Promise.resolve(slug),
    isAtRest: async () => {
      const project = await unlessRefused(() => client.projects.get({ ref }, call));
      return project === undefined || isUp(project.status);
    },
    engine: database?.version,
    isUnwell: isUnwell(status),
  };
}

/** Plan of the organization, of one read however often it is asked for; undefined where nothing tells it. */
export function readPlanOnce(
  { client, call }: Pick<SectionAt, "client" | "call">,
  surroundings: Pick<Surroundings, "organization">,
): SectionAt["plan"] {
  const read: SectionAt["plan"] = async () => {
    const slug = await surroundings.organization();
    if (slug === undefined) return undefined;
    return unlessRefused(async () => (await client.organizations.get({ slug }, call)).plan);
  };
  let reading: ReturnType<SectionAt["plan"]> | undefined;
  return () => (reading ??= read());
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
    const { addons: selectedAddons } = this.#at;
    const plan = await this.#at.plan();
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
