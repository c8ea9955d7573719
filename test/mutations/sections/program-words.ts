import type { Mutant } from "../mutant.ts";

const OUTPUT = "src/cli/standard-output.ts";
const OUTPUT_TEST = "src/cli/lost-output.loopback.test.ts";

/** What the program says where it is used by hand, and how it ends: scripts go by both. */
export const programWords: readonly Mutant[] = [
  {
    name: "lost-output-is-success",
    promise: "output that cannot be written is told and ends with 1",
    file: OUTPUT,
    find: 'if (error.code === "EPIPE") return;',
    replace: 'if (error.code !== "") return;',
    killer: { project: "loopback", files: [OUTPUT_TEST], only: "where the disk is full" },
  },
  {
    name: "enough-read-is-a-failure",
    promise: "a reader that has enough is no failure of the program",
    file: OUTPUT,
    find: 'if (error.code === "EPIPE") return;',
    replace: "",
    killer: { project: "loopback", files: ["src/cli/openapi.loopback.test.ts"], only: "its reader has enough" },
  },
  {
    name: "output-cut-in-silence",
    promise: "output of which a file took only a part is told and ends with 1",
    file: OUTPUT,
    find: "fstatSync(stdout.fd).isFile()",
    replace: "fstatSync(stdout.fd).isSocket()",
    killer: { project: "loopback", files: [OUTPUT_TEST], only: "longer than a file" },
  },
  {
    name: "code-of-lost-output-overwritten",
    promise: "output that cannot be written ends the program with 1, also where it is lost before the verb ends",
    file: "src/main.ts",
    find: "process.exitCode ??= code;",
    replace: "process.exitCode = code;",
    killer: { project: "loopback", files: [OUTPUT_TEST], only: "where the disk is full" },
  },
  {
    name: "missing-namespace-unheard",
    promise: "a watched namespace that does not exist is told at the start",
    file: "src/cli/kubernetes.ts",
    find: 'if (error.code !== "NotFound") continue;',
    replace: "if (error.code) continue;",
    killer: { project: "loopback", files: ["src/cli/kubernetes.loopback.test.ts"], only: "is to be watched" },
  },
  {
    name: "help-for-any-verb",
    promise: "help for a verb that there is not is wrong use",
    file: "src/cli/program.ts",
    find: "unknownVerb(program, args) ?? [...args]",
    replace: "[...args]",
    killer: { project: "loopback", files: ["src/cli/wrong-use.loopback.test.ts"], only: "help for a verb" },
  },
  {
    name: "answer-refused-in-words-of-a-library",
    promise: "what is wrong with an answer is said in the words in which an input is refused",
    file: "src/api/response.ts",
    find: "schema.safeParse(value, { error: issueWords });",
    replace: "schema.safeParse(value);",
    killer: { project: "loopback", files: ["src/api/client.loopback.test.ts"], only: "what is read" },
  },
  {
    name: "operation-told-for-its-input",
    promise: "who gets a call wrong is told by the compiler what it takes",
    file: "src/api/contract/operation.ts",
    find: "InputParts<O> extends infer Parts ? { [Name in keyof Parts]: Parts[Name] } : never;",
    replace: "InputParts<O>;",
    killer: { project: "loopback", files: ["test/package/package.test.ts"], only: "tells who gets a call wrong" },
  },
  {
    name: "kubernetes-client-shipped-whole",
    promise: "what is shipped loads of Kubernetes' client what it asks for, and not all of it",
    file: "rolldown.config.ts",
    find: "client-node\\//u, sideEffects: false",
    replace: "client-node\\//u, sideEffects: true",
    killer: { project: "loopback", files: ["test/package/package.test.ts"], only: "takes of Kubernetes' client" },
  },
  {
    name: "objects-held-twice",
    promise: "of an object that is held what is read of it takes no second copy",
    file: "src/controllers/shared/object-store.ts",
    find: "object: sharing(parsed.object, object)",
    replace: "object: parsed.object",
    killer: { project: "unit", files: ["src/controllers/shared/object-store.test.ts"] },
  },
];
