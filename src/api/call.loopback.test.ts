import { describe, expect, test } from "vitest";
import { DeadlineError } from "../base/abort.ts";
import type { Reply } from "../../test/support/api-server/scripted-server.ts";
import {
  TEST_CREATE,
  TEST_PROJECT,
  TEST_REF,
  failureOf,
  scriptedClients,
} from "../../test/support/api-server/test-client.ts";

const start = scriptedClients();

describe("what is sent again", () => {
  const failures: readonly { readonly name: string; readonly reply: Reply }[] = [
    { name: "502", reply: { status: 502, headers: { "content-type": "text/html" }, body: "<html>bad gateway</html>" } },
    { name: "503", reply: { status: 503, body: { message: "busy" } } },
    { name: "504", reply: { status: 504 } },
    { name: "a reset connection", reply: "reset" },
    { name: "half an answer", reply: { truncated: '{"ref":' } },
  ];

  test.each(failures)("[K-40] a read after $name, unseen", async ({ reply }) => {
    const { client, calls } = await start((_, nth) => (nth < 3 ? reply : { status: 200, body: TEST_PROJECT }));
    expect(await client.projects.get({ ref: TEST_REF })).toMatchObject({ ref: TEST_REF });
    expect(calls()).toHaveLength(3);
  });

  test.each(failures)("[K-40] never a create after $name: what happened is unknown", async ({ reply }) => {
    const { client, calls } = await start(() => reply);
    expect(await failureOf(client.projects.create(TEST_CREATE))).toMatchObject({ effect: "unknown", retryable: true });
    expect(calls()).toHaveLength(1);
  });

  test.each(failures)("a delete after $name, since a second one has no further effect", async ({ reply }) => {
    const { client, calls } = await start((_, nth) => (nth < 2 ? reply : { status: 200 }));
    await client.functions.delete({ ref: TEST_REF, function_slug: "hello" });
    expect(calls()).toHaveLength(2);
  });

  test("a read that gets no answer, after a while", async () => {
    const { client } = await start((_, nth) => (nth < 2 ? "silence" : { status: 200, body: TEST_PROJECT }), {
      limits: { attemptMs: 100 },
    });
    expect(await client.projects.get({ ref: TEST_REF })).toMatchObject({ ref: TEST_REF });
  });

  test("not for ever", async () => {
    const { client, calls } = await start(() => ({ status: 503, body: { message: "busy" } }));
    expect(await failureOf(client.projects.get({ ref: TEST_REF }))).toMatchObject({
      code: "UNAVAILABLE",
      message: "busy",
    });
    expect(calls()).toHaveLength(4);
  });

  test("an operation that answered 500 is not", async () => {
    const { client, calls } = await start(() => ({ status: 500, body: { message: "oops" } }));
    expect(await failureOf(client.projects.get({ ref: TEST_REF }))).toMatchObject({
      code: "SERVER_ERROR",
      effect: "unknown",
    });
    expect(calls()).toHaveLength(1);
  });
});

describe("how a call ends", () => {
  test("cancelled before, it sends nothing and says so", async () => {
    const { client, calls } = await start(() => ({ status: 200, body: TEST_PROJECT }));
    const error = await failureOf(
      client.projects.create(TEST_CREATE, { signal: AbortSignal.abort(new Error("stop")) }),
    );
    expect(error).toMatchObject({ code: "ABORTED", effect: "none" });
    expect(calls()).toHaveLength(0);
  });

  test("ended by the deadline of its caller, it says so", async () => {
    const { client } = await start(() => "silence");
    const signal = AbortSignal.abort(new DeadlineError(5));
    expect(await failureOf(client.projects.create(TEST_CREATE, { signal }))).toMatchObject({
      code: "DEADLINE",
      effect: "none",
    });
  });

  test("cancelled while it waits for the answer, what happened is unknown", async () => {
    const stop = new AbortController();
    const { client } = await start(() => {
      setImmediate(() => stop.abort(new Error("lost leadership")));
      return "silence";
    });
    const error = await failureOf(client.projects.create(TEST_CREATE, { signal: stop.signal }));
    expect(error).toMatchObject({ code: "ABORTED", effect: "unknown" });
  });

  test("its own deadline is told apart from a cancellation", async () => {
    const { client } = await start(() => "silence");
    const error = await failureOf(client.projects.create(TEST_CREATE, { deadlineMs: 150 }));
    expect(error).toMatchObject({ code: "DEADLINE", effect: "unknown", message: "no answer in time" });
  });

  test("no connection: nothing happened, whatever the operation", async () => {
    const { client, server } = await start(() => ({ status: 200, body: TEST_PROJECT }));
    await server.stop();
    const error = await failureOf(client.projects.create(TEST_CREATE));
    expect(error).toMatchObject({ code: "CONNECT_FAILED", effect: "none" });
    expect(error.message).toMatch(/^no connection to the platform \(ECONNREFUSED\)$/);
  });

  test("a process that may not start requests sends none", async () => {
    const { client, calls } = await start(() => ({ status: 200, body: TEST_PROJECT }), { mayStart: () => false });
    expect(await failureOf(client.projects.create(TEST_CREATE))).toMatchObject({ code: "NOT_STARTED", effect: "none" });
    expect(calls()).toHaveLength(0);
  });

  test("closing ends what is under way and refuses what comes after", async () => {
    const arrived = Promise.withResolvers<void>();
    const { client } = await start(() => {
      arrived.resolve();
      return "silence";
    });
    const running = failureOf(client.projects.create(TEST_CREATE));
    await arrived.promise;
    await client.close();
    const cause = { code: "CLIENT_CLOSED" };
    expect(await running).toMatchObject({ code: "ABORTED", effect: "unknown", cause });
    expect(await failureOf(client.projects.list())).toMatchObject({ code: "NOT_STARTED", cause });
    expect(await failureOf(client.identity())).toMatchObject({ code: "NOT_STARTED", cause });
  });
});
