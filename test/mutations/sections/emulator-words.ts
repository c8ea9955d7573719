import type { Mutant } from "../mutant.ts";
import { loggedPasswords } from "./logged-passwords.ts";

const SERVER = "src/emulator/http/server.ts";
const WIRE = "src/emulator/http/wire.ts";
const SAVED = "src/emulator/persistence/saved-files.ts";
const REDACT = "src/emulator/http/redact.ts";
const ofTexts = (only: string) =>
  ({ project: "unit", files: ["src/emulator/http/redact-texts.test.ts"], only }) as const;
const redaction = (only: string) => ({ project: "unit", files: ["src/emulator/http/redact.test.ts"], only }) as const;
const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;

/** How the emulator says that it cannot read something: where a request leads, or what another version saved. */
export const emulatedWords: readonly Mutant[] = [
  {
    name: "no-route-in-the-words-of-the-library",
    promise: "what leads to no operation is 404, whatever else is wrong with it",
    file: SERVER,
    find: "leadsNowhere(request) ? noRoute(request.method, targetOf(request)) : error",
    replace: "error",
    killer: of("http/exchange", "answer 404 to"),
  },
  {
    name: "tunnel-without-an-answer",
    promise: "every request is answered, with the limits on it",
    file: SERVER,
    find: '  server.server.on("connect", (request) => void answerTunnel(server.server, owed, request));\n',
    replace: "",
    killer: { project: "loopback", files: ["test/clients/socket.test.ts"], only: "is refused a tunnel" },
  },
  {
    name: "broken-escape-in-the-words-of-the-library",
    promise: "a target that cannot be decoded leads where it leads, and is refused in the API's words",
    file: SERVER,
    find: "    rewriteUrl: routableTarget,\n",
    replace: "",
    killer: of("http/target", "is told so in the API's own words"),
  },
  {
    name: "long-name-in-the-words-of-the-library",
    promise: "a name that is too long is refused by its operation",
    file: SERVER,
    find: "maxParamLength: maxHeaderSize",
    replace: "maxParamLength: 2048",
    killer: of("http/target", "is told so in the API's own words"),
  },
  {
    name: "whole-escape-taken-for-text",
    promise: "an escape that stands for something is what it stands for",
    file: "src/emulator/http/target.ts",
    find: "stands(escapes) ? escapes : escapes",
    replace: "escapes === undefined ? escapes : escapes",
    killer: of("http/target", "may have any escape"),
  },
  {
    name: "pattern-that-go-cannot-compile",
    promise: "every pattern of the document is one that clients in Go can compile",
    file: "src/api/contract/custom-hostname.ts",
    find: "/^(?:[A-Za-z0-9]",
    replace: "/^(?=.*\\.)(?:[A-Za-z0-9]",
    killer: { project: "loopback", files: ["test/api/openapi-document.test.ts"], only: "has no pattern that clients" },
  },
  {
    name: "headers-of-a-cut-answer-in-small-letters",
    promise: "the names of headers are as the documents write them, whatever a fault does to the answer",
    file: WIRE,
    find: "value !== undefined && !raw.hasHeader(name)",
    replace: "value !== undefined",
    killer: of("http/faults", "leaves the names of headers"),
  },
  {
    name: "cut-answer-to-head-without-headers",
    promise: "an answer without a body that a fault cuts has its headers",
    file: WIRE,
    find: "  response.flushHeaders();\n",
    replace: "",
    killer: of("http/faults", "leaves a count that it truncates"),
  },
  {
    name: "query-of-a-url-logged",
    promise: "the request log shows no value of a query in a URL",
    file: REDACT,
    find: "withoutQueryValues(withoutPassword(url, CENSOR))",
    replace: "withoutPassword(url, CENSOR)",
    killer: redaction("and no secret"),
  },
  {
    name: "token-alone-in-a-query-logged",
    promise: "the request log shows nothing that stands in a query by itself",
    file: REDACT,
    find: "[^&#]+|[^=&#]+(?=[&#]|$))/g",
    replace: "[^&#]+)/g",
    killer: redaction("and no secret"),
  },
  {
    name: "later-urls-of-a-list-logged",
    promise: "the request log shows no more and no less of any URL in a list",
    file: REDACT,
    find: "urls.split(NEXT_URL)",
    replace: "[urls]",
    killer: redaction("and no secret"),
  },
  {
    name: "url-within-a-text-logged",
    promise: "the request log shows no query of a URL within a text",
    file: REDACT,
    find: ": quiet.replace(URL_WITHIN, eachWithoutSecrets)",
    replace: ": quiet",
    killer: ofTexts("no query of any URL"),
  },
  {
    name: "password-of-a-url-within-a-text-logged",
    promise: "the request log shows no password of a URL, whatever stands around it",
    file: REDACT,
    find: ".replace(PASSWORD_WITHIN, HIDDEN)",
    replace: "",
    killer: ofTexts("no query of any URL|whatever stands around it"),
  },
  {
    name: "password-of-another-scheme-within-a-text-logged",
    promise: "the request log shows no password with a backslash of a URL whose scheme has such",
    file: REDACT,
    find: ".replace(OTHER_PASSWORD_WITHIN, HIDDEN)",
    replace: "",
    killer: ofTexts("no query of any URL|whatever stands around it"),
  },
  {
    name: "role-password-in-sql-logged",
    promise: "the request log shows no password that SQL gives a role",
    file: REDACT,
    find: "withoutPasswords(shown, CENSOR)",
    replace: "shown",
    killer: redaction("and no secret"),
  },
  ...loggedPasswords,
  {
    name: "password-of-a-loose-url-shown",
    promise: "no answer shows the password of a URL, however many slashes, blanks and signs of its own that has",
    file: REDACT,
    find: "text.replace(PASSWORD,",
    replace: "text.replace(/^([a-z]+:\\/\\/[^/@:]*:)[^/@]+(@)/i,",
    killer: redaction("nothing is taken|is not shown"),
  },
  {
    name: "password-that-only-a-parser-finds-shown",
    promise: "no answer shows the password of a URL that a parser finds in it",
    file: REDACT,
    find: 'if (url === null || url.password === "") return shown;',
    replace: 'if (url === null || url.password === "" || shown !== "") return shown;',
    killer: redaction("the password is not shown"),
  },
  {
    name: "password-in-a-drain-told",
    promise: "no answer about a log drain shows the password of its URL",
    file: "src/emulator/analytics/log-drain-config.ts",
    find: "withoutPassword(value, REDACTED)",
    replace: "value",
    killer: of("http/any-request", "is refused in every way and goes through"),
  },
  {
    name: "folder-of-another-format-not-named",
    promise: "a data folder of another format is told by its path, with both formats",
    file: SAVED,
    find: "const format = anyHeader.safeParse(value).data?.format ?? FORMAT;",
    replace: "const format: number = FORMAT;",
    killer: of("persistence/saved-state", "of another format is told by its path"),
  },
  {
    name: "string-in-another-line-ends-a-statement",
    promise: "a text of SQL is cut where its statements end, and nowhere in a string",
    file: "src/emulator/postgres/statements.ts",
    find: "return /[\\n\\r]/.test(sql.slice(last.end, at));",
    replace: "return false;",
    killer: { project: "unit", files: ["src/emulator/postgres/statements.test.ts"], only: "goes on in another line" },
  },
];
