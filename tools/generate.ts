/**
 * `npm run generate` writes the files that are made from the sources; with `-- --check` it changes nothing and exits with 1 when one of
 * them is not what the sources say. A generator is a line in `generators`.
 */
import { chartAnnotations } from "./generate/chart-annotations.ts";
import { chartCrds } from "./generate/chart-crds.ts";
import { chartValues } from "./generate/chart-values.ts";
import { crds } from "./generate/crds.ts";
import { reference } from "./generate/reference.ts";
import type { Generator } from "./generate/tree.ts";
import { compare, write } from "./generate/tree.ts";

const generators: readonly Generator[] = [crds, chartCrds, chartAnnotations, chartValues, reference];

const repository = new URL("../", import.meta.url);

for (const generator of generators) {
  const files = await generator.files();
  const differences = await compare(repository, files);
  if (process.argv.includes("--check")) {
    for (const { path, why } of differences) console.error(`${path} is ${why}: run \`npm run generate\``);
    if (differences.length > 0) process.exitCode = 1;
  } else {
    await write(repository, files, differences);
    for (const { path } of differences) console.log(`${generator.name}: ${path}`);
  }
}
