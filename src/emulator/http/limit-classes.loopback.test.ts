import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import { emulatorUnderTest, type EmulatorUnderTest, type Received } from "../../../test/support/emulator/api.ts";

/**
 * The ten rows of the exception table (behaviour.md, Limits), bound to operations as the head of facts.md says: same method, same last path
 * segments. `database/context` is two of them.
 */
const EXCEPTIONS = [
  ["GET /v1/projects/{ref}/analytics/endpoints/logs.all", "30 in 60 s"],
  ["GET /v1/projects/{ref}/analytics/endpoints/usage.api-counts", "30 in 60 s"],
  ["GET /v1/projects/{ref}/analytics/endpoints/usage.api-requests-count", "30 in 60 s"],
  ["GET /v1/projects/{ref}/database/context", "10 in 60 s", "1 in 1 s"],
  ["POST /v1/projects/{ref}/custom-hostname/initialize", "10 in 60 s"],
  ["POST /v1/projects/{ref}/custom-hostname/reverify", "10 in 60 s"],
  ["DELETE /v1/projects/{ref}/custom-hostname", "10 in 60 s"],
  ["GET /v1/projects/{ref}/vanity-subdomain", "10 in 60 s"],
  ["POST /v1/projects/{ref}/database/migrations", "120 in 180 s"],
] as const;

const limited = operations.flatMap((operation) =>
  operation.limitClass === undefined ? [] : [{ ...operation, limitClass: operation.limitClass }],
);
const REF = "abcdefghijklmnopqrst";

const budget = ({ status, headers }: Received) => [
  status === 429 ? 429 : "let through",
  Number(headers["x-ratelimit-limit"]),
  Number(headers["x-ratelimit-remaining"]),
];

describe("the endpoints that have a limit of their own", () => {
  it("are those of the table, each with its windows", () => {
    const declared = limited.map(({ method, path, limitClass }) => [
      `${method} ${path}`,
      ...limitClass.windows.map(({ requests, windowMs }) => `${requests} in ${windowMs / 1000} s`),
    ]);
    const byRoute = (a: readonly string[], b: readonly string[]): number => ((a[0] ?? "") < (b[0] ?? "") ? -1 : 1);
    expect(declared.toSorted(byRoute)).toEqual(EXCEPTIONS.toSorted(byRoute));
    expect(new Set(limited.map(({ limitClass }) => limitClass.name)).size).toBe(EXCEPTIONS.length);
  });

  it.each(limited.map((operation) => ({ operation, id: operation.id })))(
    "$id spends its own window and the project's, and is refused when its own is spent",
    async ({ operation }) => {
      await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 1000 } });
      const windows = operation.limitClass.windows.toSorted((a, b) => a.windowMs - b.windowMs);
      const { requests, windowMs } = windows.at(-1) ?? { requests: 0, windowMs: 0 };
      const gapMs = windows.length > 1 ? (windows[0]?.windowMs ?? 0) : 0;
      const call = (): Promise<Received> => under.call(operation.method, operation.path.replace("{ref}", REF));
      for (let used = 1; used <= requests; used += 1) {
        expect((await call()).status).not.toBe(429);
        under.clock.advance(gapMs);
      }
      expect(budget(await call())).toEqual([429, requests, 0]);
      expect(await standardLeft(under)).toBe(1000 - requests - 1); // what was refused counts in no window
      under.clock.advance(windowMs - requests * gapMs);
      expect((await call()).status).not.toBe(429);
    },
  );

  it("GET database/context is asked for once in a second, too", async () => {
    await using under = await emulatorUnderTest();
    const call = (): Promise<Received> => under.call("GET", `/v1/projects/${REF}/database/context`);
    expect(budget(await call())).toEqual(["let through", 1, 0]);
    under.clock.advance(999);
    expect(budget(await call())).toEqual([429, 1, 0]);
    under.clock.advance(1);
    expect(budget(await call())).toEqual(["let through", 1, 0]);
  });
});

/** What the standard window of the project says after one request more. */
async function standardLeft({ call }: EmulatorUnderTest): Promise<number> {
  const { headers } = await call("GET", `/v1/projects/${REF}/functions`);
  return Number(headers["x-ratelimit-remaining"]);
}

describe("a branch's ref", () => {
  it("is a scope of its own, and the branch's own paths count with the parent project", async () => {
    const seed = { projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }, { name: "dev" }] }] };
    await using under = await emulatorUnderTest({ seed });
    const dev = (await under.control.state.read()).branches.at(-1);
    const left = async (path: string) => budget(await under.call("GET", path))[2];
    expect(await left(`/v1/projects/${dev?.projectRef ?? ""}/functions`)).toBe(119);
    expect(await left(`/v1/projects/${REF}/functions`)).toBe(119);
    expect(await left(`/v1/projects/${REF}/secrets`)).toBe(118);
    expect(await left(`/v1/branches/${dev?.id ?? ""}`)).toBe(117);
    expect(await left(`/v1/branches/${dev?.projectRef ?? ""}`)).toBe(116);
    expect(await left(`/v1/projects/${dev?.projectRef ?? ""}/functions`)).toBe(118);
  });
});

describe("limit headers", () => {
  it.each([
    { because: "an operation takes no token", method: "GET", path: "/v1/oauth/authorize", status: 400 },
    { because: "a form is refused", method: "POST", path: "/v1/oauth/token", status: 400 },
    { because: "there is no such path", method: "GET", path: "/v1/nothing", status: 404 },
    { because: "there is no such project", method: "GET", path: `/v1/projects/${REF}`, status: 404 },
    { because: "there is no such method", method: "TRACE", path: "/v1/profile", status: 404 },
    { because: "there is no body", method: "HEAD", path: "/v1/profile", status: 200 },
  ])("come also when $because", async ({ method, path, status }) => {
    await using under = await emulatorUnderTest();
    const answer = await under.call(method, path);
    expect([answer.status, ...budget(answer)]).toEqual([status, "let through", 120, 119]);
    expect(answer.headers["x-ratelimit-reset"]).toBe("60");
  });
});
