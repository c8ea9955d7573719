import type { Mutant } from "../mutant.ts";

const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;
const HOSTNAME = "src/emulator/domains/custom-hostname.ts";
const MACHINE = of("domains/custom-hostname", "the machine of a custom hostname");
const ROUTES = "src/emulator/control/routes.ts";
const SLIPS = of("control/slips", "as is ");
const SAVED = "src/emulator/persistence/saved-state.ts";
const FAILED = of("start", "of a start that failed");
const DECLARED = of("handlers/every-operation", "succeeds with its declared status and body");
const CONTROL = of("control/control", "answers instead of an emulator");

/** That what is answered is what is declared, and what is declared is what the documents say. */
export const emulatedAnswers: readonly Mutant[] = [
  {
    name: "deleted-function-without-a-word",
    promise: "the deletion of a function answers what the facts have in place of the catalogue's empty object",
    file: "src/api/contract/functions.ts",
    find: ', body: { message: "ok" }',
    replace: "",
    killer: of("handlers/answers", "where the row shows no field"),
  },
  {
    name: "constant-body-undocumented",
    promise: "the OpenAPI document has a body where the emulator sends one, of each of the operations",
    file: "src/api/openapi/operation-object.ts",
    find: ", ...constant(success.body)",
    replace: "",
    killer: DECLARED,
  },
  {
    name: "constant-body-unsent",
    promise: "the emulator sends a body where the OpenAPI document has one, of each of the operations",
    file: "src/emulator/http/answer.ts",
    find: "return success.body === undefined\n",
    replace: "return success.body === undefined || true\n",
    killer: DECLARED,
  },
  {
    name: "hostname-in-service-with-its-record",
    promise: "a custom hostname in service has no records",
    file: HOSTNAME,
    find: "validation_records: [] } };",
    replace: "validation_records: [] }, ownership_verification };",
    killer: MACHINE,
  },
  {
    name: "hostname-in-service-told-to-activate",
    promise: "nobody is told to activate a custom hostname that is in service",
    file: HOSTNAME,
    find: '"The custom hostname is in service already; there is nothing to verify"',
    replace: '"The custom hostname is verified; there is nothing to verify, go on to activate it"',
    killer: MACHINE,
  },
  {
    name: "control-call-by-any-method",
    promise: "a control call with another method is 405 and names the one to use",
    file: ROUTES,
    find: "new ApiFailure(405, words",
    replace: "new ApiFailure(404, words",
    killer: SLIPS,
  },
  {
    name: "control-call-without-an-allow",
    promise: "the refusal of another method says in Allow which one there is (RFC 9110, 15.5.6)",
    file: ROUTES,
    find: ", {}, { allow });",
    replace: ");",
    killer: SLIPS,
  },
  {
    name: "strangers-told-of-control-calls",
    promise: "who calls this machine by another name learns nothing of control calls, by no method",
    file: ROUTES,
    find: "never {\n  refuseStrangers(request);",
    replace: "never {",
    killer: SLIPS,
  },
  {
    name: "unknown-control-call-asked-for-by-post",
    promise: "a control call that there is not is 404 by every method",
    file: ROUTES,
    find: "if (name !== undefined && !callsByName.has(name)) throw noCall(name);",
    replace: "",
    killer: SLIPS,
  },
  {
    name: "files-of-a-failed-start-left",
    promise: "a start that fails leaves no file in a folder in which no emulator had been",
    file: SAVED,
    find: "await emptyFolder(at);",
    replace: "return;",
    killer: FAILED,
  },
  {
    name: "folder-of-a-failed-start-left",
    promise: "a start that fails leaves no folder where there was none",
    file: SAVED,
    find: "removeFolders(made)));",
    replace: "undefined));",
    killer: FAILED,
  },
  {
    name: "state-lost-with-a-failed-start",
    promise: "a start that fails takes no state away that was there",
    file: SAVED,
    find: "  isLeft = await hasState(at);",
    replace: "  isLeft = false;",
    killer: of("start", "is as it was after a start whose port was taken"),
  },
  {
    name: "state-looked-for-before-the-lock",
    promise: "a start that fails takes no state away that another emulator acknowledged while it began",
    file: SAVED,
    find: "  await refuseForeignFolder(at);\n  const lock = await lockFolder(at);\n  locked.defer(() => lock.release());\n  isLeft = await hasState(at);",
    replace:
      "  await refuseForeignFolder(at);\n  isLeft = await hasState(at);\n  const lock = await lockFolder(at);\n  locked.defer(() => lock.release());\n",
    killer: of("persistence/failed-start", "between the first look into it and its lock"),
  },
  {
    name: "folder-emptied-that-is-another's-by-now",
    promise: "a start that fails takes nothing away from the emulator that has the folder by then",
    file: SAVED,
    find: "if (!isLeft && (await lock.isHeld())) await",
    replace: "if (!isLeft) await",
    killer: of("persistence/failed-start", "that has the folder since somebody removed the lock"),
  },
  {
    name: "state-lost-with-its-first-end",
    promise: "what was saved once stays when the emulator ends, in a folder that was new as well",
    file: SAVED,
    find: "    isLeft = true;",
    replace: "    isLeft &&= true;",
    killer: of("start", "is as it was after a start whose port was taken"),
  },
  {
    name: "control-call-answered-by-a-proxy",
    promise: "a control call whose answer is none of an emulator is told so with its name, whatever it is",
    file: "src/emulator/control-client.ts",
    find: "body: read(text) };",
    replace: "body: JSON.parse(text) };",
    killer: CONTROL,
  },
  {
    name: "control-call-refused-by-something-else",
    promise: "a control call that something else refuses has the words of no schema",
    file: "src/emulator/control-client.ts",
    find: "if (ok || !refused.success) throw",
    replace: "if (ok) throw",
    killer: CONTROL,
  },
  {
    name: "control-calls-over-any-scheme",
    promise: "a client of control calls refuses a URL that fetch cannot call",
    file: "src/emulator/control-client.ts",
    find: "!SCHEMES.has(base.protocol) || ",
    replace: "",
    killer: of("control/control", "have no client for the URL"),
  },
];
