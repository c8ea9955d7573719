import { inspect } from "node:util";
import { expect, it } from "vitest";
import { withoutQuotedBytes } from "./parser-error.ts";

it("an error keeps its name, code and message, and loses the bytes that it quotes", () => {
  const error = Object.assign(new Error("Invalid header"), {
    name: "HTTPParserError",
    code: "HPE_X",
    data: "Bearer t0ken",
  });
  const clean = withoutQuotedBytes(error);
  expect(clean).toMatchObject({ name: "HTTPParserError", code: "HPE_X", message: "Invalid header" });
  expect(inspect(clean)).not.toContain("t0ken");
});

it.each([{ error: new Error("reset") }, { error: "text" }, { error: undefined }])(
  "leaves $error as it is",
  ({ error }) => {
    expect(withoutQuotedBytes(error)).toBe(error);
  },
);
