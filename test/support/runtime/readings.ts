import type { Labels, Meter } from "../../../src/base/meter.ts";

/** A meter whose values tests read back. */
export interface Readings {
  readonly meter: Meter;
  /** Value of a counter or gauge, or the number of observations of a histogram, their sum as `_sum`, with exactly these labels; 0 when never touched. */
  readonly read: (name: string, labels?: Labels) => number;
}

const idOf = (name: string, labels: Labels = {}): string =>
  JSON.stringify([name, Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))]);

/** Keeps values in memory, without the rules of a metrics library. */
export function readings(): Readings {
  const values = new Map<string, number>();
  const readers: { readonly name: string; readonly read: Parameters<Meter["observableGauge"]>[1] }[] = [];
  const add = (name: string, by: number, labels?: Labels): void => {
    const id = idOf(name, labels);
    values.set(id, (values.get(id) ?? 0) + by);
  };
  return {
    meter: {
      counter: ({ name }) => ({ increment: (labels, by = 1) => add(name, by, labels) }),
      gauge: ({ name }) => ({ set: (value, labels) => void values.set(idOf(name, labels), value) }),
      histogram: ({ name }) => ({
        observe: (value, labels) => {
          add(name, 1, labels);
          add(`${name}_sum`, value, labels);
        },
      }),
      observableGauge: ({ name }, read) => void readers.push({ name, read }),
    },
    read: (name, labels) => {
      const id = idOf(name, labels);
      const observed = readers
        .filter((reader) => reader.name === name)
        .flatMap(({ read }) => [...read()])
        .filter((reading) => idOf(name, reading.labels) === id);
      return observed.reduce((sum, { value }) => sum + value, values.get(id) ?? 0);
    },
  };
}
