/** Label values by label name. The set of values per label must be bounded: never object names, refs or messages. */
export type Labels = Readonly<Record<string, string>>;

/** Name, help and label names of a metric; names and units follow the Prometheus convention (`_total`, `_seconds`, `_bytes`). */
export interface MetricSpec {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

export interface Counter {
  increment(labels?: Labels, by?: number): void;
}

export interface Gauge {
  set(value: number, labels?: Labels): void;
}

export interface Histogram {
  /** @param value in the metric's base unit (seconds for durations) */
  observe(value: number, labels?: Labels): void;
}

/**
 * Where rooms register their metrics; the process decides what is behind it. Asking again for a metric of one name gives the same one, so that
 * each of several clients or reflectors may ask for "its" counter; the readers of an observable gauge add up.
 */
export interface Meter {
  counter(spec: MetricSpec): Counter;
  gauge(spec: MetricSpec): Gauge;
  /** A gauge whose value is asked for when it is read: for depths and ages that would cost to keep up to date. */
  observableGauge(spec: MetricSpec, read: () => Iterable<{ readonly labels?: Labels; readonly value: number }>): void;
  histogram(spec: MetricSpec & { readonly buckets?: readonly number[] }): Histogram;
}

/** Measures nothing. */
export const silentMeter: Meter = {
  counter: () => ({ increment: () => undefined }),
  gauge: () => ({ set: () => undefined }),
  observableGauge: () => undefined,
  histogram: () => ({ observe: () => undefined }),
};
