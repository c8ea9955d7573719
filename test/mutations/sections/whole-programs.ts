import type { Mutant, Section } from "../mutant.ts";

/** What the kill matrix plays of one sort of case alone, beside the recording that it begins with. */
function matrix(only: string, cases: string): Mutant["killer"] {
  return {
    project: "matrix",
    files: ["test/matrix/kill.matrix.test.ts"],
    only,
    environment: { MATRIX_ONLY: cases },
  };
}

/** What the kill matrix is for: promises that tests of a part guard as well, and that must not get past the whole either. */
export const wholePrograms: Section = {
  sign: "§4",
  name: "whole-programs",
  mutants: [
    {
      name: "matrix-sees-no-intent-before-the-post",
      promise:
        "before a POST that creates: record the intent on the object, or who is killed in it loses what was made",
      file: "src/controllers/shared/create-once.ts",
      find: '    return { kind: "created", value: await request.create(() => record(request, inDoubt)) };',
      replace: [
        "    const value = await request.create(() => Promise.resolve());",
        "    await record(request, inDoubt);",
        '    return { kind: "created", value };',
      ].join("\n"),
      killer: matrix("killed at any point", "^killed, found: after POST /v1/"),
    },
  ],
};
