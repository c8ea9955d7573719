import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { metricsOf, registeredMetrics, selectorsOf } from "../support/metrics/promql.ts";
import { ofKind, only, render, valuesFile } from "./render.ts";

/** Alerts and dashboards ask for metrics that there are, by labels that they have. */

const repository = fileURLToPath(new URL("../../", import.meta.url));
const docs = readFileSync(new URL("../../docs/operations.md", import.meta.url), "utf8");

const ruleSchema = z.object({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.object({ severity: z.enum(["critical", "warning", "info"]) }),
  annotations: z.object({ summary: z.string(), runbook: z.string() }),
});
const specSchema = z.object({ groups: z.tuple([z.object({ name: z.string(), rules: z.array(z.unknown()) })]) });

async function rulesOf(values: object): Promise<readonly unknown[]> {
  const given = { metrics: { prometheusRule: { enabled: true } }, ...values };
  return specSchema.parse(only(await render(given), "PrometheusRule")["spec"]).groups[0].rules;
}

const alertsOf = async (values: object = {}) => z.array(ruleSchema).parse(await rulesOf(values));

/** What Prometheus adds to each series of a target. */
const ofTarget = ["namespace", "job", "pod", "le"];
const known = registeredMetrics(docs);

/** What is wrong with an expression. */
function mistakes(expr: string): readonly string[] {
  const names = metricsOf(expr);
  const unknown = names.filter((name) => !known.has(name));
  const labels = selectorsOf(expr).flatMap(({ metric, labels: asked }) =>
    asked.filter((label) => !ofTarget.includes(label) && known.get(metric)?.includes(label) !== true),
  );
  const depth = expr.split("(").length - expr.split(")").length;
  const none = names.length === 0 ? ["no metric"] : [];
  return [...unknown, ...labels, ...none, ...(depth === 0 ? [] : ["parentheses"])];
}

describe("the check of expressions", () => {
  it.each([
    { expr: "sum(baas_nothing)", wrong: ["baas_nothing"] },
    { expr: 'baas_leader{kind="Project"}', wrong: ["kind"] },
    { expr: "sum(baas_leader", wrong: ["parentheses"] },
    { expr: "vector(1)", wrong: ["no metric"] },
    { expr: 'sum by (lane) (baas_workqueue_ready{namespace="a",lane="change"})', wrong: [] },
    { expr: "rate(baas_reconcile_duration_seconds_bucket[5m])", wrong: [] },
    { expr: "sum by (lane) (baas_objects)", wrong: ["lane"] },
  ])("finds in $expr: $wrong", ({ expr, wrong }) => {
    expect(mistakes(expr)).toEqual(wrong);
  });
});

describe("the alerts", () => {
  it("are made when they are asked for alone, with the labels that Prometheus selects by, and rules of one's own", async () => {
    expect(ofKind(await render(), "PrometheusRule")).toEqual([]);
    const rule = only(await render(valuesFile("cluster-wide")), "PrometheusRule");
    expect(rule.metadata.labels).toMatchObject({ release: "prometheus", team: "platform" });
    const [{ rules }] = specSchema.parse(rule["spec"]).groups;
    expect(rules.at(-1)).toEqual({ record: "leaders", expr: "sum(baas_leader)" });
  });

  it("ask for metrics and labels that there are, of this release's processes alone", async () => {
    const alerts = await alertsOf();
    expect(alerts.flatMap(({ alert, expr }) => mistakes(expr).map((wrong) => `${alert}: ${wrong}`))).toEqual([]);
    const strangers = alerts.flatMap(({ expr }) =>
      selectorsOf(expr).filter(({ text }) => !text.includes('namespace="baas-system",job="baas-operator-metrics"')),
    );
    expect(strangers.filter(({ text }) => text !== "")).toEqual([]);
    expect(alerts.filter(({ expr }) => expr.includes("TARGET"))).toEqual([]);
    expect(only(await render(), "Service").metadata.name).toBe("baas-operator-metrics");
  });

  it("are explained, each and no other, and name a part of the page", async () => {
    const alerts = await alertsOf();
    const explained = [...docs.matchAll(/^\| `(BaasOperator\w+)` \| .{10,} \|$/gmu)].map(([, name = ""]) => name);
    expect(alerts.map(({ alert }) => alert)).toEqual(explained);
    const anchors = [...docs.matchAll(/^#+ (.+)$/gmu)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-"),
    );
    const runbooks = alerts.map(({ annotations }) => annotations.runbook.replace("docs/operations.md#", ""));
    expect(runbooks.filter((anchor) => !anchors.includes(anchor))).toEqual([]);
  });

  it("miss no leader where there is no lease", async () => {
    const names = (await alertsOf({ leaderElection: { enabled: false } })).map(({ alert }) => alert);
    expect(names).not.toContain("BaasOperatorNoLeader");
    expect(names).not.toContain("BaasOperatorLeaseFails");
    expect(names).toContain("BaasOperatorObjectsStalled");
  });
});

const dashboardSchema = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number(),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
      targets: z.array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() })).min(1),
    }),
  ),
});

describe("the dashboards", () => {
  const files = globSync("deploy/dashboards/*.json", { cwd: repository });

  it("are there", () => {
    expect(files).toEqual(["deploy/dashboards/baas-operator.json"]);
  });

  it.each(files)("%s shows metrics that there are, each panel in its own place", (file) => {
    const { panels } = dashboardSchema.parse(JSON.parse(readFileSync(`${repository}${file}`, "utf8")));
    const wrong = panels.flatMap(({ title, targets }) =>
      targets.flatMap(({ expr }) => mistakes(expr).map((mistake) => `${title}: ${mistake}`)),
    );
    expect(wrong).toEqual([]);
    const places = panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
    expect(new Set(places).size).toBe(panels.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  });
});
