import { expect, it } from "vitest";
import { basicOf } from "./basic.ts";

const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

it.each([
  { header: basic("id:secret"), read: { user: "id", password: "secret" } },
  { header: basic("id:a:b"), read: { user: "id", password: "a:b" } },
  { header: basic("ü:ß"), read: { user: "ü", password: "ß" } },
  { header: basic("id:"), read: { user: "id", password: "" } },
  { header: basic("id:x").replace("Basic", "basic"), read: { user: "id", password: "x" } },
  { header: basic("no colon"), read: undefined },
  { header: "Basic", read: undefined },
  { header: "Basic !", read: undefined },
  { header: "Bearer token", read: undefined },
  { header: undefined, read: undefined },
])("a Basic header $header is $read", ({ header, read }) => {
  expect(basicOf(header)).toEqual(read);
});
