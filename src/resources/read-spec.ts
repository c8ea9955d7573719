import { z } from "zod";

/** Reads a spec: what is wrong of one section is that section's alone, and the others are read. */

/** One thing that is wrong with an object. */
export interface Issue {
  /** Dotted path from the object, as `spec.region.code`. */
  readonly path: string;
  readonly message: string;
}

/** What is wrong of sections, by the name of each: they are left out of the spec that was read. */
export type RefusedSections = ReadonlyMap<string, readonly Issue[]>;

/** The section that a path in the spec belongs to; undefined: none. */
export type SectionAt = (path: readonly string[]) => string | undefined;

type Read<Spec> =
  | { readonly ok: true; readonly spec: Spec; readonly refused: RefusedSections }
  | { readonly ok: false; readonly issues: readonly Issue[] };

export function readSpec<Schema extends z.ZodObject>(
  schema: Schema,
  given: unknown,
  sectionAt: SectionAt,
): Read<z.output<Schema>> {
  const refused = new Map<string, readonly Issue[]>();
  let rest = given;
  // Each turn leaves one section out at least. Rules over several members are told once each member is right.
  for (;;) {
    const read = z.safeParse(schema, rest);
    if (read.success) return { ok: true, spec: read.data, refused };
    const found = read.error.issues.map(({ path, message }) => {
      const names = path.map(String);
      return { issue: { path: ["spec", ...names].join("."), message }, section: sectionAt(names) };
    });
    const sections = new Set(found.map(({ section }) => section));
    const left = withoutSections(rest, sections, sectionAt);
    if (sections.has(undefined) || left === rest) {
      return { ok: false, issues: [...[...refused.values()].flat(), ...found.map(({ issue }) => issue)] };
    }
    for (const { issue, section = "" } of found) refused.set(section, [...(refused.get(section) ?? []), issue]);
    rest = left;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** The same without what belongs to the sections; the very same where nothing does. */
function withoutSections(
  given: unknown,
  sections: ReadonlySet<string | undefined>,
  sectionAt: SectionAt,
  at: readonly string[] = [],
): unknown {
  if (!isRecord(given)) return given;
  const isLeftOut = (path: readonly string[]): boolean => {
    const section = sectionAt(path);
    return section !== undefined && sections.has(section);
  };
  const members = Object.entries(given).filter(([name]) => !isLeftOut([...at, name]));
  const below = members.map(([name, value]): readonly [string, unknown] => [
    name,
    at.length === 0 ? withoutSections(value, sections, sectionAt, [name]) : value,
  ]);
  const isSame = members.length === Object.keys(given).length && below.every(([name, value]) => value === given[name]);
  return isSame ? given : Object.fromEntries(below);
}

/** Members that say whether what is there remotely is deleted, and how it is reached. What it was made of says nothing of that. */
const DECISIVE: ReadonlySet<string> = new Set([
  "organization",
  "ref",
  "projectRef",
  "branchRef",
  "connectionRef",
  "managementPolicy",
  "deletionPolicy",
  "deletionTimeout",
  "transferPolicy",
  "databasePassword",
  "persistent",
  "softDelete",
]);

/**
 * The spec of an object under deletion that cannot be read whole: what is decisive of it alone. Undefined where a decisive member is wrong, or one that is
 * needed is not there; and where no policy is given and that would be to delete: nothing is deleted for a guess.
 *
 * @param standIns for members that a spec must have, and that say nothing of its end
 */
export function readDecisive<Schema extends z.ZodObject>(
  schema: Schema,
  given: unknown,
  standIns: Readonly<Record<string, unknown>>,
): z.output<Schema> | undefined {
  if (!isRecord(given)) return undefined;
  const decisive = Object.entries(given).filter(([name]) => DECISIVE.has(name));
  const read = z.safeParse(schema, { ...standIns, ...Object.fromEntries(decisive) });
  if (!read.success) return undefined;
  const isSaid = given["deletionPolicy"] !== undefined || Reflect.get(read.data, "deletionPolicy") === "Retain";
  return isSaid ? read.data : undefined;
}
