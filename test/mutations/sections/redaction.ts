import type { Section } from "../mutant.ts";

const PLACES = "src/api/places.ts";
const READINGS = "src/api/readings.ts";
const REDACTION_TEST = { project: "unit", files: ["src/api/redaction.test.ts"] } as const;

/** Secrets in the words of a server, as it may quote them (engine.md §7). */
export const redaction: Section = {
  sign: "§7",
  name: "redaction",
  mutants: [
    {
      name: "secret-in-capitals",
      promise: "free of secrets: hexadecimal in capitals",
      file: PLACES,
      find: "(letters) => letters.toLowerCase()",
      replace: "(letters) => letters",
      killer: { ...REDACTION_TEST, only: "capitals" },
    },
    {
      name: "secret-in-base64",
      promise: "free of secrets: in base64",
      file: READINGS,
      find: "...lettersIn(reading, BASE64), ",
      replace: "",
      killer: { ...REDACTION_TEST, only: "in base64" },
    },
    {
      name: "secret-within-base64",
      promise: "free of secrets: in base64 that begins with something else",
      file: READINGS,
      find: "bits: 6, beginsAtOneOf: 4",
      replace: "bits: 6, beginsAtOneOf: 1",
      killer: { ...REDACTION_TEST, only: "is found in base64 within" },
    },
    {
      name: "end-of-a-secret-in-base64",
      promise: "free of secrets: nothing of the last bytes in base64 stays",
      file: READINGS,
      find: "Math.ceil((8 * (at + 1)) / bits)",
      replace: "Math.floor((8 * (at + 1)) / bits)",
      killer: { ...REDACTION_TEST, only: "of a secret that is all" },
    },
    {
      name: "secret-in-hexadecimal",
      promise: "free of secrets: in hexadecimal",
      file: READINGS,
      find: ", ...lettersIn(reading, HEXADECIMAL)",
      replace: "",
      killer: { ...REDACTION_TEST, only: "in hexadecimal" },
    },
    {
      name: "hexadecimal-secret-in-base64",
      promise: "free of secrets: what a hexadecimal one stands for, to its end",
      file: PLACES,
      find: "text.slice(0, 2 * count)",
      replace: "text.slice(0, count)",
      killer: { ...REDACTION_TEST, only: "where it is hexadecimal" },
    },
    {
      name: "secret-without-its-end-of-line",
      promise: "free of secrets: without the end of line that a file has",
      file: PLACES,
      find: "[secret, secret.trim(), ",
      replace: "[secret, ",
      killer: { ...REDACTION_TEST, only: "end of line of its file" },
    },
    {
      name: "line-of-a-secret",
      promise: "free of secrets: each line of a key in PEM",
      file: PLACES,
      find: ", ...lines.filter((line) => line.length >= RECOGNISABLE)",
      replace: ", ...lines.slice(0, 1)",
      killer: { ...REDACTION_TEST, only: "a later line" },
    },
    {
      name: "secret-in-html",
      promise: "free of secrets: in HTML",
      file: READINGS,
      find: "NAMES.get(name.toLowerCase()) ?? escape",
      replace: "escape",
      killer: { ...REDACTION_TEST, only: "with a quote as a name" },
    },
    {
      name: "rest-of-a-secret",
      promise: "free of secrets: nothing of one stays where another form of it begins alike",
      file: PLACES,
      find: "Math.max(last.end, end)",
      replace: "Math.min(last.end, end)",
      killer: { ...REDACTION_TEST, only: "the longer of two|begins as another" },
    },
    {
      name: "secrets-compared-without-end",
      promise: "what a message costs is bounded, however many secrets begin as it does",
      file: PLACES,
      find: 'if (compared > MOST_COMPARED) return "too many";',
      replace: "",
      killer: { ...REDACTION_TEST, only: "not looked for to the end" },
    },
    {
      name: "secrets-of-no-text",
      promise: "where the platform said nothing, secrets are not looked at",
      file: "src/api/redaction.ts",
      find: '  if (text === "") return "";\n',
      replace: "",
      killer: { ...REDACTION_TEST, only: "nothing where there is no text" },
    },
  ],
};
