import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { programs } from "./programs.ts";

const rootFile = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * The builder as a process, on a copy of this folder and of what it imports, with a `go` that is a script: it writes the program at once, or waits for a file, or
 * fails. The real one takes minutes; `npm run tools` before the tests is its test.
 */
const go = `#!/bin/sh
if [ "$1" = env ]; then echo "\${GO_SAYS:-go1.99.0}"; exit 0; fi
while [ "$1" != -o ]; do shift; done
echo "$2" >> "$GO_LOG"
echo half > "$2"
echo $$ > "$GO_LOG.pid"
if [ -n "$GO_WAITS_FOR" ]; then
  tries=0
  while [ ! -f "$GO_WAITS_FOR" ] && [ $tries -lt 2400 ]; do sleep 0.05; tries=$((tries + 1)); done
fi
case "$2" in *"/\${GO_FAILS:-nothing}")
  for i in $(seq 1 40); do echo "error number $i" >&2; done
  exit 1
esac
printf '#!/bin/sh\\necho whole\\n' > "$2"
chmod +x "$2"
`;
const names = programs.map((program) => program.name);

describe("npm run tools", () => {
  let folder = "";
  const log = (): string => join(folder, "go.log");
  const built = (): readonly string[] => {
    const lines = existsSync(log()) ? readFileSync(log(), "utf8").trim().split("\n") : [];
    return lines.map((line) => line.replace(/.*\//u, ""));
  };
  const inBin = (): readonly string[] =>
    globSync(join(folder, ".tools/*/bin/*")).map((path) => path.replace(/.*\//u, ""));
  const start = (environment: Readonly<Record<string, string>> = {}): ChildProcess =>
    spawn(process.execPath, [join(folder, "tools/main.ts")], {
      cwd: folder,
      env: { PATH: `${join(folder, "path")}:/usr/bin:/bin`, GO_LOG: log(), ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
  const end = async (child: ChildProcess): Promise<{ readonly code: unknown; readonly said: string }> => {
    if (child.stdout === null || child.stderr === null) throw new Error("started without pipes");
    const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
    return { code, said: out + err };
  };
  const build = (environment: Readonly<Record<string, string>> = {}): ReturnType<typeof end> => end(start(environment));

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "tools-"));
    const copied = ["tools", "src/cli/standard-output.ts", "src/base/write-whole.ts"]; // itself, and what it is made of besides
    for (const path of copied) cpSync(rootFile(path), join(folder, path), { recursive: true });
    mkdirSync(join(folder, "path"));
    writeFileSync(join(folder, "path/go"), go);
    chmodSync(join(folder, "path/go"), 0o755);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("builds every program once, saying what it does and how long it took", async () => {
    const first = await build();
    expect(first.code).toBe(0);
    for (const name of names) expect(first.said).toMatch(new RegExp(`${name} +\\d+s +done`, "u"));
    expect(inBin().toSorted()).toEqual(names.toSorted());
    const second = await build();
    expect(second.said.trim().split("\n")).toEqual([expect.stringContaining(`${names.join(", ")} are in .tools/`)]);
    expect(built()).toEqual(names);
  });

  it("builds anew when go.sum changes", async () => {
    await build();
    writeFileSync(join(folder, "tools/go.sum"), "changed\n", { flag: "a" });
    await build();
    expect(built()).toEqual([...names, ...names]);
  });

  it("shows the last lines of a program that cannot be built, keeps the ones before it, and goes on there next time", async () => {
    const failed = await build({ GO_FAILS: "kubectl" });
    expect(failed.code).toBe(1);
    expect(failed.said).toMatch(
      /kubectl \(k8s\.io\/kubernetes\/cmd\/kubectl\) could not be built:[^]*error number 40/u,
    );
    expect(failed.said).not.toContain("error number 10\n");
    expect(inBin()).not.toContain("kubectl");
    expect((await build()).code).toBe(0);
    expect(built().filter((name) => name === "etcd")).toHaveLength(1);
  });

  it.each([
    { why: "absent", environment: { PATH: "" }, says: "no `go` on PATH" },
    { why: "too old", environment: { GO_SAYS: "go1.22.1" }, says: "is go1.22.1" },
  ])("says what to install when Go is $why", async ({ environment, says }) => {
    const { code, said } = await build(environment);
    expect(code).toBe(1);
    expect(said).toContain(says);
    expect(said).toMatch(/Go 1\.26 or newer is needed[^]*Install Go from[^]*KUBEBUILDER_ASSETS/u);
  });

  it("leaves each program to one of two that run at once", async () => {
    const release = join(folder, "release");
    const first = start({ GO_WAITS_FOR: release });
    await vi.waitFor(() => expect(built()).toHaveLength(1), { timeout: 20_000 });
    const second = start();
    let heard = "";
    second.stderr?.on("data", (data) => (heard += String(data)));
    const ends = [end(first), end(second)];
    await vi.waitFor(() => expect(heard).toContain(`waiting for process ${first.pid}`), { timeout: 20_000 });
    writeFileSync(release, "");
    const results = await Promise.all(ends);
    expect(results.map((result) => result.code)).toEqual([0, 0]);
    expect(built()).toEqual(names);
  });

  it.each([
    { signal: "SIGINT", code: 130 },
    { signal: "SIGTERM", code: 143 },
  ] as const)("ends on $signal with the compiler, leaving nothing half-built", async ({ signal, code }) => {
    const child = start({ GO_WAITS_FOR: join(folder, "never") });
    await vi.waitFor(() => expect(existsSync(`${log()}.pid`)).toBe(true), { timeout: 20_000 });
    const compiler = Number(readFileSync(`${log()}.pid`, "utf8"));
    const ended = end(child);
    child.kill(signal);
    const result = await ended;
    expect(result.code).toBe(code);
    expect(result.said).toContain(`stopped by ${signal}`);
    expect(() => process.kill(compiler, 0)).toThrow("ESRCH");
    expect(globSync(join(folder, ".tools/*/{bin/*,scratch-*,lock}"))).toEqual([]);
  });

  it("is not misled by what a killed one left: neither its lock nor its half-built program", async () => {
    const child = start({ GO_WAITS_FOR: join(folder, "release") });
    await vi.waitFor(() => expect(existsSync(`${log()}.pid`)).toBe(true), { timeout: 20_000 });
    const ended = end(child);
    child.kill("SIGKILL");
    writeFileSync(join(folder, "release"), "");
    await ended;
    expect(inBin()).toEqual([]);
    expect((await build()).code).toBe(0);
    for (const path of globSync(join(folder, ".tools/*/bin/*"))) expect(readFileSync(path, "utf8")).toContain("whole");
    expect(globSync(join(folder, ".tools/*/{scratch-*,lock}"))).toEqual([]);
  });

  it("takes what KUBEBUILDER_ASSETS holds and builds only what it lacks", async () => {
    const assets = join(folder, "assets");
    mkdirSync(assets);
    for (const name of ["etcd", "kube-apiserver", "kubectl"]) writeFileSync(join(assets, name), "", { mode: 0o755 });
    const { code, said } = await build({ KUBEBUILDER_ASSETS: assets });
    expect(code).toBe(0);
    expect(built()).toEqual(["kube-controller-manager", "helm", "kind"]);
    expect(said).toMatch(/are in assets and \.tools\//u);
  });

  it("refuses a KUBEBUILDER_ASSETS that is not there, rather than building for minutes", async () => {
    const { code, said } = await build({ KUBEBUILDER_ASSETS: join(folder, "typo") });
    expect(code).toBe(1);
    expect(said).toContain("which does not exist");
  });
});
