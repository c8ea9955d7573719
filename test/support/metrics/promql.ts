/**
 * test/support/metrics: what is said about metrics, read without Prometheus: the table of docs/operations.md, and the metrics and labels that
 * an expression asks for.
 */

/** Series that a histogram has beside its name. */
const SUFFIX = /_(?:bucket|sum|count)$/u;

/** The rows of the table of metrics: names and labels, before what they mean and what to do. @throws Error where there is none */
export function registeredMetrics(page: string): ReadonlyMap<string, readonly string[]> {
  const rows = [...page.matchAll(/^\| (`baas_[^|]+) \|([^|]*)\| [^|]+ \| [^|]+ \|$/gmu)];
  if (rows.length === 0) throw new Error("the page has no table of metrics with these columns");
  return new Map(
    rows.flatMap(([, cell = "", text = ""]) => {
      const labels = text.trim() === "" ? [] : text.trim().split(/,\s*/u);
      return [...cell.matchAll(/`(\w+)`/gu)].map(([, name = ""]) => [name, labels] as const);
    }),
  );
}

/** The metrics of an expression, without the suffixes of histograms. */
export function metricsOf(expr: string): readonly string[] {
  return [...expr.matchAll(/\b(baas_\w+)/gu)].map(([, name = ""]) => withoutSuffix(name));
}

function withoutSuffix(name: string): string {
  return /_seconds_/u.test(name) ? name.replace(SUFFIX, "") : name;
}

/** A metric of an expression with the labels that it is chosen and summed up by. */
interface Selector {
  readonly metric: string;
  /** between the braces */
  readonly text: string;
  readonly labels: readonly string[];
}

export function selectorsOf(expr: string): readonly Selector[] {
  const chosen = [...expr.matchAll(/\b(baas_\w+)(?:\{([^}]*)\})?/gu)].map(([, name = "", text = ""]) => ({
    metric: withoutSuffix(name),
    text,
    labels: [...text.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/gu)].map(([, label = ""]) => label),
  }));
  const by = [...expr.matchAll(/\bby \(([^)]*)\)/gu)].flatMap(([, labels = ""]) => labels.split(/,\s*/u));
  return chosen.flatMap((selector) => [selector, { metric: selector.metric, text: "", labels: by }]);
}
