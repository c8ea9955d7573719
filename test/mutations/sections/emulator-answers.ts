import type { Mutant } from "../mutant.ts";

const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;
const HOSTNAME = "src/emulator/domains/custom-hostname.ts";
const MACHINE = of("domains/custom-hostname", "the machine of a custom hostname");
const DECLARED = of("handlers/every-operation", "succeeds with its declared status and body");

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
];
