import type { Section } from "../mutant.ts";

const SPELLINGS = "src/api/spellings.ts";
const REDACTION_TEST = { project: "unit", files: ["src/api/redaction.test.ts"] } as const;

/** Secrets in the words of a server, as it may quote them (engine.md §7). */
export const redaction: Section = {
  sign: "§7",
  name: "redaction",
  mutants: [
    {
      name: "secret-in-capitals",
      promise: "free of secrets: hexadecimal in capitals",
      file: SPELLINGS,
      find: "(letters) => letters.toLowerCase()",
      replace: "(letters) => letters",
      killer: { ...REDACTION_TEST, only: "in capitals" },
    },
    {
      name: "secret-in-base64",
      promise: "free of secrets: in base64 and hexadecimal",
      file: SPELLINGS,
      find: ", ...inLetters(value)];",
      replace: "];",
      killer: { ...REDACTION_TEST, only: "in base64" },
    },
    {
      name: "secret-without-its-end-of-line",
      promise: "free of secrets: without the end of line that a file has",
      file: SPELLINGS,
      find: "[secret, secret.trim(), ",
      replace: "[secret, ",
      killer: { ...REDACTION_TEST, only: "end of line of its file" },
    },
    {
      name: "line-of-a-secret",
      promise: "free of secrets: each line of a key in PEM",
      file: SPELLINGS,
      find: ", ...lines.filter((line) => line.length >= RECOGNISABLE)",
      replace: ", ...lines.slice(0, 1)",
      killer: { ...REDACTION_TEST, only: "a later line" },
    },
    {
      name: "secret-in-html",
      promise: "free of secrets: in HTML",
      file: SPELLINGS,
      find: " ...inHtml(value),",
      replace: "",
      killer: { ...REDACTION_TEST, only: "in HTML" },
    },
    {
      name: "rest-of-a-secret",
      promise: "free of secrets: nothing of one stays where another form of it begins alike",
      file: "src/api/redaction.ts",
      find: "Math.max(length, alike(whole, at, secret))",
      replace: "(length > RECOGNISABLE ? length : alike(whole, at, secret))",
      killer: { ...REDACTION_TEST, only: "begins as another" },
    },
  ],
};
