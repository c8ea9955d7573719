import { describe, expect, it } from "vitest";
import { textOf } from "./core-objects.ts";
import { configMapSchema, secretSchema } from "./core-types.ts";

function secret(data?: unknown): unknown {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "s", uid: "u", resourceVersion: "1" }, data };
}

describe("a core Secret", () => {
  it.each(["constructor", "toString", "valueOf", "hasOwnProperty"])("has no key %s unless it is there", (key) => {
    expect(secretSchema.parse(secret({ other: "YQ==" })).data[key]).toBeUndefined();
    expect(secretSchema.parse(secret()).data[key]).toBeUndefined();
    expect(secretSchema.parse(secret({ [key]: "YQ==" })).data[key]?.toString()).toBe("a");
  });

  it("keeps every key that Kubernetes takes, and nothing but texts", () => {
    const { data } = secretSchema.parse(secret(JSON.parse('{"__proto__": "YQ==", "b": "Yg=="}')));
    expect(Object.keys(data)).toEqual(["__proto__", "b"]);
    expect(data["__proto__"]?.toString()).toBe("a");
    expect(secretSchema.parse(secret()).data["__proto__"]).toBeUndefined();
    expect(secretSchema.safeParse(secret(JSON.parse('{"a": 1}'))).success).toBe(false);
    expect(secretSchema.safeParse(secret(JSON.parse('"a"'))).success).toBe(false);
  });
});

describe("a core ConfigMap", () => {
  it.each(["__proto__", "constructor", "toString"])("has the key %s where it is there, and else not", (key) => {
    const read = (members: string) => {
      const metadata = '"metadata": {"name": "c", "uid": "u", "resourceVersion": "1"}';
      return configMapSchema.parse(JSON.parse(`{"apiVersion": "v1", "kind": "ConfigMap", ${metadata}${members}}`));
    };
    const held = read(`, "data": {"${key}": "a"}, "binaryData": {"${key}": "Yg=="}`);
    expect(held.data[key]).toBe("a");
    expect(held.binaryData[key]?.toString()).toBe("b");
    expect([read("").data[key], read("").binaryData[key]]).toEqual([undefined, undefined]);
  });
});

describe("the text of a value", () => {
  it.each([
    { why: "letters", bytes: Buffer.from("tök€n"), is: "tök€n" },
    { why: "nothing is a text, too", bytes: Buffer.alloc(0), is: "" },
    { why: "a zero byte is a character", bytes: Buffer.from([0x61, 0, 0x62]), is: "a\0b" },
    { why: "a byte order mark stays", bytes: Buffer.from([0xef, 0xbb, 0xbf, 0x61]), is: "\uFEFFa" },
    { why: "bytes that are no UTF-8 would be sent as others", bytes: Buffer.from([0xff, 0xfe, 0x41]), is: undefined },
    { why: "a character that was cut in two", bytes: Buffer.from("€").subarray(0, 2), is: undefined },
  ])("is kept as it is: $why", ({ bytes, is }) => {
    expect(textOf(bytes)).toBe(is);
  });
});
