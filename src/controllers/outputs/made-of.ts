import { z } from "zod";
import type { ObjectMeta } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { awaited, following, known, type Finding } from "./looked.ts";
import type { OutputSource } from "./read.ts";
import { type OutputFacts, primaries, valueOf } from "./values.ts";

/**
 * What the entries of an output were made of, as marks that tell nobody what it is. A text that cannot be told now is void where one of its facts is
 * another; that texts beside it are others tells nothing of that, since their templates are edited, and they themselves by hand.
 */

/** Facts that are known, by what they are of: they may be secret. */
export type FactTexts = ReadonlyMap<OutputSource, string>;

/** Marks of facts, by what they are of. */
export type FactMarks = ReadonlyMap<OutputSource, string>;

/** Annotation of an output: the marks of what it was made of when that was known last, as JSON. */
export const MADE_OF = "baas.dev/output-made-of";

interface MarkingRun {
  readonly environment: Pick<Environment, "keyRing">;
  readonly signal: AbortSignal;
}

const FACTS: Readonly<Record<OutputSource, (facts: OutputFacts) => Finding<string>>> = {
  host: ({ host }) => host,
  "anon-key": (facts) => valueOf("anon-key", facts),
  "publishable-key": (facts) => valueOf("publishable-key", facts),
  "service-key": (facts) => valueOf("service-key", facts),
  login: ({ login }) => following(login, ({ port, username }) => known(JSON.stringify([port, username]))),
  password: (facts) => valueOf("password", facts),
  poolers: ({ poolers }) =>
    following(poolers, (list) => {
      const rows = primaries(list).map((row) => [row.db_host, row.db_port, row.db_user, row.db_name, row.pool_mode]);
      if (rows.length === 0) return awaited("the platform has no pooler yet");
      return known(JSON.stringify(rows.map((row) => JSON.stringify(row)).toSorted()));
    }),
};

const sourceSchema = z.enum(["host", "anon-key", "publishable-key", "service-key", "login", "password", "poolers"]);
const madeOfSchema = z.partialRecord(sourceSchema, z.string());

/** Those of the facts that are known. */
export function textsOf(facts: OutputFacts, sources: ReadonlySet<OutputSource>): FactTexts {
  return new Map(
    [...sources].flatMap((source) => {
      const looked = FACTS[source](facts);
      return looked.kind === "known" ? [[source, looked.value] as const] : [];
    }),
  );
}

export interface MarkedFacts {
  readonly marks: FactMarks;
  /** what is another than it was; of what has no mark, or one by a key that is gone, nothing is known */
  readonly changed: ReadonlySet<OutputSource>;
}

/** Marks what is known. @param before what an output says that it was made of. @throws KubeError where the key ring cannot be read */
export async function markFacts(
  { environment: { keyRing }, signal }: MarkingRun,
  texts: FactTexts,
  before: FactMarks,
): Promise<MarkedFacts> {
  const marks = new Map<OutputSource, string>();
  const changed = new Set<OutputSource>();
  for (const [source, text] of texts) {
    const { told, mark } = await keyRing.mark(`${source} ${text}`, before.get(source), signal);
    marks.set(source, mark);
    if (told === "changed") changed.add(source);
  }
  return { marks, changed };
}

/** What an output says that it was made of; nothing where that cannot be read, as where an older version wrote it. */
export function readMadeOf({ annotations }: Pick<ObjectMeta, "annotations">): FactMarks {
  const text = annotations?.[MADE_OF];
  if (text === undefined) return new Map();
  const { data = {} } = madeOfSchema.safeParse(parsed(text));
  return new Map(
    sourceSchema.options.flatMap((source) => {
      const mark = data[source];
      return mark === undefined ? [] : [[source, mark] as const];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface MadeOf {
  readonly facts: FactMarks;
  /** what entries are made of */
  readonly sources: ReadonlySet<OutputSource>;
}

/** The annotation to write: what cannot be told now is as it was when it was known last. */
export function madeOfText(before: FactMarks, { facts, sources }: MadeOf): string {
  const marks = sourceSchema.options.flatMap((source) => {
    const mark = facts.get(source) ?? before.get(source);
    return mark === undefined || !sources.has(source) ? [] : [[source, mark] as const];
  });
  return JSON.stringify(Object.fromEntries(marks));
}
