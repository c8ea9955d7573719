import * as prom from "prom-client";
import type { Counter, Gauge, Histogram, Labels, Meter, MetricSpec } from "../base/meter.ts";

type MetricReader = () => Iterable<{ readonly labels?: Labels; readonly value: number }>;

/** The metrics of one process: where rooms register them, and their text for a scraper. */
export interface Metrics {
  readonly meter: Meter;
  /** The text format and its content type. A metric that cannot be read is left out, not the rest. */
  readonly expose: () => Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface MetricsOptions {
  /** Metrics of the process too (memory, CPU, event loop lag, garbage collection): they hold timers and observers. Default false. */
  readonly processMetrics?: boolean;
}

/** Upper bounds that suit waits and runs between milliseconds and minutes, in seconds. */
const DEFAULT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/**
 * Metrics on a registry of their own.
 *
 * Asking twice for a metric of one name gives the same one, so that each of several reflectors or stores may ask for "its" counter; their
 * readers add up to one observable gauge.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new prom.Registry();
  const registries = [registry, ...(options.processMetrics === true ? [processRegistry()] : [])];
  return {
    meter: new RegistryMeter(registry),
    expose: async () => {
      const bodies = await Promise.all(registries.map((one) => one.metrics()));
      return { contentType: registry.contentType, body: bodies.join("") };
    },
  };
}

let ofProcess: prom.Registry | undefined;

/** Made once in a process: its observers live as long as that, and would hold all that is on the same registry, and so an operator that has ended. */
function processRegistry(): prom.Registry {
  if (ofProcess === undefined) {
    ofProcess = new prom.Registry();
    prom.collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}

/** Meter on prom-client. */
class RegistryMeter implements Meter {
  readonly #registry: prom.Registry;
  readonly #signatures = new Map<string, string>();
  readonly #counters = new Map<string, prom.Counter>();
  readonly #gauges = new Map<string, prom.Gauge>();
  readonly #histograms = new Map<string, prom.Histogram>();
  readonly #readers = new Map<string, MetricReader[]>();

  constructor(registry: prom.Registry) {
    this.#registry = registry;
  }

  counter(spec: MetricSpec): Counter {
    const counter = this.#once(this.#counters, "counter", spec, () => new prom.Counter(this.#config(spec)));
    return { increment: (labels = {}, by = 1) => counter.inc(labels, by) };
  }

  gauge(spec: MetricSpec): Gauge {
    const gauge = this.#once(this.#gauges, "gauge", spec, () => new prom.Gauge(this.#config(spec)));
    return { set: (value, labels = {}) => gauge.set(labels, value) };
  }

  histogram(spec: MetricSpec & { readonly buckets?: readonly number[] }): Histogram {
    const make = () => new prom.Histogram({ ...this.#config(spec), buckets: [...(spec.buckets ?? DEFAULT_BUCKETS)] });
    const histogram = this.#once(this.#histograms, "histogram", spec, make);
    return { observe: (value, labels = {}) => histogram.observe(labels, value) };
  }

  observableGauge(spec: MetricSpec, read: MetricReader): void {
    this.#once(this.#readers, "observable gauge", spec, () => {
      const readers: MetricReader[] = [];
      void new prom.Gauge({
        ...this.#config(spec),
        collect() {
          collect(this, readers);
        },
      });
      return readers;
    }).push(read);
  }

  /** @throws Error when the name is taken by a metric of another type or with other labels */
  #once<T>(cache: Map<string, T>, type: string, { name, labels = [] }: MetricSpec, make: () => T): T {
    const signature = `${type}(${labels.join(",")})`;
    const before = this.#signatures.get(name) ?? signature;
    if (before !== signature) throw new Error(`metric ${name} is a ${before} and a ${signature}`);
    const metric = cache.get(name) ?? make();
    this.#signatures.set(name, signature);
    cache.set(name, metric);
    return metric;
  }

  #config({ name, help, labels = [] }: MetricSpec) {
    return { name, help, labelNames: [...labels], registers: [this.#registry] };
  }
}

/** Reads a gauge anew: label values that are gone go, and values of several readers for the same labels add up. */
function collect(gauge: prom.Gauge, readers: readonly MetricReader[]): void {
  gauge.reset();
  for (const read of readers) {
    try {
      for (const { labels = {}, value } of read()) gauge.inc(labels, value);
    } catch {
      // one reader that fails must not take the scrape with it; its values are missing, which is what an alert sees
    }
  }
}
