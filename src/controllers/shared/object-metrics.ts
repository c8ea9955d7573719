import { isRecord } from "../../base/is-record.ts";
import type { Labels, Meter } from "../../base/meter.ts";
import type { Store } from "../../kube/store.ts";
import { conditionTypes } from "../../resources/conditions.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { sectionStates } from "../../resources/settings/status.ts";
import { sectionNames } from "../sections/sections.ts";

/** Conditions that somebody may want to be told of, over all objects. */
export const toldConditions = [
  conditionTypes.Ready,
  conditionTypes.Stalled,
  conditionTypes.Drifted,
  conditionTypes.Converging,
  conditionTypes.Paused,
] as const;

type ShownCondition = (typeof toldConditions)[number];

/** What a condition can be. */
export const conditionStatuses = ["True", "False", "Unknown"] as const;

interface ToldCondition {
  readonly type: ShownCondition;
  readonly status: (typeof conditionStatuses)[number];
}

/**
 * How many objects of each kind there are, and how many have which condition: counted when they change, not when they are scraped, and told
 * without their names.
 */
export function observeObjects(meter: Meter, stores: readonly Pick<Store, "type" | "addHandler">[]): void {
  const totals = new LabelledCounts();
  const conditions = new LabelledCounts();
  const sections = new LabelledCounts();
  for (const store of stores) {
    const { kind } = store.type;
    const count = (object: KubeObject, by: 1 | -1): void => {
      totals.add({ kind }, by);
      for (const { type, status } of conditionsOf(object)) conditions.add({ kind, condition: type, status }, by);
      for (const { name, state } of sectionsOf(object)) sections.add({ kind, section: name, state }, by);
    };
    store.addHandler({
      added: (object) => count(object, 1),
      updated: (previous, object) => {
        count(previous, -1);
        count(object, 1);
      },
      deleted: (object) => count(object, -1),
    });
  }
  meter.observableGauge({ name: "baas_objects", help: "Objects in the cluster", labels: ["kind"] }, () => totals.all());
  meter.observableGauge(
    {
      name: "baas_object_conditions",
      help: "Objects by the status of a condition; one that lacks the condition is not counted",
      labels: ["kind", "condition", "status"],
    },
    () => conditions.all(),
  );
  meter.observableGauge(
    {
      name: "baas_object_sections",
      help: "Objects by the state of a declared section of their spec",
      labels: ["kind", "section", "state"],
    },
    () => sections.all(),
  );
}

interface ToldSection {
  readonly name: string;
  readonly state: string;
}

const SECTION_NAMES: ReadonlySet<unknown> = new Set(sectionNames);

/** As `conditionsOf`: by hand, and of names and states that there are. */
function sectionsOf({ status }: KubeObject): readonly ToldSection[] {
  if (!isRecord(status) || !Array.isArray(status["sections"])) return [];
  const entries: readonly unknown[] = status["sections"];
  return entries.flatMap((entry) => {
    if (!isRecord(entry)) return [];
    const { name, state } = entry;
    const isTold = SECTION_NAMES.has(name) && typeof state === "string" && Object.hasOwn(sectionStates, state);
    return isTold ? [{ name: String(name), state }] : [];
  });
}

/** Read by hand, twice for each version of each object: a schema would take as long as all else that is done with it. */
function conditionsOf({ status }: KubeObject): readonly ToldCondition[] {
  if (!isRecord(status) || !Array.isArray(status["conditions"])) return [];
  const conditions: readonly unknown[] = status["conditions"];
  return conditions.flatMap((condition) => shownCondition(condition) ?? []);
}

/** Values of labels are bounded, whatever somebody wrote into a status. */
function shownCondition(condition: unknown): ToldCondition | undefined {
  if (!isRecord(condition)) return undefined;
  const type = toldConditions.find((name) => name === condition["type"]);
  const status = conditionStatuses.find((name) => name === condition["status"]);
  if (type === undefined || status === undefined) return undefined;
  return { type, status };
}

/** Numbers by labels; what there is none of is not told. */
class LabelledCounts {
  readonly #counts = new Map<string, { readonly labels: Labels; readonly value: number }>();

  add(labels: Labels, by: 1 | -1): void {
    const key = Object.values(labels).join(" ");
    const value = (this.#counts.get(key)?.value ?? 0) + by;
    if (value === 0) this.#counts.delete(key);
    else this.#counts.set(key, { labels, value });
  }

  all(): Iterable<{ readonly labels: Labels; readonly value: number }> {
    return this.#counts.values();
  }
}
