import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it, vi } from "vitest";
import { REF } from "../../../test/support/emulator/every-call.ts";
import { type EmulatorUnderTest, emulatorUnderTest, TOKEN } from "../../../test/support/emulator/api.ts";
import { NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";
import type { FaultRuleInput } from "./faults.ts";

const create = ({ call }: EmulatorUnderTest) =>
  call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop" } });

async function projectCount({ control }: EmulatorUnderTest): Promise<number> {
  return (await control.state.read()).projects.length;
}

const on = (fault: FaultRuleInput["fault"]): FaultRuleInput => ({ operation: "projects.create", fault });

/** The names of an answer's headers as they are on the wire. */
async function namesOf(method: string, url: string): Promise<readonly string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const asked = request(url, { method, headers, agent: false }, (response) => {
    const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
    text(response).then(
      () => resolve(names),
      () => resolve(names), // cut within the body
    );
  });
  asked.on("error", reject).end();
  return promise;
}

describe("a fault", () => {
  it.each([
    { fault: { kind: "status", status: 503 }, status: 503, text: '{"message":"Injected fault"}', made: 0 },
    { fault: { kind: "status", status: 502, body: { error: "x" } }, status: 502, text: '{"error":"x"}', made: 0 },
    {
      fault: { kind: "status", status: 500, phase: "after" },
      status: 500,
      text: '{"message":"Injected fault"}',
      made: 1,
    },
    { fault: { kind: "status", status: 400, body: "not allowed" }, status: 400, text: "not allowed", made: 0 },
    { fault: { kind: "html" }, status: 502, text: "<html>", made: 0 },
    { fault: { kind: "html", status: 504, phase: "after" }, status: 504, text: "<html>", made: 1 },
    { fault: { kind: "empty" }, status: 201, text: "", made: 1 },
    { fault: { kind: "empty", phase: "before" }, status: 201, text: "", made: 0 },
    { fault: { kind: "truncated", framing: "whole" }, status: 201, text: '{"id":', made: 1 },
    { fault: { kind: "truncated", framing: "whole", phase: "before" }, status: 201, text: '{"message":"', made: 0 },
  ] as const)("$fault answers $status and leaves $made project", async ({ fault, status, text, made }) => {
    await using under = await emulatorUnderTest();
    await under.control.faults.add(on(fault));
    const answer = await create(under);
    const isText = text === "" ? answer.text === "" : answer.text.startsWith(text);
    expect([answer.status, isText, await projectCount(under)]).toEqual([status, true, made]);
    expect(answer.headers["x-ratelimit-limit"]).toBe("120");
    const entry = (await under.control.log.read()).entries[0];
    expect([entry?.fault, entry?.status]).toEqual([fault.kind, status]);
    expect((await create(under)).status).toBe(made === 1 ? 409 : 201);
  });

  it.each([
    { fault: { kind: "reset" }, made: 0, error: "ECONNRESET" },
    { fault: { kind: "reset", phase: "after" }, made: 1, error: "ECONNRESET" },
    { fault: { kind: "truncated" }, made: 1, error: "UND_ERR_SOCKET" },
    { fault: { kind: "truncated", phase: "before" }, made: 0, error: "UND_ERR_SOCKET" },
  ] as const)("[K-01] $fault breaks the connection and leaves $made project", async ({ fault, made, error }) => {
    await using under = await emulatorUnderTest();
    await under.control.faults.add(on(fault));
    await expect(create(under)).rejects.toMatchObject({ code: error });
    expect(await projectCount(under)).toBe(made);
    expect((await create(under)).status).toBe(made === 1 ? 409 : 201);
  });

  it.each([
    { phase: "before", made: 0 },
    { phase: "after", made: 1 },
  ] as const)("half-open $phase the effect never answers and leaves $made project", async ({ phase, made }) => {
    await using under = await emulatorUnderTest();
    await under.control.faults.add(on({ kind: "half-open", phase }));
    let settled = false;
    const hanging = create(under).then(
      () => "answered",
      () => "broken",
    );
    void hanging.finally(() => (settled = true));
    await vi.waitFor(async () => expect((await under.control.log.read()).entries[0]?.fault).toBe("half-open"));
    expect([settled, await projectCount(under)]).toEqual([false, made]);
    await under.emulator.stop(); // does not wait for it
    expect(await hanging).toBe("broken");
  });

  it.each([
    { phase: "before", made: 0 },
    { phase: "after", made: 1 },
  ] as const)("delay $phase the effect answers only when its time has passed", async ({ phase, made }) => {
    await using under = await emulatorUnderTest();
    await under.control.faults.add(on({ kind: "delay", ms: 5000, phase }));
    let settled = false;
    const delayed = create(under).finally(() => (settled = true));
    await vi.waitFor(() => expect(under.clock.pendingTimers).toBe(1));
    expect([settled, await projectCount(under)]).toEqual([false, made]);
    await under.control.time.advance({ ms: 5000 });
    expect([(await delayed).status, await projectCount(under)]).toEqual([201, 1]);
  });

  it.each(
    (["GET", "HEAD"] as const).flatMap((method) =>
      (
        [
          undefined,
          { kind: "status", status: 503 },
          { kind: "html" },
          { kind: "empty" },
          { kind: "truncated", framing: "whole" },
          { kind: "truncated", framing: "cut" },
        ] as const
      ).map((fault) => ({ method, fault })),
    ),
  )("leaves the names of headers as they are written: $method, $fault", async ({ method, fault }) => {
    await using under = await emulatorUnderTest();
    if (fault !== undefined) await under.control.faults.add({ operation: "*", fault });
    const names = await namesOf(method, `${under.emulator.url}/v1/profile`);
    const limits = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];
    expect(names.filter((name) => name.toLowerCase().startsWith("x-ratelimit"))).toEqual(limits);
    expect(names.map((name) => name.toLowerCase())).toContain("date");
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
  });

  it("leaves a count that it truncates its headers, and closes", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    await under.control.faults.add({ operation: "*", fault: { kind: "truncated", framing: "cut" } });
    const names = await namesOf("HEAD", `${under.emulator.url}/v1/projects/${REF}/actions`);
    expect(names).toContain("X-Total-Count");
  });

  it.each(["before", "after"] as const)(
    "truncated whole frames half of the JSON as if it were all: %s",
    async (phase) => {
      await using under = await emulatorUnderTest();
      await under.control.faults.add(on({ kind: "truncated", framing: "whole", phase }));
      const answer = await create(under);
      expect([answer.json, answer.headers["content-length"]]).toEqual([undefined, String(answer.text.length)]);
      expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    },
  );

  it.each([
    { call: ["POST", `/v1/projects/${REF}/secrets`, [{ name: "A", value: "a" }]], answers: '201 {"message":"' },
    { call: ["DELETE", `/v2/projects/${REF}/analytics/log-drains/${randomUUID()}`], answers: "204 " },
    { call: ["HEAD", `/v1/projects/${REF}/actions`], answers: "200 " },
  ] as const)(
    "truncated before the effect answers as one that succeeds, where a body may be: $call.0 $call.1",
    async ({ call: [method, path, body], answers }) => {
      await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
      await under.control.faults.add({
        operation: "*",
        fault: { kind: "truncated", framing: "whole", phase: "before" },
      });
      const { status, text } = await under.call(method, path, body === undefined ? {} : { body });
      expect(`${status} ${text}`).toMatch(new RegExp(`^${answers}[a-zA-Z ]*$`));
      expect((await under.call("GET", `/v1/projects/${REF}/secrets`)).text).not.toContain('"A"');
    },
  );

  it("may carry headers of its own, Retry-After for example", async () => {
    await using under = await emulatorUnderTest();
    await under.control.faults.add(on({ kind: "status", status: 503, headers: { "retry-after": "7" } }));
    expect((await create(under)).headers["retry-after"]).toBe("7");
  });

  it("hits the operation that it names and no other, and spends budget as any request", async () => {
    await using under = await emulatorUnderTest();
    await under.control.faults.add({ operation: "profile.get", count: 2, fault: { kind: "status", status: 503 } });
    expect((await under.call("GET", "/v1/organizations")).status).toBe(200);
    const statuses = [];
    for (let index = 0; index < 3; index += 1) statuses.push((await under.call("GET", "/v1/profile")).status);
    expect(statuses).toEqual([503, 503, 200]);
    expect((await under.call("GET", "/v1/profile")).headers["x-ratelimit-remaining"]).toBe("115");
  });

  it("spoils a refusal as well as a success", async () => {
    await using under = await emulatorUnderTest();
    await under.control.faults.add({ operation: "projects.get", fault: { kind: "empty" } });
    const answer = await under.call("GET", `/v1/projects/${"z".repeat(20)}`);
    expect([answer.status, answer.text]).toEqual([404, ""]);
  });

  it("can be listed with its hits, and taken back", async () => {
    await using under = await emulatorUnderTest();
    const { id } = await under.control.faults.add({ operation: "*", count: null, fault: { kind: "html" } });
    await under.call("GET", "/v1/profile");
    expect(await under.control.faults.list()).toMatchObject([{ id, hits: 1, rule: { operation: "*" } }]);
    expect(await under.control.faults.remove({ id })).toEqual({ removed: true });
    expect((await under.call("GET", "/v1/profile")).status).toBe(200);
  });
});
