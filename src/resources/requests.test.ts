import { describe, expect, test } from "vitest";
import { annotations } from "./annotations.ts";
import {
  branchVerbs,
  momentOf,
  parseRequest,
  projectVerbs,
  requestAnnotation,
  requestAnnotations,
  requestHelp,
  verbOf,
} from "./requests.ts";

describe("the value of a request's annotation", () => {
  test.each([
    { form: "none", text: "7", id: "7" },
    { form: "none", text: "2026-01-31T12:00:00", id: "2026-01-31T12:00:00" },
    { form: "moment", text: "7@2026-01-31T12:00:00Z", id: "7", parameter: "2026-01-31T12:00:00Z" },
    { form: "moment", text: "7@2028-02-29T00:00:00Z", id: "7", parameter: "2028-02-29T00:00:00Z" },
    { form: "migration", text: "7", id: "7" },
    { form: "migration", text: "a.b_c@20260131120000", id: "a.b_c", parameter: "20260131120000" },
    { form: "addresses", text: "7@203.0.113.7,203.0.113.8", id: "7", parameter: "203.0.113.7,203.0.113.8" },
  ] as const)("$form: $text is read", ({ form, text, id, ...rest }) => {
    const parameter = "parameter" in rest ? rest.parameter : undefined;
    expect(parseRequest(text, form)).toEqual({ ok: true, request: { id, parameter } });
  });

  test.each([
    { form: "none", text: "", why: "nothing" },
    { form: "none", text: "-", why: "no letter or digit first" },
    { form: "none", text: "x".repeat(64), why: "longer than a label" },
    { form: "none", text: "7@", why: "a parameter without need" },
    { form: "none", text: "ä", why: "another alphabet" },
    { form: "moment", text: "7", why: "no time" },
    { form: "moment", text: "7@1769860800", why: "seconds since the epoch" },
    { form: "moment", text: "7@2026-01-31T12:00:00+01:00", why: "another zone, which is easily misread" },
    { form: "moment", text: "7@2026-01-31T12:00:00.5Z", why: "parts of a second" },
    { form: "moment", text: "7@2026-02-29T00:00:00Z", why: "a day that there is not" },
    { form: "moment", text: "7@2026-01-31T24:00:00Z", why: "an hour that there is not" },
    { form: "moment", text: "@2026-01-31T12:00:00Z", why: "no id" },
    { form: "migration", text: "7@latest", why: "no version" },
    { form: "addresses", text: "7@", why: "no address" },
    { form: "addresses", text: "7@2001:db8::1", why: "IPv6, which is never banned" },
    { form: "addresses", text: `7@${Array.from({ length: 11 }, (_, n) => `203.0.113.${n}`).join()}`, why: "too many" },
  ] as const)("$form: $text is none: $why", ({ form, text }) => {
    expect(parseRequest(text, form)).toMatchObject({ ok: false, message: expect.stringContaining("such as") });
  });

  test("a moment is the time that it says", () => {
    expect(momentOf("2026-01-31T12:00:00Z")).toBe(Date.UTC(2026, 0, 31, 12));
  });
});

test("annotations of requests are qualified names, none of them with another meaning, and lead back to their verb", () => {
  for (const annotation of requestAnnotations) {
    expect(annotation).toMatch(/^baas\.dev\/[a-z][-a-z]{0,62}$/u);
    expect(requestAnnotation(verbOf(annotation))).toBe(annotation);
  }
  const all = [...requestAnnotations, ...Object.values(annotations)];
  expect(new Set(all).size).toBe(all.length);
});

test.each([
  { kind: "Project", verbs: projectVerbs },
  { kind: "Branch", verbs: branchVerbs },
])("the help of $kind names every verb with its form", ({ verbs }) => {
  const help = requestHelp(verbs);
  for (const verb of Object.keys(verbs)) expect(help).toContain(`${requestAnnotation(verb)}: <request id>`);
});
