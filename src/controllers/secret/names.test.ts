import { describe, expect, it } from "vitest";
import { declaredNames, digestOf, wantedSecrets } from "./names.ts";

type Entry = Parameters<typeof wantedSecrets>[0][number];

const PREFIX = "PLATFORM_";
const VALUE = "the-very-secret-value";

function loaded(
  secrets: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>,
): Parameters<typeof wantedSecrets>[1] {
  return new Map(
    Object.entries(secrets).map(([name, data]) => [
      name,
      { data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)])) },
    ]),
  );
}

const from = (name: string, rest: Omit<Entry, "secretRef"> = {}): Entry => ({ secretRef: { name }, ...rest });

describe("wantedSecrets", () => {
  it.each<{ why: string; entries: readonly Entry[]; names: readonly string[] }>([
    { why: "every key where none are listed", entries: [from("app")], names: ["ONE", "TWO"] },
    { why: "the listed keys alone", entries: [from("app", { keys: [{ key: "TWO" }] })], names: ["TWO"] },
    { why: "under another name", entries: [from("app", { keys: [{ key: "TWO", as: "ZWEI" }] })], names: ["ZWEI"] },
    {
      why: "with a prefix before both",
      entries: [from("app", { prefix: "A_", keys: [{ key: "ONE" }, { key: "TWO", as: "ZWEI" }] })],
      names: ["A_ONE", "A_ZWEI"],
    },
    {
      why: "of several Secrets, in the order of the names",
      entries: [from("other"), from("app")],
      names: ["ONE", "THREE", "TWO"],
    },
    {
      why: "one Secret twice, under different prefixes",
      entries: [from("other"), from("other", { prefix: "B_" })],
      names: ["B_THREE", "THREE"],
    },
    {
      why: "[K-35] a lower-case prefix, which is not the reserved one",
      entries: [from("lower")],
      names: ["platform_URL"],
    },
  ])("takes $why", ({ entries, names }) => {
    const secrets = loaded({ app: { ONE: "1", TWO: "2" }, other: { THREE: "3" }, lower: { platform_URL: "x" } });
    expect(wantedSecrets(entries, secrets, PREFIX).map(({ name }) => name)).toEqual(names);
  });

  it("has for each value the digest that the platform shows", () => {
    const [one] = wantedSecrets([from("app")], loaded({ app: { ONE: "hello" } }), PREFIX);
    expect(one).toMatchObject({
      value: "hello",
      digest: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
    });
    expect(digestOf("hello")).toBe(one?.digest);
  });

  it.each<{ why: string; entries: readonly Entry[]; secrets: Parameters<typeof loaded>[0]; says: readonly string[] }>([
    {
      why: "[K-35] the reserved prefix",
      entries: [from("app")],
      secrets: { app: { PLATFORM_URL: VALUE } },
      says: ["PLATFORM_URL", "key PLATFORM_URL of the Secret app"],
    },
    {
      why: "[K-35] the reserved prefix that a prefix completes",
      entries: [from("app", { prefix: "PLATFORM_" })],
      secrets: { app: { URL: VALUE } },
      says: ["key URL of the Secret app", "PLATFORM_URL"],
    },
    {
      why: "[K-35] a key that is no name",
      entries: [from("app")],
      secrets: { app: { "tls.crt": VALUE } },
      says: ["key tls.crt of the Secret app", '"tls.crt"'],
    },
    {
      why: "[K-35] a name that begins with a digit",
      entries: [from("app")],
      secrets: { app: { "1ST": VALUE } },
      says: ["key 1ST of the Secret app"],
    },
    {
      why: "[K-35] a name that is too long",
      entries: [from("app", { prefix: "P".repeat(128) })],
      secrets: { app: { ["K".repeat(129)]: VALUE } },
      says: ["of the Secret app", "256"],
    },
    {
      why: "[K-35] a value that is too large",
      entries: [from("app")],
      secrets: { app: { BIG: VALUE.repeat(2000) } },
      says: ["key BIG of the Secret app", "24576"],
    },
    {
      why: "bytes that are no text",
      entries: [from("app")],
      secrets: { app: { RAW: Buffer.from([0xff, 0xfe]) } },
      says: ["key RAW of the Secret app", "UTF-8"],
    },
    {
      why: "a name that two Secrets give",
      entries: [from("app"), from("other")],
      secrets: { app: { ONE: VALUE }, other: { ONE: VALUE } },
      says: ["key ONE of the Secret other", "key ONE of the Secret app"],
    },
    {
      why: "several problems at once",
      entries: [from("app")],
      secrets: { app: { "a.b": VALUE, PLATFORM_X: VALUE } },
      says: ["a.b", "PLATFORM_X"],
    },
  ])("refuses $why, by Secret and key and never by value", ({ entries, secrets, says }) => {
    const failure = thrown(() => wantedSecrets(entries, loaded(secrets), PREFIX));
    expect(failure).toMatchObject({ code: "TERMINAL", reason: "InvalidSpec" });
    for (const words of says) expect(failure.message).toContain(words);
    expect(failure.message).not.toContain(VALUE);
  });

  it("names the first of many problems and counts the others", () => {
    const data = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`key.${index}`, VALUE]));
    const { message } = thrown(() => wantedSecrets([from("app")], loaded({ app: data }), PREFIX));
    expect(message).toMatch(/and 7 more$/u);
    expect(message.length).toBeLessThan(1024);
  });

  it.each([
    { why: "the longest value that the platform takes", value: "x".repeat(24_576) },
    { why: "an empty value", value: "" },
    { why: "any text", value: "zeile\nzwei 𝄞" },
  ])("takes $why", ({ value }) => {
    expect(wantedSecrets([from("app")], loaded({ app: { ONE: value } }), PREFIX)).toMatchObject([{ value }]);
  });

  it.each([
    { why: "a Secret", entries: [from("gone")], says: "there is no Secret gone" },
    { why: "a key", entries: [from("app", { keys: [{ key: "GONE" }] })], says: "the Secret app has no key GONE" },
  ])("waits for $why that is not there", ({ entries, says }) => {
    expect(thrown(() => wantedSecrets(entries, loaded({ app: { ONE: "1" } }), PREFIX))).toMatchObject({
      code: "WAITING",
      reason: "ReferenceNotFound",
      message: expect.stringContaining(says),
    });
  });
});

function thrown(act: () => unknown): Error {
  try {
    act();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("nothing was thrown");
}

it("knows the names that a manifest shows without its Secrets", () => {
  const entries = [from("all"), from("some", { prefix: "P_", keys: [{ key: "a", as: "ONE" }, { key: "TWO" }] })];
  expect(declaredNames(entries)).toEqual(["P_ONE", "P_TWO"]);
});
