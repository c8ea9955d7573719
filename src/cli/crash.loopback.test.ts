import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sightings } from "../../test/support/stage/canaries.ts";

/** What the program leaves behind when it ends in a way that nobody meant: on its outputs, and in the folder that it ran in. */

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const CANARY = "canary-token-5e81f0c3";
const canaries = new Map([["the token", CANARY]]);

let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-crash-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

interface End {
  readonly code: unknown;
  readonly said: string;
  /** names of the files that it left */
  readonly left: readonly string[];
}

/**
 * Runs the program in an empty folder until it ends.
 *
 * @param crash JavaScript that is run within it once it serves, if it comes to that
 */
async function runToEnd(args: readonly string[], crash?: string): Promise<End> {
  const cwd = await mkdtemp(join(folder, "run-"));
  const hook = `process.on("SIGUSR2", () => { ${crash ?? ""} })`;
  const preload = crash === undefined ? [] : ["--import", `data:text/javascript,${encodeURIComponent(hook)}`];
  const child = spawn(process.execPath, [...preload, MAIN, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  if (crash !== undefined) child.stdout.once("data", () => child.kill("SIGUSR2"));
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, said: out + err, left: await readdir(cwd) };
}

describe("an error that nobody caught", () => {
  const error = `Object.assign(new TypeError("refused ${CANARY}\\n    at ${CANARY} (file:///${CANARY})"), { code: "ERR_X", headers: { authorization: "${CANARY}" } })`;

  it.each([
    { why: "thrown", crash: `throw ${error}`, told: { error: "TypeError", code: "ERR_X" } },
    { why: "rejected", crash: `Promise.reject(${error})`, told: { error: "TypeError", code: "ERR_X" } },
    {
      why: "as the cause of another one",
      crash: `throw new RangeError("outer", { cause: ${error} })`,
      told: { error: "RangeError", causes: [{ error: "TypeError", code: "ERR_X" }] },
    },
    {
      why: "among several",
      crash: `throw new AggregateError([${error}], "${CANARY}")`,
      told: { error: "AggregateError" },
    },
    { why: "an object that is no error", crash: `throw { token: "${CANARY}" }`, told: { error: "object" } },
    { why: "a text", crash: `throw "${CANARY}"`, told: { error: "string" } },
    { why: "a text, rejected", crash: `Promise.reject("${CANARY}")`, told: { code: "ERR_UNHANDLED_REJECTION" } },
  ])("ends the program with 1 and one line of kinds, codes and places, without its words: $why", async (row) => {
    const { code, said, left } = await runToEnd(["emulator", "--port", "0", "--token", "t"], row.crash);
    expect(code).toBe(1);
    const line = said.split("\n").find((candidate) => candidate.includes("nobody caught")) ?? "";
    expect(JSON.parse(line)).toMatchObject({ level: "error", ...row.told });
    expect(sightings(said, canaries, { digests: true })).toEqual([]);
    expect(left).toEqual([]);
  });

  it("tells where it was thrown", async () => {
    const { said } = await runToEnd(["emulator", "--port", "0", "--token", "t"], `require("node:url").format(1)`);
    expect(said).toMatch(/"stack":\["at /u);
  });
});

describe("a start that fails", () => {
  const kubeconfig = (user: string): string =>
    `apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters: [{name: a, cluster: {server: "http://127.0.0.1:1"}}]\ncontexts: [{name: a, context: {cluster: a, user: a}}]\nusers: [{name: a, user: ${user}}]\n`;

  it.each([
    { why: "no YAML", kubeconfig: kubeconfig(`{token: "${CANARY}"`), ends: 2 },
    { why: "a token of the wrong type", kubeconfig: kubeconfig(`{token: [${CANARY}]}`) },
    {
      why: "a key that is none",
      kubeconfig: kubeconfig(`{client-key-data: ${CANARY}, client-certificate-data: YQ==}`),
    },
    { why: "a plugin that prints it", kubeconfig: kubeconfig(plugin(`echo ${CANARY} >&2; echo ${CANARY}; exit 3`)) },
    { why: "an apiserver that is away", kubeconfig: kubeconfig(`{token: ${CANARY}}`) },
  ])("says why without quoting the kubeconfig: $why", async (row) => {
    const path = join(folder, "kubeconfig");
    await writeFile(path, row.kubeconfig);
    const args = ["run", "--kubeconfig", path, "--operator-namespace", "ns", "--health-address", "127.0.0.1:0"];
    const { code, said } = await runToEnd([...args, "--log-level", "trace"]);
    expect(code).toBe("ends" in row ? row.ends : 1);
    expect(said).not.toBe("");
    expect(sightings(said, canaries, { digests: true })).toEqual([]);
  });
});

function plugin(script: string): string {
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "sh",
    args: ["-c", script],
    interactiveMode: "Never",
  };
  return JSON.stringify({ exec });
}
