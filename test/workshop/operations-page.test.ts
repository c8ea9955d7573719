import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { addRunOptions, addScopeOptions } from "../../src/cli/operator-flags.ts";
import { releaseCauses, RETAINED } from "../../src/controllers/shared/releases.ts";
import { annotations, finalizers } from "../../src/resources/annotations.ts";
import { conditionTypes, reasons } from "../../src/resources/conditions.ts";
import { requestAnnotations, requestStates } from "../../src/resources/requests.ts";
import { words } from "../support/metrics/labels.ts";
import { codes, read, rows, section, sorted, sources } from "../support/docs/pages.ts";

/** What docs/operations.md says, by the sources: of each reason, metric, value of a label, annotation and flag. */

const page = "docs/operations.md";
const ONLY_TOLD = "### As it should be, or only told";

/** An advice is more than a name. */
function wordsOf(cell: string): number {
  return cell.split(/\s+/u).length;
}

describe("reasons in docs/operations.md", () => {
  it("are given by somebody", () => {
    const text = sources
      .filter((path) => path !== "src/resources/conditions.ts")
      .map(read)
      .join("\n");
    expect(Object.values(reasons).filter((reason) => !text.includes(`"${reason}"`))).toEqual([]);
  });

  it("have each a what-to-do, but for those that are as they should be", () => {
    const fine = rows(section(page, ONLY_TOLD)).flatMap(([cell = ""]) => codes(cell));
    const told = ["### Somebody must act", "### Waits for another object", "### Ends by itself"]
      .flatMap((heading) => rows(section(page, heading)))
      .filter(([, todo = ""]) => wordsOf(todo) >= 4 || /\]\(#/u.test(todo))
      .flatMap(([cell = ""]) => codes(cell));
    expect(sorted([...fine, ...told])).toEqual(sorted(Object.values(reasons)));
  });

  it("are nothing to act on where they are as they should be: no run fails or waits for one", () => {
    const fine = rows(section(page, ONLY_TOLD)).flatMap(([cell = ""]) => codes(cell));
    const text = sources.map(read).join("\n");
    const failing = [...text.matchAll(/\b(?:terminal|waiting|waitingUntold)\(\s*"([A-Za-z]+)"/gu)].map(
      ([, word]) => word,
    );
    const thrown = [...text.matchAll(/new (?:Terminal|Waiting|Transient)Error\(\s*"([A-Za-z]+)"/gu)].map(
      ([, word]) => word,
    );
    expect(failing.length).toBeGreaterThan(20);
    expect([...failing, ...thrown].filter((word = "") => fine.includes(word))).toEqual([]);
  });

  it("are told to be events where a write is told by one", () => {
    const text = sources.map(read).join("\n");
    const given = [...text.matchAll(/(?:run\.wrote|#tell)\(\s*([^,]*?),/gu)].flatMap(([, first = ""]) => [
      ...first.matchAll(/"([A-Za-z]+)"/gu),
    ]);
    const recorded = [...text.matchAll(/\.event\(\{[^}]*reason: "([A-Za-z]+)"/gu)];
    const written = new Set([...given, ...recorded].map(([, word = ""]) => word));
    const only = rows(section(page, ONLY_TOLD)).filter(([, as = ""]) => as.includes("event"));
    const events = [
      ...only.flatMap(([cell = ""]) => codes(cell)),
      ...codes(section(page, "### Which reasons are events").split(". ", 1)[0] ?? ""),
    ];
    expect([...written].filter((word) => !events.includes(word))).toEqual([]);
    expect(written.size).toBeGreaterThan(15);
  });
});

/** The labels of each metric, as it is registered. */
function registered(): ReadonlyMap<string, readonly string[]> {
  const found = sources.map(read).flatMap((text) =>
    [...text.matchAll(/(name: |gauge\(\s*)"(baas_[a-z_]+)"/gu)].map(({ 1: how = "", 2: name = "", index }) => {
      // A gauge of several that a function makes takes the labels that stand there.
      const spec = how.startsWith("gauge") ? text.slice(0, index) : text.slice(index, text.indexOf("}", index));
      const labels = [...spec.matchAll(/\blabels(?:: | = )\[([^\]]*)\]/gu)].at(-1)?.[1] ?? "";
      return [name, [...labels.matchAll(/"([a-z]+)"/gu)].map(([, label = ""]) => label)] as const;
    }),
  );
  return new Map(found);
}

/** Sets of words that the page explains: what a ConfigMap says beside the metric is told in the row of the metric. */
const values: Readonly<Record<string, readonly string[]>> = {
  ...words,
  "cause baas_released_total": [...releaseCauses, RETAINED],
};

/** What a text explains: `word`: what it means. */
function explained(text: string): readonly string[] {
  return [...text.matchAll(/`([A-Za-z]+)`: \S/gu)].map(([, word = ""]) => word);
}

describe("metrics and their labels in docs/operations.md", () => {
  const metrics = registered();

  it("are found wherever the sources name one", () => {
    const named = sources.flatMap((path) =>
      [...read(path).matchAll(/"(baas_[a-z_]+)"/gu)].map(([, name = ""]) => name),
    );
    expect(sorted(metrics.keys())).toEqual(sorted(new Set(named)));
  });

  it("stand beside each metric as it is registered", () => {
    const listed = rows(section(page, "## Metrics")).flatMap(([names = "", labels = ""]) =>
      codes(names)
        .filter((name) => name.startsWith("baas_"))
        .map((name) => [name, labels] as const),
    );
    const wanted = [...metrics].map(([name, labels]) => `${name} ${labels.join(", ")}`);
    expect(sorted(listed.map(([name, labels]) => `${name} ${labels}`))).toEqual(sorted(wanted));
    expect(wanted).toContain("baas_workqueue_oldest_seconds lane");
  });

  it("have all their values told: each word with what it means, or the page that lists them", () => {
    const table = rows(section(page, "## Values of labels"));
    const told = (label: string, metric: string): readonly string[] =>
      table
        .filter(([name = "", of = ""]) => codes(name)[0] === label && (of === "all" || codes(of).includes(metric)))
        .map(([, , cell = ""]) => cell);
    const faults = [...metrics].flatMap(([metric, labels]) =>
      labels.flatMap((label) => {
        const cells = told(label, metric);
        const [cell = ""] = cells;
        if (cells.length !== 1) return [`${label} of ${metric} has ${cells.length} rows`];
        const set = values[`${label} ${metric}`];
        if (set === undefined) return /\]\([^)]+\)/u.test(cell) ? [] : [`${label} of ${metric} names no page`];
        const words = sorted(new Set(explained(cell)));
        return JSON.stringify(words) === JSON.stringify(sorted(set))
          ? []
          : [`${label} of ${metric}: ${words.join(" ")}`];
      }),
    );
    expect(faults).toEqual([]);
  });

  it("are what they were taken for: no set stands for a label that is gone", () => {
    const all = [...metrics].flatMap(([metric, labels]) => labels.map((label) => `${label} ${metric}`));
    expect(Object.keys(values).filter((name) => !all.includes(name))).toEqual([]);
  });

  it("of requests have each state told where requests are", () => {
    const states = rows(section(page, "### Ask for something once")).flatMap(([cell = ""]) => codes(cell));
    expect(sorted(states)).toEqual(sorted(Object.keys(requestStates)));
  });
});

const alertsSchema = z.array(z.object({ alert: z.string(), expr: z.string() }));

describe("docs/operations.md", () => {
  it("names every condition type", () => {
    const named = codes(section(page, "## Conditions"));
    expect(Object.values(conditionTypes).filter((type) => !named.includes(type))).toEqual([]);
  });

  it("explains every annotation and finalizer, and no other", () => {
    const named = rows(section(page, "## Annotations and finalizers")).map(([cell = ""]) => cell);
    const given = named.map((cell) => codes(cell)[0]?.split(":")[0] ?? "");
    const all = [...Object.values(annotations), ...requestAnnotations, ...Object.values(finalizers)];
    expect(sorted(given)).toEqual(sorted(all));
  });

  it("tells of every metric what to do when it rises or falls, and of one that an alert watches, that alert", () => {
    const given = rows(section(page, "## Metrics"));
    expect(given.filter(([, , , todo = ""]) => todo.length < 10).map(([metric]) => metric)).toEqual([]);
    const alerts = alertsSchema.parse(parse(read("deploy/helm/baas-operator/alerts.yaml")));
    const unsaid = alerts.filter(({ alert, expr }) =>
      given.some(
        ([metrics = "", , , todo = ""]) =>
          codes(metrics).some((metric) => expr.includes(metric)) && !codes(todo).includes(alert),
      ),
    );
    expect(unsaid).toEqual([]);
    const names = alerts.map(({ alert }) => alert);
    const named = given.flatMap(([, , , todo = ""]) => codes(todo)).filter((code) => code.startsWith("BaasOperator"));
    expect(sorted(new Set(named))).toEqual(sorted(names));
  });

  it("lists every flag of `baas run` with its default", () => {
    const command = new Command();
    addRunOptions(addScopeOptions(command, undefined));
    const defaults = new Map(
      command.options
        .filter(({ long }) => !["--leader-elect", "--credential-protection"].includes(long ?? ""))
        .map(({ long = "", defaultValue, negate }) => [
          long,
          typeof defaultValue === "string" && !negate ? defaultValue : "",
        ]),
    );
    const given = rows(section(page, "## Flags of `baas run`")).flatMap(([flags = "", values = ""]) => {
      const parts = codes(values);
      return codes(flags).map((flag, index) => [flag, parts[index] ?? ""] as const);
    });
    expect(sorted(given.map(([flag]) => flag))).toEqual(sorted(defaults.keys()));
    // POD_NAMESPACE is what the program reads this one from.
    const differing = given.filter(([flag, value]) => defaults.get(flag) !== value && flag !== "--operator-namespace");
    expect(differing).toEqual([]);
  });
});
