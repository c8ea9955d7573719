import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runProgram } from "./program.ts";

/** Every flag that is wrong is told by its name, with what to write, and ends with 2. */

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "wrong-use-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function baas(
  ...args: readonly string[]
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const said = Promise.all([text(stdout), text(stderr)]);
  const code = await runProgram(args, { env: {}, stdout, stderr, signal: AbortSignal.abort(new Error("not to run")) });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, out, err };
}

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const OWN = ["--operator-namespace", "baas-system"];

describe("a flag that cannot be", () => {
  it.each<{ readonly verb: string; readonly flag: string; readonly value: string; readonly says: string }>([
    { verb: "run", flag: "operator-namespace", value: "", says: "expected the operator's own namespace" },
    { verb: "run", flag: "operator-namespace", value: "Bad NS", says: "write the name of a namespace" },
    { verb: "run", flag: "watch-namespace", value: "Bad NS", says: "write the name of a namespace" },
    { verb: "run", flag: "leader-election-namespace", value: "a/b", says: "write the name of a namespace" },
    { verb: "run", flag: "workload-identity-namespace", value: "", says: "write the name of a namespace" },
    { verb: "run", flag: "kubeconfig", value: "", says: "expected the name of a file" },
    { verb: "run", flag: "ca-file", value: "", says: "expected the name of a file" },
    { verb: "run", flag: "ca-file", value: "/nope.pem", says: "cannot read /nope.pem: there is no such file" },
    { verb: "run", flag: "cluster-connection-file", value: "/nope", says: "cannot read /nope: there is no such file" },
    { verb: "run", flag: "workload-identity-token-file", value: "", says: "expected the name of a file" },
    { verb: "run", flag: "health-address", value: "8080", says: "expected host:port" },
    { verb: "run", flag: "workers", value: "0", says: "expected a whole number from 1 to 256" },
    { verb: "run", flag: "workers", value: "257", says: "expected a whole number from 1 to 256" },
    { verb: "run", flag: "workers", value: "1.5", says: "expected a whole number from 1 to 256" },
    { verb: "run", flag: "workers", value: "-1", says: "expected a whole number from 1 to 256" },
    { verb: "run", flag: "workers", value: "many", says: "expected a whole number from 1 to 256" },
    { verb: "run", flag: "trace-ratio", value: "2", says: "expected a share from 0 to 1, such as 0.1" },
    { verb: "run", flag: "trace-ratio", value: "1e+05", says: "expected a share from 0 to 1, such as 0.1" },
    { verb: "run", flag: "trace-ratio", value: "-0.1", says: "expected a share from 0 to 1, such as 0.1" },
    { verb: "run", flag: "allowed-base-url", value: "https://x/v1", says: "must not end in /v1: drop it" },
    { verb: "run", flag: "allowed-base-url", value: "ftp://x", says: "must begin with https://" },
    { verb: "run", flag: "allowed-base-url", value: "", says: "write it like https://api.example.com" },
    { verb: "run", flag: "drift-interval", value: "1s", says: "expected a duration of at least 30s, such as 10m" },
    { verb: "run", flag: "drift-policy", value: "Maybe", says: "Allowed choices are Correct, Report, Ignore" },
    { verb: "run", flag: "management-policy", value: "Maybe", says: "Allowed choices are Manage, Observe" },
    { verb: "run", flag: "otlp-endpoint", value: "grpc://x", says: "expected a URL such as http://collector:4318" },
    { verb: "run", flag: "log-level", value: "loud", says: "Allowed choices are" },
    { verb: "run", flag: "log-format", value: "xml", says: "Allowed choices are json, pretty" },
    { verb: "cleanup", flag: "watch-namespace", value: "Bad NS", says: "write the name of a namespace" },
    { verb: "emulator", flag: "host", value: "", says: "expected an address or name of this machine" },
    { verb: "emulator", flag: "port", value: "-1", says: "expected a port from 0 to 65535" },
    { verb: "emulator", flag: "port", value: "80.5", says: "expected a port from 0 to 65535" },
    { verb: "emulator", flag: "port", value: "65536", says: "expected a port from 0 to 65535" },
    { verb: "emulator", flag: "speed", value: "-1", says: "expected a factor of at least 0.001" },
    { verb: "emulator", flag: "speed", value: "0", says: "expected a factor of at least 0.001" },
    { verb: "emulator", flag: "speed", value: "fast", says: "expected a factor of at least 0.001" },
    { verb: "emulator", flag: "token", value: "two words", says: "expected printable ASCII without blanks" },
    { verb: "emulator", flag: "org", value: "a b", says: "expected a slug of letters" },
    { verb: "emulator", flag: "seed", value: "", says: "expected the name of a file" },
    { verb: "emulator", flag: "data-dir", value: "", says: "expected the name of a folder" },
    { verb: "openapi", flag: "server", value: "nowhere", says: "expected a base URL like https://api.example.com" },
    { verb: "openapi", flag: "output", value: "xml", says: "Allowed choices are json, yaml" },
  ])("$verb --$flag $value", async ({ verb, flag, value, says }) => {
    const scope = verb === "run" || verb === "cleanup" ? OWN : [];
    const { code, err } = await baas(verb, ...scope, `--${flag}=${value}`);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
    expect(err).toMatch(/^baas: /u);
    expect(err).toContain(`--${flag}`);
  });

  it.each([["run", "--nonsense"], ["nonsense"], ["run", "--workers"], ["openapi", "too", "many"]])(
    "is told with the program's name before it: %s %s",
    async (...args) => {
      const { code, err } = await baas(...args);
      expect([code, err]).toEqual([2, expect.stringMatching(/^baas: /u)]);
    },
  );
});

it("--cluster-connection-file where ClusterConnections are not read is refused, as the chart refuses it", async () => {
  const { code, err } = await baas("run", ...OWN, "--watch-namespace", "a", "--cluster-connection-file", "/nope");
  expect([code, err]).toEqual([2, expect.stringContaining("--cluster-connection-file: needs a cluster-wide operator")]);
});

it.each([
  { ports: ["1", "65536"], says: "--port: expected a port" },
  { ports: ["65536", "1"], says: "--token: expected at least one" },
])("of a flag that is given twice the last one counts, as its help says: $ports", async ({ ports, says }) => {
  const { code, err } = await baas("emulator", ...ports.map((port) => `--port=${port}`));
  expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  expect((await baas("emulator", "--help")).out).toContain("given more than once the last one counts");
});

it("a flag that is none is told with where those of the verb stand", async () => {
  const { code, err } = await baas("run", "--frob");
  expect([code, err]).toEqual([2, "baas: unknown option '--frob'\nsee baas run --help\n"]);
});

it("a verb that is none is told with where the verbs stand", async () => {
  const { code, err } = await baas("frob");
  expect([code, err]).toEqual([2, "baas: unknown command 'frob'\nsee baas --help\n"]);
});

it.each([
  ["frob", "--help"],
  ["help", "frob"],
  ["--help", "frob"],
])("help for a verb that is none says so: baas %s %s", async (...args) => {
  const { code, err } = await baas(...args);
  expect([code, err]).toEqual([2, "baas: unknown command 'frob'\nsee baas --help\n"]);
});

it.each([["--help"], ["help"], ["help", "run"], ["run", "--help"], ["emulator", "--help"], ["openapi", "--help"]])(
  "help tells the exit codes: baas %s %s",
  async (...args) => {
    const { code, out } = await baas(...args);
    expect([code, out]).toEqual([0, expect.stringMatching(/\nExit codes: 0 done, 1 failed/u)]);
  },
);

describe("a file whose content is something else", () => {
  it.each([
    { flag: "kubeconfig", content: "a: b", says: "names no current-context" },
    { flag: "kubeconfig", content: "current-context: elsewhere", says: 'no context named "elsewhere"' },
    { flag: "ca-file", content: "no certificate", says: "holds no PEM certificate" },
    {
      flag: "ca-file",
      content: "-----BEGIN CERTIFICATE-----\nbm9uZQ==\n-----END CERTIFICATE-----\n",
      says: "holds a certificate that cannot be read",
    },
    { flag: "cluster-connection-file", content: "kind: Project", says: "expected the manifest of a ClusterConnection" },
    { flag: "cluster-connection-file", content: "a: [", says: "expected the manifest of a ClusterConnection" },
  ])("--$flag, $content", async ({ flag, content, says }) => {
    const { code, err } = await baas("run", ...OWN, "--log-level", "silent", `--${flag}=${file("wrong", content)}`);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(says) });
    expect(err).toContain(`baas: --${flag}: `);
  });

  it.each(["run", "cleanup"])("--kubeconfig of %s that is not there", async (verb) => {
    const { code, err } = await baas(verb, ...OWN, "--log-level", "silent", "--kubeconfig", "/nope");
    expect([code, err]).toEqual([2, "baas: --kubeconfig: cannot read /nope: there is no such file\n"]);
  });
});

it("an address for probes that is taken is told by its flag", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? String(address.port) : "";
  const config = file("good", kubeconfig("http://127.0.0.1:1"));
  const common = [...OWN, "--log-level", "silent", "--kubeconfig", config];
  const { code, err } = await baas("run", ...common, "--health-address", `127.0.0.1:${port}`);
  taken.close();
  expect([code, err]).toEqual([1, expect.stringContaining(`baas: --health-address: ${port} is in use at 127.0.0.1`)]);
});

function kubeconfig(server: string): string {
  const clusters = [{ name: "a", cluster: { server } }];
  const contexts = [{ name: "a", context: { cluster: "a", user: "a" } }];
  return JSON.stringify({ "current-context": "a", clusters, contexts, users: [{ name: "a", user: {} }] });
}
