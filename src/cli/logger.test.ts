import { Writable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { Logger } from "../base/log.ts";
import { createLogger, type LogLevel } from "./logger.ts";

const CANARY = "hunter2-canary";

function logged(write: (log: Logger) => void, level: LogLevel = "info"): string {
  let text = "";
  const destination = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  write(createLogger(level, destination));
  return text;
}

const parse = (line: string): unknown => JSON.parse(line);

describe("the logger", () => {
  it("writes a line of JSON with level, time, fields and message, and no name of this machine", () => {
    const line = parse(logged((log) => log.info({ ref: "abc" }, "project created")));
    expect(line).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      ref: "abc",
      msg: "project created",
    });
  });

  it("writes no line below its level, and none at all when silent", () => {
    const both = (log: Logger) => {
      log.debug({}, "quiet");
      log.error({}, "loud");
    };
    expect(logged(both, "error")).toMatch(/^[^\n]*loud[^\n]*\n$/);
    expect(logged(both, "silent")).toBe("");
  });

  it("adds the fields of a child to each of its lines", () => {
    const line = parse(logged((log) => log.child({ kind: "Project" }).child({ run: 7 }).info({}, "x")));
    expect(line).toMatchObject({ kind: "Project", run: 7 });
  });

  it.each([
    { fields: { token: CANARY }, because: "it is a credential" },
    { fields: { headers: { authorization: `Bearer ${CANARY}` } }, because: "headers carry credentials" },
    { fields: { body: { db_pass: CANARY } }, because: "a request body is one level down" },
    { fields: { a: { b: { c: { password: CANARY } } } }, because: "three levels down is still searched" },
    { fields: { items: [{ name: "A", value: CANARY }] }, because: "items of a list count as a level" },
    { fields: { note: `sent Authorization: Bearer ${CANARY}` }, because: "texts may quote a header" },
    { fields: { note: `Basic ${Buffer.from(CANARY).toString("base64")}` }, because: "of either kind" },
    { fields: { error: new Error(`refused: bearer ${CANARY}`) }, because: "so may the message of an error" },
    {
      fields: { error: new Error("outer", { cause: new Error(`Bearer ${CANARY}`) }) },
      because: "or that of its cause",
    },
    {
      fields: { error: Object.assign(new Error("x"), { request: { headers: [CANARY] } }) },
      because: "errors carry anything",
    },
  ])("blots out a secret: $because", ({ fields }) => {
    const line = logged((log) => log.warn(fields, "something happened"));
    expect(line).toContain("something happened");
    expect(line).not.toMatch(new RegExp(`${CANARY}|${Buffer.from(CANARY).toString("base64")}`));
    expect(() => parse(line)).not.toThrow();
  });

  it("shows an error that is its own cause, as far as the chain is shown", () => {
    const circular: Error & { cause?: unknown } = new Error("round and round");
    circular.cause = circular;
    expect(logged((log) => log.error({ err: circular }, "failed"))).toContain("round and round");
  });

  it("shows name, message, code, stack and cause of an error", () => {
    const cause = Object.assign(new TypeError("inner"), { code: "ECONNRESET" });
    const line = parse(logged((log) => log.error({ error: new RangeError("outer", { cause }) }, "failed")));
    expect(line).toMatchObject({
      error: {
        type: "RangeError",
        message: "outer",
        stack: expect.stringContaining("logger.test.ts"),
        cause: { type: "TypeError", message: "inner", code: "ECONNRESET" },
      },
    });
  });
});
