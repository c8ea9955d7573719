import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { sightings } from "../support/stage/canaries.ts";
import { Between } from "../support/stopping/between.ts";

/**
 * The operator ends by an error that nobody caught, in the middle of its work, and the error holds what a library may put there: a request with the
 * token that it carries, and the values that it sets. None of that is told, and what was begun is ended by the next process (engine.md §8).
 */

const TOKEN = "canary-token-4c1d77e09a";
const VALUE = "canary-value-90be5512f3";

let between: Between;
let folder = "";
let canaries: ReadonlyMap<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "baas-crash-"));
  between = await Between.open();
  canaries = new Map([
    ["the token", TOKEN],
    ["a secret's value", VALUE],
    ["the operator's own token", between.plane.token],
  ]);
  await between.emulator.control.tokens.add({ token: TOKEN, user: "owner" });
}, 180_000);

afterAll(async () => {
  await between[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

afterEach(() => between.clear());

/**
 * JavaScript that breaks the program as it makes a request.
 *
 * @param request method and path, as a pattern
 * @param held file that gets what the error holds
 * @param crash what is done with `error`
 */
function breaking(request: RegExp, held: string, crash: string): string {
  return `
    import { subscribe } from "node:diagnostics_channel";
    import { writeFileSync } from "node:fs";
    let isOver = false;
    subscribe("undici:request:create", ({ request }) => {
      if (isOver || !${String(request)}.test(request.method + " " + request.path)) return;
      isOver = true;
      const text = JSON.stringify([request.headers, String(request.body)]);
      writeFileSync(${JSON.stringify(held)}, text);
      const error = Object.assign(new TypeError("cannot send " + text), { code: "ERR_BROKEN", request });
      ${crash};
    });`;
}

/** Everything of the cluster but the Secrets. */
async function everything(namespace: string): Promise<string> {
  const ours = ["connections", "projects", "secrets.baas.dev", "events", "configmaps"].join(",");
  const own = await kubectl(between.plane, [`--namespace=${namespace}`, "get", ours, "--output=json"]);
  const lists = await kubectl(between.plane, ["get", "configmaps,events,leases", "--all-namespaces", "--output=json"]);
  return succeeded(own) + succeeded(lists);
}

describe("an operator that ends by an error that nobody caught", () => {
  const setsSecrets = /^POST \/v1\/projects\/[a-z]{20}\/secrets$/u;
  it.each([
    {
      why: "thrown as it sets secrets",
      request: setsSecrets,
      crash: "throw error",
      holds: ["the token", "a secret's value"],
    },
    {
      why: "rejected as it sets secrets, and nobody listens",
      request: setsSecrets,
      crash: "void Promise.reject(error)",
      holds: ["the token", "a secret's value"],
    },
    {
      why: "the cause of another one, later",
      request: setsSecrets,
      crash: "setTimeout(() => { throw new RangeError(error.message, { cause: error }) })",
      holds: ["the token", "a secret's value"],
    },
    {
      why: "thrown as it writes a status",
      request: /^PATCH \/apis\/baas\.dev\/.*\/projects\/a\/status/u,
      crash: "throw error",
      holds: ["the operator's own token"],
    },
  ])("tells no secret value, and the next one ends its work: $why", async ({ request, crash, holds }) => {
    const cwd = mkdtempSync(join(folder, "run-"));
    const held = join(folder, "held");
    const process = between.startWith({ preload: breaking(request, held, crash), cwd });
    await between.said(process, "workers started");
    const namespace = await between.projects("a");
    const at = (name: string): object => ({ name, namespace });
    const spec = { projectRef: { name: "a" }, from: [{ secretRef: { name: "values" } }] };
    await between.apply(
      { apiVersion: "v1", kind: "Secret", metadata: at("token"), stringData: { token: TOKEN } },
      { apiVersion: "v1", kind: "Secret", metadata: at("values"), stringData: { NAME: VALUE } },
      { apiVersion: "baas.dev/v1alpha1", kind: "Secret", metadata: at("env"), spec },
    );
    expect(await process.exited).toEqual({ code: 1, signal: null });
    const found = sightings(readFileSync(held, "utf8"), canaries, { digests: false }).map(({ canary }) => canary);
    expect(found).toEqual(expect.arrayContaining(holds));
    const last = process.logs().trimEnd().split("\n").at(-1) ?? "";
    expect(JSON.parse(last)).toMatchObject({
      level: "error",
      msg: expect.stringContaining("nobody caught") as unknown,
    });
    expect(last).toContain('"ERR_BROKEN"');
    expect(sightings(process.logs(), canaries, { digests: true })).toEqual([]);
    expect(sightings(await everything(namespace), canaries, { digests: true })).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
    between.start();
    const ready = ["--namespace", namespace, "wait", "--for=condition=Ready", "project/a", "secret.baas.dev/env"];
    succeeded(await kubectl(between.plane, [...ready, "--timeout=60s"]));
  });
});
