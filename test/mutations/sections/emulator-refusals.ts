import type { Mutant } from "../mutant.ts";

const WORDS = "src/emulator/http/refusal-words.ts";
const SHOWN = "src/emulator/http/shown.ts";
const unit = (file: string, only: string) =>
  ({ project: "unit", files: [`src/emulator/http/${file}.test.ts`], only }) as const;
const loopback = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;

/** What a refusal of the emulator, and its log, repeat of a request. */
export const emulatedRefusals: readonly Mutant[] = [
  {
    name: "secret-number-in-a-refusal",
    promise: "a refusal repeats nothing that the schema marks as secret, whatever it is instead of a text",
    file: WORDS,
    find: " || isSecret(path)",
    replace: "",
    killer: unit("validation", "says no secret"),
  },
  {
    name: "broken-url-in-a-refusal",
    promise: "a refusal repeats no URL that is none",
    file: WORDS,
    find: ' && issue.format !== "url"',
    replace: "",
    killer: unit("validation", "says no secret"),
  },
  {
    name: "password-of-a-url-in-a-refusal",
    promise: "a refusal repeats no password of a URL, whatever it was to be",
    file: WORDS,
    find: "MAY_HAVE_PASSWORD.test(",
    replace: "!text.includes(text) && MAY_HAVE_PASSWORD.test(",
    killer: unit("validation", "says no secret"),
  },
  {
    name: "words-for-all-refusals",
    promise: "a refusal costs what it says, however much of a request is wrong",
    file: WORDS,
    find: "issues.values().flatMap(narrowed).take(",
    replace: "[...issues.values().flatMap(narrowed)].values().take(",
    killer: unit("refusal-words", "said alone"),
  },
  {
    name: "all-secrets-for-each-refusal",
    promise: "a refusal does not look at all secrets of a request for each place that it names",
    file: WORDS,
    find: "new Set(places.map(joined));",
    replace: "{ has: (one: string) => places.some((place) => joined(place) === one) };",
    killer: unit("refusal-words", "without looking at each"),
  },
  {
    name: "password-in-the-place-of-a-refusal",
    promise: "a refusal repeats no password of a URL that stands where a name does",
    file: WORDS,
    find: "map((key) => said(String(key)));",
    replace: "map((key) => cut(String(key)));",
    killer: unit("validation", "names it without a secret"),
  },
  {
    name: "secret-number-in-the-log",
    promise: "the request log shows nothing that the schema marks as secret, whatever its type",
    file: SHOWN,
    find: "...secretPlaces(schema, value), ",
    replace: "",
    killer: unit("redact", "whatever stands in its place"),
  },
  {
    name: "broken-url-in-the-log",
    promise: "the request log shows no URL that is none",
    file: SHOWN,
    find: "!URL.canParse(url) || hasUserForScheme(url)",
    replace: "!URL.canParse(url)",
    killer: unit("redact", "whatever stands in its place"),
  },
  {
    name: "user-taken-for-a-scheme-in-a-drain",
    promise: "a log drain shows no password of what is a URL by its form alone",
    file: "src/emulator/analytics/log-drain-config.ts",
    find: "hasUserForScheme(value) ? hide(key, value) : ",
    replace: "",
    killer: loopback("analytics/log-drains", "show no password in a URL"),
  },
  {
    name: "alternatives-without-words",
    promise: "a refusal says what each alternative expects",
    file: WORDS,
    find: 'if (words.length > 0) return [...new Set(words)].join(", or ");',
    replace: "",
    killer: unit("validation", "what each alternative expects"),
  },
  {
    name: "alternative-that-is-meant-untold",
    promise: "a refusal says what is wrong with the alternative that is meant",
    file: WORDS,
    find: "if (meant === undefined || another !== undefined) yield issue;",
    replace: "if (meant === undefined || another !== undefined || path.length > 0) yield issue;",
    killer: unit("validation", "what each alternative expects"),
  },
  {
    name: "port-of-any-five-digits",
    promise: "a port that there is none of is refused with the range of ports",
    file: "src/api/contract/auth-config-fields-messages.ts",
    find: "[1-5]\\d{4}|6[0-4]",
    replace: "[1-9]\\d{4}|6[0-4]",
    killer: { project: "unit", files: ["src/api/contract/auth-config.test.ts"], only: "digits that are none" },
  },
  {
    name: "browser-sent-on-by-no-document",
    promise: "the OpenAPI document says where a browser is sent on",
    file: "src/api/openapi/operation-object.ts",
    find: "operation.browser === undefined ? []",
    replace: "operation.browser !== undefined ? []",
    killer: { project: "unit", files: ["src/api/openapi/document.test.ts"], only: "or sent on" },
  },
  {
    name: "setting-beyond-its-range-ends-the-sql",
    promise: "what a project overrides beyond the range of PostgreSQL ends no SQL and changes none",
    file: "src/emulator/postgres/session.ts",
    find: "await exchange(extended(SET_CONFIG, [name, value]));",
    replace: "await ours(exchange, `set ${name} = '${value}'`);",
    killer: loopback("infrastructure/postgres-config", "beyond the range of PostgreSQL"),
  },
  {
    name: "alternatives-without-words-before-they-are-sent",
    promise: "the client says what each alternative expects",
    file: "src/base/schema-words.ts",
    find: '"is missing" : alternativesWords(issue)',
    replace: '"is missing" : undefined',
    killer: { project: "unit", files: ["src/api/schema-words.test.ts"], only: "what each alternative expects" },
  },
  {
    name: "alternatives-of-another-type",
    promise: "a refusal says nothing of alternatives of another type where one is of the type that came",
    file: "src/base/schema-words.ts",
    find: "return ofItsType.length > 0 ? ofItsType : errors;",
    replace: "return errors;",
    killer: unit("validation", "what each alternative expects"),
  },
  {
    name: "window-that-ends-before-it-begins",
    promise: "the ends to which a database can go back are in order, from the first moment on",
    file: "src/emulator/infrastructure/recovery-window.ts",
    find: "Math.max(earliest, Math.floor(nowMs / 1000))",
    replace: "Math.floor(nowMs / 1000)",
    killer: loopback("infrastructure/backups", "can go to both ends"),
  },
];
