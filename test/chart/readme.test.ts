import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { chartDirectory } from "../support/operator/chart.ts";
import { template } from "./render.ts";

describe("the README", () => {
  const readme = readFileSync(join(chartDirectory, "README.md"), "utf8");
  const examples = [...readme.matchAll(/```yaml\n([^]*?)```/gu)].map(([, text = ""]) => text);

  it("shows values in several places", () => {
    expect(examples.length).toBeGreaterThanOrEqual(2);
  });

  it.each(examples)("shows values that the chart takes: %s", async (text) => {
    const result = await template(z.record(z.string(), z.unknown()).parse(parse(text)));
    expect(result.stderr).toBe("");
  });

  it.each(
    [...readme.matchAll(/--set ([^\s=]+)=('[^']*'|\S+)/gu)].map(([, path = "", value = ""]) => ({ path, value })),
  )("sets what the chart takes: $path=$value", async ({ path, value }) => {
    const result = await template({}, { args: ["--set", `${path}=${value.replaceAll("'", "")}`] });
    expect(result.stderr).toBe("");
  });
});
