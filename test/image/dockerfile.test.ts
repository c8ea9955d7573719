import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { BuildContext } from "./context.ts";
import { pairs, readInstructions, readStages, substitute } from "./dockerfile.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const dockerfile = readFileSync(new URL("../../Dockerfile", import.meta.url), "utf8");
const stages = readStages(dockerfile);

function argumentsOf(name: string): readonly string[] {
  return stages.flatMap(({ instructions }) =>
    instructions.flatMap((instruction) => (instruction.name === name ? [instruction.argument] : [])),
  );
}

describe("reading a Dockerfile", () => {
  it("joins continued lines and leaves out comments, also between them", () => {
    expect(readInstructions("# a\nRUN one \\\n  # b\n  two\n\nUSER 1\n")).toEqual([
      { name: "RUN", argument: "one  two" },
      { name: "USER", argument: "1" },
    ]);
  });

  it("refuses what it cannot carry out", () => {
    expect(() => readInstructions("VOLUME /x")).toThrow("unknown instruction: VOLUME /x");
  });

  it("knows pairs with and without quotes", () => {
    expect([...pairs('a.b="c d" E=f$G')]).toEqual([
      ["a.b", "c d"],
      ["E", "f$G"],
    ]);
  });

  it("substitutes what is set and nothing else", () => {
    expect(substitute("$A ${A} $B", new Map([["A", "1"]]))).toBe("1 1 $B");
  });
});

describe("the Dockerfile", () => {
  it("builds in one stage, and runs in another, both from the Node that package.json pins", () => {
    const manifest = z.object({ devDependencies: z.object({ node: z.string() }) });
    const { node } = manifest.parse(
      JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")),
    ).devDependencies;
    expect(stages.map(({ name, image }) => [name, image])).toEqual(
      ["build", "runtime"].map((name) => [name, `node:${node}-trixie-slim`]),
    );
  });

  it("installs by the lockfile alone and runs no package's scripts", () => {
    const installs = argumentsOf("RUN").filter((command) => /(^|[;&|]\s*)np[mx]\s+(?!rolldown)/u.test(command));
    expect(installs).toEqual(["npm ci --ignore-scripts", "npm prune --omit=dev --ignore-scripts"]);
  });

  it("leaves nothing of the base image in it that installs packages", () => {
    const { instructions = [] } = stages.at(-1) ?? {};
    const [removal = ""] = instructions.flatMap(({ name, argument }) => (name === "RUN" ? [argument] : []));
    const installers = ["lib/node_modules", "bin/npm", "bin/npx", "bin/corepack", "bin/yarn*"];
    expect(removal.split(" ")).toEqual(["rm", "-rf", ...installers.map((path) => `usr/local/${path}`), "opt/yarn*"]);
  });

  it("uses no path of the machine in its commands, so that a test can run them", () => {
    expect(argumentsOf("RUN").filter((command) => /(^|\s)[/~]/u.test(command))).toEqual([]);
  });

  it("ends as a user that is known to be none other than root by its number", () => {
    expect(argumentsOf("USER")).toEqual(["65532:65532"]);
  });
});

describe("the build context", () => {
  const context = new BuildContext(repository);

  it.each([
    { path: "src/main.ts", seen: true, why: "a source" },
    { path: "src/base/clock.ts", seen: true, why: "a source in a folder" },
    { path: "src/base/abort.test.ts", seen: false, why: "no test goes into an image" },
    { path: "package-lock.json", seen: true, why: "npm ci needs it" },
    { path: "node_modules/zod/package.json", seen: false, why: "the image installs its own" },
    { path: ".git/config", seen: false, why: "history is nobody's business" },
    { path: ".env", seen: false, why: "what is not named stays out" },
  ])("$path: $why", ({ path, seen }) => {
    expect(context.sees(path)).toBe(seen);
  });
});
