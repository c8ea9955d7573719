import type { Mutant, Section } from "../mutant.ts";

const APPLY = "src/controllers/edge-function/apply.ts";

const many: Mutant["killer"] = {
  project: "loopback",
  files: ["src/controllers/edge-function/many.loopback.test.ts"],
  only: "K-30",
};

/** K-30 of the operator as a whole: many functions of one project. */
export const manyFunctions: Section = {
  sign: "K",
  name: "many-functions",
  mutants: [
    {
      name: "operator-asks-past-the-budget",
      promise: "K-30: an operator with many functions of one project is answered no 429",
      file: "src/api/pacing/window.ts",
      find: "this.#heldMs = windowMs + MARGIN_MS;",
      replace: "this.#heldMs = windowMs / 2;",
      killer: many,
    },
    {
      name: "deployed-beside-others-and-unread",
      promise: "K-30: each of many functions is read between its deployment and its first Ready",
      file: APPLY,
      find: "if (context.isCrowded()) throw seeLater(context);",
      replace: "if (context.isCrowded()) return written;",
      killer: many,
    },
    {
      name: "each-deployment-read-alone",
      promise:
        "K-30: many functions of one project are Ready after a few windows: what came of them is read in lists that they share",
      file: APPLY,
      find: "if (context.isCrowded()) throw seeLater(context);",
      replace: "",
      killer: many,
    },
  ],
};
