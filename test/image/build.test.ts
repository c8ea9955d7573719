import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { RunResult } from "../support/programs/run.ts";
import { run } from "../support/programs/run.ts";
import type { BuiltStage } from "./build.ts";
import { buildImage } from "./build.ts";
import { BuildContext } from "./context.ts";
import { readStages } from "./dockerfile.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const manifestSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const manifest = manifestSchema.parse(JSON.parse(readFileSync(join(repository, "package.json"), "utf8")));
const lockSchema = z.object({ packages: z.record(z.string(), z.object({ dev: z.boolean().optional() })) });
const lock = lockSchema.parse(JSON.parse(readFileSync(join(repository, "package-lock.json"), "utf8")));
const buildMs = 300_000;

/** A package of the workshop that the program's own packages do not need as well. */
function isDevelopmentOnly(name: string): boolean {
  return lock.packages[`node_modules/${name}`]?.dev === true;
}

describe("the image", () => {
  let directory: string;
  let image: BuiltStage;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "image-"));
    const stages = readStages(readFileSync(join(repository, "Dockerfile"), "utf8"));
    image = await buildImage(stages, new BuildContext(repository), directory);
  }, buildMs);

  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  /** Runs a command of the image as its Pod would: nothing may be written, no home, no other environment. */
  function inImage(command: string, args: readonly string[]): Promise<RunResult> {
    const readOnly = `--permission --allow-fs-read=* ${image.environment.get("NODE_OPTIONS") ?? ""}`;
    const environment = { ...Object.fromEntries(image.environment), NODE_OPTIONS: readOnly, HOME: "/nonexistent" };
    return run(command, args, { cwd: image.workdir, env: environment });
  }

  it("starts by its entrypoint and, without arguments, says what it can do", async () => {
    const [program = "", ...args] = [...image.entrypoint, ...image.command];
    const result = await inImage(program, args);
    expect(result.stderr).toBe("");
    expect(result.code).toBe(0);
    expect(result.stdout).toMatch(/\bbaas\b/u);
    for (const verb of ["run", "cleanup"]) expect(result.stdout).toMatch(new RegExp(String.raw`^\s+${verb}\b`, "mu"));
  });

  it("has the program on its path as baas", async () => {
    const result = await inImage("/bin/sh", ["-c", "baas --version"]);
    expect(result.stderr).toBe("");
    expect(result.stdout.trim()).toBe(manifest.version);
  });

  it("holds the packages of the program and no development package", () => {
    const installed = readdirSync(join(image.workdir, "node_modules"));
    const missing = Object.keys(manifest.dependencies).filter(
      (name) => !existsSync(join(image.workdir, "node_modules", name, "package.json")),
    );
    expect(missing).toEqual([]);
    const development = Object.keys(manifest.devDependencies).filter((name) => isDevelopmentOnly(name));
    expect(development.length).toBeGreaterThan(5);
    expect(development.filter((name) => installed.includes(name))).toEqual([]);
  });

  it("can load each of its modules, also those that a verb loads only when it runs", async () => {
    const files = readdirSync(join(image.workdir, "dist"), { recursive: true, encoding: "utf8" });
    const modules = files.filter((file) => file.endsWith(".js") && file !== "main.js").map((file) => `./dist/${file}`);
    expect(modules.length).toBeGreaterThan(20);
    expect(modules).toEqual(expect.arrayContaining(["./dist/client.js", "./dist/emulator.js", "./dist/engine.js"]));
    const script = `for (const module of ${JSON.stringify(modules)}) await import(module);`;
    writeFileSync(join(image.workdir, "load.mjs"), script);
    const result = await inImage("node", ["load.mjs"]);
    expect(result.stderr).toBe("");
    expect(result.code).toBe(0);
  });

  it("holds JavaScript only: no sources, no tests", () => {
    const files = readdirSync(join(image.workdir, "dist"), { recursive: true, encoding: "utf8" });
    expect(files).toContain("main.js");
    expect(files.filter((file) => /\.ts$|\.test\./u.test(file))).toEqual([]);
    expect(existsSync(join(image.workdir, "src"))).toBe(false);
  });

  it("runs as nobody in particular and says what it is", () => {
    expect(image.user).toBe("65532:65532");
    expect(Object.fromEntries(image.labels)).toMatchObject({
      "org.opencontainers.image.title": "baas-operator",
      "org.opencontainers.image.licenses": "Apache-2.0",
    });
  });
});
