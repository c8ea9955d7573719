import type { WantedDisk } from "../../api/contract/disk.ts";
import { isApiError } from "../../api/errors.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { calling, terminal, waiting } from "../shared/failures.ts";
import { type Fact, factOf, valueOf, whyUnknown } from "./fact.ts";
import { differs, observedSection } from "./observed-section.ts";
import type { Barred, SectionAt, SectionChange, SectionFacts, Sections } from "./section.ts";

type Declared = NonNullable<Sections["disk"]>;

const TYPE = "spec.disk.type";
const THROUGHPUT = "spec.disk.throughputMibps";

interface Attributes {
  readonly type: string;
  readonly iops: number;
  readonly size_gb: number;
  readonly throughput_mibps?: number | undefined;
}

interface Autoscale {
  readonly growth_percent: number | null;
  readonly min_increment_gb: number | null;
  readonly max_size_gb: number | null;
}

interface Found {
  readonly attributes: Attributes;
  /** milliseconds since the epoch; undefined where the platform does not tell */
  readonly modifiedAtMs: number | undefined;
  readonly autoscale: Fact<Autoscale>;
}

async function readDisk({ client, ref, call }: SectionAt): Promise<Omit<Found, "autoscale">> {
  const { attributes, last_modified_at: modifiedAt } = await client.disk.get({ ref }, call);
  return { attributes, modifiedAtMs: modifiedAt === undefined ? undefined : Date.parse(modifiedAt) };
}

async function read(at: SectionAt): Promise<Found> {
  const { client, ref, call } = at;
  const [disk, autoscale] = await Promise.all([
    readDisk(at),
    factOf("read how the disk grows by itself", () => client.disk.autoscale({ ref }, call)),
  ]);
  return { ...disk, autoscale };
}

function plan({ type, sizeGb, iops, throughputMibps }: Declared, { attributes }: Found): readonly SectionChange[] {
  const changes: SectionChange[] = [];
  if (type !== undefined && attributes.type !== type.toLowerCase()) {
    changes.push(differs(TYPE, type.toLowerCase(), attributes.type));
  }
  // A disk that grew by itself is no drift, and no disk shrinks.
  if (sizeGb !== undefined && attributes.size_gb < sizeGb) {
    changes.push(differs("spec.disk.sizeGb", sizeGb, attributes.size_gb));
  }
  if (iops !== undefined && attributes.iops !== iops) changes.push(differs("spec.disk.iops", iops, attributes.iops));
  if (throughputMibps !== undefined && attributes.throughput_mibps !== throughputMibps) {
    changes.push(differs(THROUGHPUT, throughputMibps, attributes.throughput_mibps));
  }
  return changes;
}

function noThroughput(): TerminalError {
  const message = `${THROUGHPUT}: the disk is of type io2, which has no throughput of its own`;
  return terminal("InvalidSpec", `${message}: write type: GP3 too, or remove throughputMibps`);
}

/** What a disk of its type does not have is no reason to let it fill up: its size and its operations are written without it. */
function barred({ attributes }: Found, due: readonly SectionChange[]): Barred | undefined {
  const fields = new Set(due.map(({ field }) => field));
  const isBarred = fields.has(THROUGHPUT) && attributes.type === "io2" && !fields.has(TYPE);
  return isBarred ? { fields: [THROUGHPUT], error: noThroughput() } : undefined;
}

/**
 * The request names the whole disk: what is not due stays as it is, and no disk is asked to shrink.
 *
 * @param attributes as they are right before
 * @throws TerminalError InvalidSpec where a disk of its type, which it became since the look, does not have what is due
 */
function wantedDisk(declared: Declared, attributes: Attributes, fields: ReadonlySet<string>): WantedDisk {
  const due = <T>(name: string, value: T | undefined, seen: T): T =>
    value !== undefined && fields.has(`spec.disk.${name}`) ? value : seen;
  const type = due("type", declared.type?.toLowerCase(), attributes.type);
  const common = {
    iops: due("iops", declared.iops, attributes.iops),
    size_gb: Math.max(attributes.size_gb, due("sizeGb", declared.sizeGb, attributes.size_gb)),
  };
  if (type === "io2") {
    // A request that left the throughput out would change nothing, and may have the disk rest for hours.
    if (fields.has(THROUGHPUT)) throw noThroughput();
    return { type: "io2", ...common };
  }
  const throughput = due("throughputMibps", declared.throughputMibps, attributes.throughput_mibps);
  return { type: "gp3", ...common, ...(throughput === undefined ? {} : { throughput_mibps: throughput }) };
}

/** "a cool-down of about 6 hours" (facts.md §2, disk POST) */
const REST_MS = 6 * 3_600_000;
/** How soon a disk is tried again at the earliest, milliseconds: the cool-down is about that long, and nothing tells its end. */
const SOONEST_MS = 600_000;

/** A refusal of a disk that was changed within its cool-down passes by itself. */
function resting(error: unknown, { modifiedAtMs }: Pick<Found, "modifiedAtMs">, nowMs: number): Error | undefined {
  if (modifiedAtMs === undefined || !isApiError(error, "BAD_REQUEST")) return undefined;
  const leftMs = modifiedAtMs + REST_MS - nowMs;
  if (leftMs <= 0) return undefined;
  return waiting("Updating", `the disk rests after a change: ${error.message}`, Math.max(SOONEST_MS, leftMs));
}

const orNone = (value: number | null): number | undefined => value ?? undefined;

function factsOf({ autoscale }: Found): SectionFacts {
  const found = valueOf(autoscale);
  if (found === undefined) return { diskAutoscale: undefined };
  const { growth_percent: growth, min_increment_gb: least, max_size_gb: most } = found;
  return { diskAutoscale: { growthPercent: orNone(growth), minIncrementGb: orNone(least), maxSizeGb: orNone(most) } };
}

export const diskSection = observedSection<Declared, Found>({
  name: "disk",
  about:
    "The disk of the primary database. Two reads, one of how it grows by itself, one write of the whole disk with a read right before it, and one after it, since the answer tells nothing.",
  operations: ["disk.get", "disk.autoscale", "disk.update"],
  lacks: "How the disk grows by itself can be read and not set: status.diskAutoscale.",
  title: "the disk",
  declared: (spec) => spec.disk,
  read,
  plan,
  barred,
  facts: factsOf,
  unknown: ({ autoscale }) => whyUnknown(autoscale),
  write: async (at, { declared, observed, due, send }) => {
    const { client, ref, environment } = at;
    const fields = new Set(due.map(({ field }) => field));
    // Read once more: it may have grown since the look.
    const disk = await readDisk(at);
    const body = { attributes: wantedDisk(declared, disk.attributes, fields) };
    try {
      await send((call) => client.disk.update({ ref, body }, call));
    } catch (error) {
      throw resting(error, disk, environment.clock.now()) ?? error;
    }
    // How it grows by itself no write of ours changes.
    return { ...observed, ...(await calling("read the disk after a change", () => readDisk(at))) };
  },
});
