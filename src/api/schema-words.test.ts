import { describe, expect, it } from "vitest";
import { z } from "zod";
import { issueLines, issueWords, pathWords } from "../base/schema-words.ts";

const wide = z.strictObject(
  Object.fromEntries(
    ["site_url", ...Array.from({ length: 40 }, (_, at) => `setting_${at}`)].map((key) => [key, z.unknown().optional()]),
  ),
);
const shape = z.strictObject({
  projects: z
    .array(
      z.strictObject({
        name: z.string(),
        size: z.enum(["small", "large"]).optional(),
        secrets: z
          .record(
            z
              .string()
              .min(1)
              .regex(/^[^=]*$/, "a name has no ="),
            z.string(),
          )
          .optional(),
      }),
    )
    .optional(),
  auth: wide.optional(),
  code: z.string().regex(/^a/, "expected an a").optional(),
});

const linesOf = (value: unknown, schema: z.ZodType = shape) =>
  issueLines(schema.safeParse(value, { error: issueWords }).error?.issues ?? []);

describe("what a schema refuses, in words", () => {
  it.each<{ value: unknown; lines: readonly string[] }>([
    { value: { auth: { site_urll: 1 } }, lines: ['auth: Unrecognized key: "site_urll"; near: site_url'] },
    { value: { colour: 1 }, lines: ['Unrecognized key: "colour"; known: projects, auth, code'] },
    { value: { zzzzzzzz: 1 }, lines: ['Unrecognized key: "zzzzzzzz"; known: projects, auth, code'] },
    {
      value: { auth: { nothing_alike: 1 } },
      lines: ['auth: Unrecognized key: "nothing_alike"; none of the 41 known is near'],
    },
    {
      value: { projects: [{ nam: "x" }] },
      lines: [
        'projects[0]: Unrecognized key: "nam"; near: name; known: name, size, secrets',
        "projects[0].name: is missing (a string)",
      ],
    },
    { value: { projects: [{ name: 5 }] }, lines: ["projects[0].name: expected a string, received a number"] },
    { value: { projects: {} }, lines: ["projects: expected a list, received an object"] },
    { value: { projects: [null] }, lines: ["projects[0]: expected an object, received null"] },
    {
      value: { projects: [{ name: "x", size: "huge" }] },
      lines: ['projects[0].size: expected one of "small", "large"'],
    },
    {
      value: { projects: [{ name: "x", secrets: { "A b": 1 } }] },
      lines: ['projects[0].secrets["A b"]: expected a string, received a number'],
    },
    {
      value: { projects: [{ name: "x", secrets: { "": "v", "A=B": "v" } }] },
      lines: [
        'projects[0].secrets[""]: its name: Too small: expected string to have >=1 characters',
        'projects[0].secrets["A=B"]: its name: a name has no =',
      ],
    },
    { value: { code: "b" }, lines: ["code: expected an a"] },
    { value: undefined, lines: ["is missing (an object)"] },
  ])("$value", ({ value, lines }) => {
    expect(linesOf(value)).toEqual(lines);
  });

  it("say a few of the keys that nobody knows, and no name at its length", () => {
    const long = "x".repeat(200_000);
    const cut = `${"x".repeat(80)}…`;
    expect(linesOf({ projects: [{ name: "x", secrets: { [long]: 1 } }] })).toEqual([
      `projects[0].secrets["${cut}"]: expected a string, received a number`,
    ]);
    const many = Object.fromEntries(
      [long, ...Array.from({ length: 16_000 }, (_, at) => `k${at}`)].map((key) => [key, 1]),
    );
    const keys = [cut, ...Array.from({ length: 9 }, (_, at) => `k${at}`)].map((key) => `"${key}"`).join(", ");
    expect(linesOf(many)).toEqual([`Unrecognized keys: ${keys} and 15991 more; known: projects, auth, code`]);
    expect(pathWords(Array.from({ length: 400 }, () => "a"))).toBe("a.a.a.a.a.a.a.a.a.a…");
  });

  it("say that it is missing of whatever has to be there", () => {
    const needed = z.object({
      a: z.record(z.string(), z.string()),
      b: z.union([z.string(), z.number()]),
      c: z.enum(["x"]),
      d: z.unknown().nonoptional(),
    });
    expect(linesOf({}, needed)).toEqual([
      "a: is missing (an object)",
      "b: is missing",
      'c: is missing ("x")',
      "d: is missing",
    ]);
  });

  it.each([
    { value: { ref: "ABC" }, lines: ["ref: three letters, or Invalid UUID"] },
    { value: { ref: 5 }, lines: ["ref: expected a string, received a number"] },
    { value: { when: { at: "x" } }, lines: ["when: at: expected a number, received a string"] },
    { value: { disk: { type: "gp4" } }, lines: ['disk.type: expected one of "gp3", "io2"'] },
  ])("say what each alternative expects, or the one that is meant, and never a value: $value", ({ value, lines }) => {
    const either = z.strictObject({
      ref: z.union([z.string().regex(/^[a-z]{3}$/, "three letters"), z.uuid()]).optional(),
      when: z.union([z.number(), z.strictObject({ at: z.number() })]).optional(),
      disk: z
        .discriminatedUnion("type", [
          z.strictObject({ type: z.literal("gp3") }),
          z.strictObject({ type: z.literal("io2") }),
        ])
        .optional(),
    });
    expect(linesOf(value, either)).toEqual(lines);
  });

  it("tell a field by its path", () => {
    expect([pathWords(["a", 0, "b"]), pathWords([]), pathWords([1])]).toEqual(["a[0].b", "", "[1]"]);
  });
});
