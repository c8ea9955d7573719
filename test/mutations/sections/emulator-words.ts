import type { Mutant } from "../mutant.ts";

const SERVER = "src/emulator/http/server.ts";
const WIRE = "src/emulator/http/wire.ts";
const SAVED = "src/emulator/persistence/saved-files.ts";
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
    file: "src/emulator/http/redact.ts",
    find: "withoutQueryValues(withoutPassword(inner, CENSOR))",
    replace: "withoutPassword(inner, CENSOR)",
    killer: { project: "unit", files: ["src/emulator/http/redact.test.ts"], only: "and no secret" },
  },
  {
    name: "folder-of-another-format-not-named",
    promise: "a data folder of another format is told by its path, with both formats",
    file: SAVED,
    find: "const format = anyHeader.safeParse(value).data?.format ?? FORMAT;",
    replace: "const format: number = FORMAT;",
    killer: of("persistence/saved-state", "of another format is told by its path"),
  },
];
