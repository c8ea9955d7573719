import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { startEmulator } from "../../src/emulator/emulator.ts";
import { run, succeeded } from "../support/programs/run.ts";

/**
 * The package as others get it: packed by npm, unpacked into the node_modules of a program that has nothing of ours but the package and
 * what package.json lists as its dependencies.
 */

const repository = fileURLToPath(new URL("../..", import.meta.url));
const modules = join(repository, "node_modules");
const manifest = z
  .object({
    name: z.string(),
    version: z.string(),
    dependencies: z.record(z.string(), z.string()),
    engines: z.unknown(),
  })
  .parse(JSON.parse(readFileSync(join(repository, "package.json"), "utf8")));

let folder = "";
let consumer = "";
let packed: readonly string[] = [];

/** Strict, and without skipLibCheck: our declarations are checked whole. */
const compilerOptions = {
  target: "es2024",
  module: "nodenext",
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

const page = readFileSync(join(repository, "docs/client.md"), "utf8");
const controlPage = readFileSync(join(repository, "docs/emulator/control.md"), "utf8");

/** The TypeScript of a page: its blocks are one program. */
function blocks(text: string): readonly string[] {
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```/gmu)].map(([, code = ""]) => code);
}

/** Links an installed package into the consumer's node_modules. */
function link(name: string): void {
  const target = join(consumer, "node_modules", name);
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(join(modules, name), target);
}

async function pack(): Promise<string> {
  const source = join(folder, "workshop/source");
  mkdirSync(source, { recursive: true });
  const settings = ["package.json", "tsconfig.json", "tsconfig.build.json", "rolldown.config.ts"];
  for (const name of [...settings, "LICENSE", "README.md", "src"]) {
    cpSync(join(repository, name), join(source, name), { recursive: true });
  }
  // Beside it: within, npm would read all of it to look for what is to be bundled. And out of the consumer's sight.
  symlinkSync(modules, join(folder, "workshop/node_modules"));
  const env = { PATH: `${join(modules, ".bin")}:${process.env["PATH"] ?? ""}` };
  succeeded(await run("npm", ["pack", "--pack-destination", folder], { cwd: source, env, timeoutMs: 120_000 }));
  return join(folder, `${manifest.name}-${manifest.version}.tgz`);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "package-"));
  consumer = join(folder, "consumer");
  const tarball = await pack();
  const installed = join(consumer, "node_modules", manifest.name);
  mkdirSync(installed, { recursive: true });
  succeeded(await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", installed]));
  packed = succeeded(await run("tar", ["-tzf", tarball]))
    .trim()
    .split("\n");
  for (const name of [...Object.keys(manifest.dependencies), "@types/node"]) link(name);
  writeFileSync(join(consumer, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  writeFileSync(join(consumer, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
  cpSync(join(repository, "examples/client"), consumer, { recursive: true });
  cpSync(join(repository, "test/package/consumer.fixture.ts"), join(consumer, "consumer.ts"));
  writeFileSync(join(consumer, "page.ts"), blocks(page).join("\n"));
  writeFileSync(join(consumer, "control-page.ts"), blocks(controlPage).join("\n"));
}, 180_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the package", () => {
  it("holds the program and its types, and nothing of the workshop", () => {
    expect(packed).toEqual(
      expect.arrayContaining([
        "package/LICENSE",
        "package/README.md",
        "package/dist/licences.txt",
        "package/dist/main.js",
        "package/dist/api/public.d.ts",
      ]),
    );
    const others = packed.filter(
      (path) =>
        !/^package\/(package\.json|LICENSE|README\.md|dist\/(licences\.txt|.*\.(js|js\.map|d\.ts)))$/u.test(path),
    );
    expect(others).toEqual([]);
    expect(packed.filter((path) => /\.(test|fixture)\./u.test(path))).toEqual([]);
  });

  it("has each source map that a file of it names: without, every bundler complains", () => {
    const files = packed.filter((path) => path.endsWith(".js") || path.endsWith(".d.ts"));
    const named = files.flatMap((path) => {
      const text = readFileSync(join(consumer, "node_modules", manifest.name, path.slice("package/".length)), "utf8");
      return [...text.matchAll(/^\/\/# sourceMappingURL=(.*)$/gmu)].map(([, map = ""]) => join(dirname(path), map));
    });
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((map) => !packed.includes(map))).toEqual([]);
  });

  it("takes of Kubernetes' client what it asks for, and none of the hundreds of modules beside that", () => {
    const dist = join(consumer, "node_modules", manifest.name, "dist");
    const texts = packed
      .filter((path) => /^package\/dist\/[^/]+\.js$/u.test(path))
      .map((path) => readFileSync(join(dist, basename(path)), "utf8"));
    expect(texts.filter((text) => /["'`]@kubernetes\/client-node["'`/]/u.test(text))).toEqual([]);
    expect(texts.filter((text) => text.includes("class KubeConfig"))).toHaveLength(1);
    expect(texts.filter((text) => /class (V1Pod|ObservableCoreV1Api)\b/u.test(text))).toEqual([]);
    const licences = readFileSync(join(dist, "licences.txt"), "utf8");
    for (const name of ["@kubernetes/client-node", "commander", "js-yaml", "jsep", "socks", "zod"]) {
      expect(licences).toMatch(new RegExp(`^${name}\n\n\\s*\\S`, "mu"));
    }
  });

  it("has the program", async () => {
    const program = join(consumer, "node_modules", manifest.name, "dist/main.js");
    expect(succeeded(await run(process.execPath, [program, "--version"]))).toBe(`${manifest.version}\n`);
  });

  it("tells an older Node.js which one it needs, before anything that such a one would not understand", async () => {
    const program = join(consumer, "node_modules", manifest.name, "dist/main.js");
    const older = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } })`;
    const args = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, program, "emulator"];
    const { code, stderr } = await run(process.execPath, args);
    expect([code, stderr]).toEqual([2, "baas: Node.js 24 or newer is needed, this is 20.19.0\n"]);
    expect(manifest.engines).toEqual({ node: ">=24" });
    // A name that an older node:module does not have would end it before its first line.
    const imports = readFileSync(program, "utf8").matchAll(/^import .*$/gmu);
    expect([...imports].map(([line]) => line)).toEqual(['import nodeModule from "node:module";']);
  });

  it("type-checks in another's program, with its own types whole: the example and the page about it too", async () => {
    const checked = await run(join(modules, ".bin/tsc"), ["-p", "tsconfig.json"], { cwd: consumer });
    expect([checked.stdout, checked.code]).toEqual(["", 0]);
  });

  it("tells who gets a call wrong what it takes, and not all that is declared of the operation", async () => {
    const slip = `import type { ApiClient } from "${manifest.name}/client";
export const get = (client: ApiClient) => client.projects.get({ reff: "x" });`;
    mkdirSync(join(consumer, "slip"));
    writeFileSync(join(consumer, "slip/slip.ts"), slip);
    writeFileSync(
      join(consumer, "slip/tsconfig.json"),
      JSON.stringify({ extends: "../tsconfig.json", include: ["*.ts"] }),
    );
    const { stdout } = await run(join(modules, ".bin/tsc"), ["-p", "slip/tsconfig.json", "--noEmit"], {
      cwd: consumer,
    });
    expect(stdout).toContain("in type '{ readonly ref: string; }'. Did you mean to write 'ref'?");
    expect(stdout.split("\n")).toHaveLength(2);
  });

  it("gives another's program client and emulator", async () => {
    const { stdout, stderr } = await run(process.execPath, ["consumer.ts"], { cwd: consumer });
    expect(stderr).toBe("");
    const seen = { ref: "string", names: ["shop"], answered: [{ answer: 42 }] };
    expect(JSON.parse(stdout)).toEqual({ ...seen, refused: "INVALID_REQUEST", retry: "once" });
  });

  it("does in tests what the page says", async () => {
    const last = blocks(page).at(-1) ?? "";
    writeFileSync(join(consumer, "tests.ts"), `import { createClient } from "${manifest.name}/client";\n${last}`);
    expect(succeeded(await run(process.execPath, ["tests.ts"], { cwd: consumer }))).toBe("ACTIVE_HEALTHY\n1\n");
  });

  it("gives nothing that it does not export", async () => {
    const reach = `import "${manifest.name}/dist/api/client.js";`;
    const { code, stderr } = await run(process.execPath, ["--input-type=module", "-e", reach], { cwd: consumer });
    expect([code, stderr]).toEqual([1, expect.stringContaining("ERR_PACKAGE_PATH_NOT_EXPORTED")]);
  });
});

describe("createControlClient", () => {
  it("steers an emulator of another process as its page says", async () => {
    const emulator = await startEmulator({ tokens: ["T"] });
    const before = (await emulator.control.time.read()).nowMs;
    const code = blocks(controlPage).join("\n").replace("http://127.0.0.1:8787", emulator.url);
    writeFileSync(join(consumer, "steers.ts"), code);
    succeeded(await run(process.execPath, ["steers.ts"], { cwd: consumer }));
    expect((await emulator.control.time.read()).nowMs - before).toBeGreaterThanOrEqual(60_000);
    await emulator.stop();
  });
});

describe("examples/client", () => {
  it("does against the emulator what its page says, and again", async () => {
    const emulator = await startEmulator({ tokens: ["T"], speed: 1000 });
    const env = { PLATFORM_URL: emulator.url, PLATFORM_TOKEN: "T" };
    const example = (): Promise<string> => run(process.execPath, ["main.ts"], { cwd: consumer, env }).then(succeeded);
    const lines = (await example()).trim().split("\n");
    expect(lines[0]).toBe("I am owner");
    expect(lines.at(1)).toMatch(/^[a-z]{20} is [A-Z_]+$/u);
    expect(lines.slice(-4)).toEqual([
      "function hello, version 1",
      expect.stringMatching(/^secrets: .*GREETING/u),
      "functions.get: 404 Function not found",
      expect.stringMatching(/^[a-z]{20} is deleted$/u),
    ]);
    await example();
    await emulator.stop();
  });

  it.each([
    { env: { PLATFORM_URL: "foo" }, says: "the base URL is not a URL" },
    { env: { PLATFORM_TOKEN: "" }, says: "token: is empty" },
  ])("says what is wrong with its environment in one line: $env", async ({ env, says }) => {
    const { code, stdout, stderr } = await run(process.execPath, ["main.ts"], { cwd: consumer, env });
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining(says)]);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });

  it("says what the service refuses and what to do about it in one line, and no more of it", async () => {
    const emulator = await startEmulator({ tokens: ["T"] });
    const env = { PLATFORM_URL: emulator.url, PLATFORM_TOKEN: "another" };
    const { code, stdout, stderr } = await run(process.execPath, ["main.ts"], { cwd: consumer, env });
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringMatching(/^profile\.get: Unauthorized\. .*\n$/u)]);
    await emulator.stop();
  });
});
