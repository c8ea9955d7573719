/** One sample of the text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its samples, as a scraper sees them. */
export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const HEAD = /^# (HELP|TYPE) (\S+) ?(.*)$/u;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/u;

/**
 * The Prometheus text format 0.0.4, read by its own rules.
 *
 * @throws Error for a line that is none
 */
export function parseExposition(text: string): readonly Family[] {
  const families = new Map<string, { help: string; type: string; samples: Sample[] }>();
  const familyOf = (name: string) => {
    const family = families.get(name) ?? { help: "", type: "", samples: [] };
    families.set(name, family);
    return family;
  };
  let current = "";
  for (const line of text.split("\n").filter((each) => each !== "")) {
    const [, word, name = "", rest = ""] = HEAD.exec(line) ?? [];
    if (word !== undefined) {
      current = name;
      if (word === "HELP") familyOf(name).help = rest;
      else familyOf(name).type = rest;
      continue;
    }
    const [, sample, labels = "", value] = SAMPLE.exec(line) ?? [];
    if (sample === undefined) throw new Error(`no line of the format: ${line}`);
    const family = sample.startsWith(current) ? current : sample;
    familyOf(family).samples.push({ name: sample, labels: labelsOf(labels), value: Number(value) });
  }
  return [...families].map(([name, family]) => ({ name, ...family }));
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/gu)].map(([, name = "", value = ""]) => [name, value] as const),
  );
}

/** What the Prometheus conventions (naming, base units) object to. */
export function lint({ name, help, type, samples }: Family): readonly string[] {
  const say = (wrong: boolean, what: string): readonly string[] => (wrong ? [`${name}: ${what}`] : []);
  return [
    ...say(!/^baas_[a-z_]+$/u.test(name), "name"),
    ...say(help === "" || help === name || help.endsWith("."), "help"),
    ...say(!["counter", "gauge", "histogram"].includes(type), "type"),
    ...say((type === "counter") !== name.endsWith("_total"), "counters, and nothing else, end in _total"),
    ...say(type === "histogram" && !/_(?:seconds|bytes)$/u.test(name), "a histogram is of a base unit"),
    ...say(/_(?:ms|milliseconds|minutes|kb|mb|percent)(?:_|$)/u.test(name), "base units are seconds and bytes"),
    ...say(/_(?:count|sum|bucket|info)$/u.test(name), "suffix that is spoken for"),
    ...samples.flatMap(({ labels }) => say(Object.values(labels).includes(""), "label without a value")),
  ];
}
