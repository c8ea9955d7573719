import { beforeAll, describe, expect, it } from "vitest";
import type { Findings } from "./oxlint.ts";
import { lint } from "./oxlint.ts";

/** One import in one file, and whether "Who may import whom" of docs/ARCHITECTURE.md lets it be. */
interface Sample {
  readonly file: string;
  readonly imports: string;
  readonly why: string;
  /** Written as `import type`. */
  readonly typeOnly?: boolean;
}

const refused: readonly Sample[] = [
  { file: "src/base/clock.ts", imports: "zod", why: "base imports no package" },
  { file: "src/base/clock.ts", imports: "node:timers", why: "time is Clock" },
  { file: "src/base/clock.ts", imports: "../kube/store.ts", why: "base imports no room" },
  { file: "src/resources/meta.ts", imports: "yaml", why: "resources imports only zod" },
  { file: "src/resources/meta.ts", imports: "node:fs", why: "resources imports only zod" },
  { file: "src/resources/project/spec.ts", imports: "../../api/client.ts", why: "resources imports only zod" },
  { file: "src/resources/project/spec.ts", imports: "../../base/clock.ts", why: "resources imports only zod" },
  { file: "src/api/client.ts", imports: "../kube/store.ts", why: "api knows no Kubernetes" },
  { file: "src/api/client.ts", imports: "../kube/store.ts", why: "nor its types", typeOnly: true },
  { file: "src/api/client.ts", imports: "../runtime/workqueue.ts", why: "api never imports runtime" },
  { file: "src/api/contract/projects.ts", imports: "../../controllers/shared/ready.ts", why: "nor controllers" },
  { file: "src/api/client.ts", imports: "../resources/kinds.ts", why: "the contract is not made of our kinds" },
  { file: "src/api/client.ts", imports: "pino", why: "loggers are arguments" },
  { file: "src/kube/client.ts", imports: "../api/client.ts", why: "kube does not know the Management API" },
  { file: "src/kube/client.ts", imports: "../controllers/project/plan.ts", why: "nor controllers" },
  { file: "src/kube/client.ts", imports: "../resources/project/kind.ts", why: "of resources, only meta" },
  { file: "src/kube/client.ts", imports: "../runtime/workqueue.ts", why: "runtime stands on kube, not the reverse" },
  { file: "src/kube/client.ts", imports: "@kubernetes/client-node", why: "transport.ts alone" },
  { file: "src/kube/client.ts", imports: "@kubernetes/client-node", why: "nor its types", typeOnly: true },
  { file: "src/artifacts/fetch.ts", imports: "../kube/store.ts", why: "artifacts knows no Kubernetes" },
  { file: "src/artifacts/fetch.ts", imports: "../resources/meta.ts", why: "nor our kinds" },
  { file: "src/artifacts/fetch.ts", imports: "zod", why: "an archive is no text" },
  { file: "src/runtime/manager.ts", imports: "../artifacts/artifacts.ts", why: "runtime never imports artifacts" },
  { file: "src/controllers/project/apply.ts", imports: "tar/parse", why: "artifacts unpacks" },
  { file: "src/runtime/manager.ts", imports: "../kube/store.ts", why: "interfaces of kube only" },
  { file: "src/runtime/manager.ts", imports: "../api/errors.ts", why: "runtime never imports api" },
  { file: "src/runtime/manager.ts", imports: "../controllers/shared/ready.ts", why: "nor controllers" },
  { file: "src/runtime/manager.ts", imports: "../resources/project/kind.ts", why: "nor a kind" },
  { file: "src/runtime/manager.ts", imports: "../resources/kinds.ts", why: "nor all kinds" },
  { file: "src/controllers/project/apply.ts", imports: "../../emulator/start.ts", why: "the emulator is for tests" },
  {
    file: "src/controllers/project/apply.ts",
    imports: "../../cli/run.ts",
    why: "the command line wires, not the reverse",
  },
  { file: "src/controllers/project/apply.ts", imports: "@kubernetes/client-node", why: "kube/transport.ts alone" },
  {
    file: "src/controllers/project/apply.ts",
    imports: "../../../test/support/clock.ts",
    why: "no test code in the program",
  },
  { file: "src/controllers/project/plan.ts", imports: "../../base/clock.ts", why: "no clock" },
  { file: "src/controllers/project/plan.ts", imports: "../../base/clock.ts", why: "nor its type", typeOnly: true },
  { file: "src/controllers/project/plan.ts", imports: "../../base/log.ts", why: "no logger" },
  { file: "src/controllers/project/plan.ts", imports: "../../api/client.ts", why: "types only: no I/O" },
  { file: "src/controllers/project/plan.ts", imports: "node:fs", why: "no I/O" },
  { file: "src/controllers/project/plan.ts", imports: "undici", why: "no I/O" },
  { file: "src/controllers/project/plan.ts", imports: "./apply.ts", why: "no I/O" },
  { file: "src/controllers/branch/status.ts", imports: "../../kube/client.ts", why: "types only: no I/O" },
  { file: "src/controllers/branch/status.ts", imports: "../../base/random.ts", why: "no randomness" },
  { file: "src/emulator/start.ts", imports: "../api/client.ts", why: "of api, the contract only" },
  { file: "src/emulator/start.ts", imports: "../kube/store.ts", why: "the emulator knows no Kubernetes" },
  { file: "src/emulator/start.ts", imports: "../resources/kinds.ts", why: "nor our kinds" },
  { file: "src/cli/run.ts", imports: "@kubernetes/client-node", why: "kube/transport.ts alone" },
  { file: "src/cli/run.ts", imports: "../main.ts", why: "main is the entry" },
  { file: "src/main.ts", imports: "./kube/store.ts", why: "main hands over to cli" },
  { file: "src/main.ts", imports: "commander", why: "main hands over to cli" },
  { file: "test/e2e/some.e2e.test.ts", imports: "@kubernetes/client-node", why: "kube/transport.ts alone" },
];

const allowed: readonly Sample[] = [
  { file: "src/base/proxy.ts", imports: "node:net", why: "ranges of addresses" },
  { file: "src/resources/meta.ts", imports: "zod", why: "the one package of resources" },
  { file: "src/api/client.ts", imports: "undici", why: "the transport of the Management API" },
  { file: "src/api/client.ts", imports: "p-queue", why: "the pacer's order" },
  { file: "src/api/client.ts", imports: "../base/clock.ts", why: "base is for all" },
  { file: "src/kube/client.ts", imports: "../resources/meta.ts", why: "what every object has" },
  { file: "src/kube/transport.ts", imports: "@kubernetes/client-node", why: "the one place" },
  { file: "src/artifacts/unpack.ts", imports: "tar/parse", why: "the parser of archives" },
  { file: "src/runtime/manager.ts", imports: "../kube/store.ts", why: "interfaces of kube", typeOnly: true },
  { file: "src/controllers/project/apply.ts", imports: "../../api/client.ts", why: "controllers meet all" },
  { file: "src/controllers/project/plan.ts", imports: "../../api/contract/projects.ts", why: "types", typeOnly: true },
  { file: "src/controllers/project/plan.ts", imports: "../../resources/conditions.ts", why: "constants of our kinds" },
  { file: "src/emulator/start.ts", imports: "../api/contract/contract.ts", why: "derived from the contract" },
  { file: "src/emulator/start.ts", imports: "fastify", why: "the emulator's server" },
  { file: "src/cli/run.ts", imports: "../emulator/start.ts", why: "cli wires everything" },
  { file: "src/main.ts", imports: "./cli/run.ts", why: "main hands over to cli" },
  { file: "src/kube/client.test.ts", imports: "vitest", why: "tests beside the source" },
  { file: "src/kube/client.test.ts", imports: "../../test/support/clock.ts", why: "tests beside the source" },
];

/** A sample's own file: names that a rule is about stay, in a folder of the sample's own; others get its number. */
function fileOf(sample: Sample, index: number): string {
  const fixed = /^src\/(main|kube\/transport)\.ts$/u;
  if (fixed.test(sample.file)) return sample.file;
  const kind = /^src\/controllers\/([a-z]+)\//u;
  if (kind.test(sample.file)) return sample.file.replace(kind, `src/controllers/$1-${index}/`);
  return sample.file.replace(/([^/.]+)((\.e2e)?(\.test)?\.ts)$/u, `$1-${index}$2`);
}

function textOf(sample: Sample): string {
  return sample.typeOnly === true
    ? `import type { it } from "${sample.imports}";\nexport type Used = typeof it;\n`
    : `import { it } from "${sample.imports}";\nexport const used = it;\n`;
}

const importRule = "eslint(no-restricted-imports)";

/** Samples may share a fixed file, so they are linted in as many rounds as that needs. */
async function lintAll(samples: readonly Sample[]): Promise<readonly Findings[]> {
  const rounds: Map<string, string>[] = [];
  const roundOf: Map<string, string>[] = [];
  samples.forEach((sample, index) => {
    const path = fileOf(sample, index);
    const round = rounds.find((files) => !files.has(path)) ?? new Map<string, string>();
    if (!rounds.includes(round)) rounds.push(round);
    round.set(path, textOf(sample));
    roundOf.push(round);
  });
  const findings = await Promise.all(rounds.map((files) => lint(files)));
  return roundOf.map((round) => findings[rounds.indexOf(round)] ?? new Map<string, readonly string[]>());
}

function firedFor(findings: readonly Findings[], sample: Sample, index: number): readonly string[] {
  return findings[index]?.get(fileOf(sample, index)) ?? [];
}

describe("the import rules", () => {
  let onRefused: readonly Findings[] = [];
  let onAllowed: readonly Findings[] = [];
  beforeAll(async () => {
    onRefused = await lintAll(refused);
    onAllowed = await lintAll(allowed);
  });

  it.each(refused.map((sample, index) => ({ ...sample, index })))(
    "refuse $imports in $file: $why",
    ({ index, ...sample }) => {
      expect(firedFor(onRefused, sample, index)).toContain(importRule);
    },
  );

  it.each(allowed.map((sample, index) => ({ ...sample, index })))(
    "allow $imports in $file: $why",
    ({ index, ...sample }) => {
      expect(firedFor(onAllowed, sample, index)).not.toContain(importRule);
    },
  );
});

describe("the rules about code", () => {
  const samples = [
    {
      rule: "typescript(no-floating-promises)",
      why: "an error that nobody hears",
      text: "export function start(work: () => Promise<void>): void {\n  work();\n}\n",
    },
    {
      rule: "typescript(no-misused-promises)",
      why: "a handler that nobody awaits",
      text: "export function each(items: readonly number[], work: () => Promise<void>): void {\n  items.forEach(async () => {\n    await work();\n  });\n}\n",
    },
    {
      rule: "typescript(switch-exhaustiveness-check)",
      why: "a case that was forgotten",
      text: 'export function name(of: "a" | "b"): string {\n  switch (of) {\n    case "a":\n      return "A";\n  }\n  return "";\n}\n',
    },
    { rule: "typescript(no-explicit-any)", why: "unchecked", text: "export const value: any = 1;\n" },
    {
      rule: "typescript(no-non-null-assertion)",
      why: "unchecked",
      text: "export function first(items: readonly string[]): string {\n  return items[0]!;\n}\n",
    },
    {
      rule: "typescript(consistent-type-imports)",
      why: "types vanish at run time",
      text: 'import { Stats } from "node:fs";\nexport type Size = Stats["size"];\n',
    },
    {
      rule: "eslint(no-unused-vars)",
      why: "dead code",
      text: "const unused = 1;\nexport const used = 2;\n",
    },
    {
      rule: "eslint(max-params)",
      why: "an options object reads better",
      text: "export function f(a: number, b: number, c: number, d: number, e: number): number {\n  return a + b + c + d + e;\n}\n",
    },
    {
      rule: "eslint(complexity)",
      why: "too many ways through one function",
      text: `export function f(n: number): number {\n${Array.from({ length: 16 }, (_, i) => `  if (n === ${i}) return ${i + 1};`).join("\n")}\n  return n;\n}\n`,
    },
    {
      rule: "eslint(max-lines)",
      why: "one idea per file",
      text: Array.from({ length: 330 }, (_, i) => `export const n${i} = ${i};\n`).join(""),
    },
    {
      rule: "eslint(max-lines-per-function)",
      why: "one thought per function",
      text: `export function f(): number {\n  let n = 0;\n${"  n += 1;\n".repeat(70)}  return n;\n}\n`,
    },
    {
      rule: "eslint(no-restricted-properties)",
      why: "time is an argument",
      text: "export const now = (): number => Date.now();\n",
    },
    {
      rule: "eslint(no-restricted-globals)",
      why: "time is an argument",
      text: "export function wait(then: () => void): void {\n  setTimeout(then, 1);\n}\n",
    },
    {
      rule: "eslint(no-restricted-properties)",
      why: "only main reads the environment",
      text: 'export const home = (): string | undefined => process.env["HOME"];\n',
    },
    { rule: "import(no-default-export)", why: "named exports only", text: "const value = 1;\nexport default value;\n" },
    { rule: "oxc(no-barrel-file)", why: "no barrels", text: 'export * from "./sample-0.ts";\n' },
    { rule: "eslint(no-console)", why: "loggers are arguments", text: 'console.log("x");\n' },
  ] as const;
  const cycle = new Map([
    ["src/kube/one.ts", 'import { two } from "./two.ts";\nexport const one = (): number => two();\n'],
    ["src/kube/two.ts", 'import { one } from "./one.ts";\nexport const two = (): number => one();\n'],
  ]);
  let findings: Findings = new Map();
  beforeAll(async () => {
    findings = await lint(
      new Map([...samples.map(({ text }, i) => [`src/kube/sample-${i}.ts`, text] as const), ...cycle]),
    );
  });

  it.each(samples.map((sample, index) => ({ ...sample, index })))("fire: $rule, $why", ({ rule, index }) => {
    expect(findings.get(`src/kube/sample-${index}.ts`) ?? []).toContain(rule);
  });

  it("fire: import(no-cycle), in both files of a cycle", () => {
    expect(findings.get("src/kube/one.ts") ?? []).toContain("import(no-cycle)");
    expect(findings.get("src/kube/two.ts") ?? []).toContain("import(no-cycle)");
  });
});
