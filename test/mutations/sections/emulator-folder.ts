import type { Section } from "../mutant.ts";

const LINES = "src/emulator/persistence/lines.ts";
const SAVED_STATE = "src/emulator/persistence/saved-state.ts";
const TABLE = "src/emulator/state/table.ts";
const LOG_QUERY = "src/emulator/analytics/log-query.ts";
const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;
const UNSAVED = { project: "unit", files: ["src/emulator/state/table.test.ts"], only: "cannot be saved" } as const;
const AS_WRITTEN = of("persistence/lines", "are read as they were written");
const ODD_LINE = of("analytics/log-query", "reads a line with");

/** What may come into the state, so that a folder can keep it, and what becomes of a folder that cannot be written. */
export const emulatorFolder: Section = {
  sign: "emulator",
  name: "emulator-folder",
  mutants: [
    {
      name: "numbers-beyond-json-in-a-body",
      promise: "a request with what JSON cannot keep is refused, and nobody else pays for it",
      file: "src/emulator/http/validation.ts",
      find: "  const found = unsayable(value);\n",
      replace: "  const found = unsayable(null);\n",
      killer: of("http/json-values", "is refused where it stands"),
    },
    {
      name: "body-refused-before-its-sender",
      promise: "what JSON cannot keep is refused after a caller without a token, and in its place in the log",
      file: "src/emulator/http/body.ts",
      find: 'value: parseJson(bytes.toString("utf8"), "body") };',
      replace: 'value: validateBody(z.unknown(), parseJson(bytes.toString("utf8"), "body"), "body") };',
      killer: of("http/json-values", "is asked after whoever sends it"),
    },
    {
      name: "number-beyond-json-in-the-log",
      promise: "the log shows a number that JSON cannot say, in memory as in its folder",
      file: "src/emulator/http/redact.ts",
      find: "!Number.isFinite(inner)) return String(inner);",
      replace: "!Number.isFinite(inner)) return inner;",
      killer: of("http/json-values", "is shown in the log"),
    },
    {
      name: "numbers-beyond-json-in-a-control-call",
      promise: "a control call with what JSON cannot keep is refused",
      file: "src/emulator/control/dispatch.ts",
      find: "unsayable(parsed.data, input)",
      replace: "unsayable(null)",
      killer: of("http/json-values", "of the same process"),
    },
    {
      name: "numbers-beyond-json-in-a-seed",
      promise: "a seed with what JSON cannot keep is refused",
      file: "src/emulator/emulator.ts",
      find: "unsayable(parsed.data, input)",
      replace: "unsayable(null)",
      killer: of("http/json-values", "is refused in a seed"),
    },
    {
      name: "names-that-are-lost-in-a-seed-file",
      promise: "a seed file says nothing that is lost in silence",
      file: "src/cli/seed-file.ts",
      find: "unsayable(parsed.data, value)",
      replace: "unsayable(null)",
      killer: {
        project: "loopback",
        files: ["src/cli/emulator.loopback.test.ts"],
        only: "ends with 2 for the seed",
      },
    },
    {
      name: "name-that-is-lost-not-seen",
      promise: "a key under which nothing can be kept is refused",
      file: "src/base/json-value.ts",
      find: "!isList && key === LOST;",
      replace: "isList && key === LOST;",
      killer: of("http/json-values", "is refused where it stands"),
    },
    {
      name: "object-of-a-class-refused",
      promise: "a control call takes whatever has the fields that its schema reads",
      file: "src/emulator/control/dispatch.ts",
      find: "unsayable(parsed.data, input)",
      replace: "unsayable(input)",
      killer: of("http/json-values", "is no object of a class"),
    },
    {
      name: "object-of-another-realm-not-saved",
      promise: "a row of another realm is saved as any is",
      file: "src/base/json-value.ts",
      find: "prototype === null || Object.getPrototypeOf(prototype) === null",
      replace: "prototype === null || prototype === Object.prototype",
      killer: { project: "unit", files: ["src/emulator/persistence/codec.test.ts"], only: "of another realm" },
    },
    {
      name: "seed-that-its-caller-changes",
      promise: "what was seeded is no caller's to change",
      file: "src/emulator/emulator.ts",
      find: "structuredClone(parsed.data)",
      replace: "parsed.data",
      killer: of("auth/third-party-auth", "whatever becomes of the objects"),
    },
    {
      name: "input-that-its-caller-changes",
      promise: "what a control call was told is no caller's to change",
      file: "src/emulator/control/dispatch.ts",
      find: "structuredClone(parsed.data)",
      replace: "parsed.data",
      killer: of("auth/third-party-auth", "whatever becomes of the objects"),
    },
    {
      name: "circle-walked-until-the-stack-ends",
      promise: "a value that goes round in a circle is refused",
      file: "src/base/json-value.ts",
      find: "firstOf(inner, wrongWith, levels - 1)",
      replace: "firstOf(inner, wrongWith, levels)",
      killer: of("http/json-values", "round in a circle"),
    },
    {
      name: "row-in-memory-before-it-can-be-saved",
      promise: "what is in memory is what is saved, also where a row cannot be",
      file: TABLE,
      find: "    this.#changes.record({ table: this.name, key, value: row });\n    this.#put(key, row);\n",
      replace: "    this.#put(key, row);\n    this.#changes.record({ table: this.name, key, value: row });\n",
      killer: UNSAVED,
    },
    {
      name: "row-of-a-project-in-memory-before-it-can-be-saved",
      promise: "what is in memory is what is saved, also where a row of a project cannot be",
      file: TABLE,
      find: "    this.#changes.record({ table: this.name, key: joined(ref, key), value: row });\n    this.#put(ref, key, row);\n",
      replace:
        "    this.#put(ref, key, row);\n    this.#changes.record({ table: this.name, key: joined(ref, key), value: row });\n",
      killer: UNSAVED,
    },
    {
      name: "line-lost-where-a-part-ends",
      promise: "a file is read a part at a time, and no line is lost between two",
      file: LINES,
      find: "      if (start < length) before.push(",
      replace: "      if (start < length && start > 0) before.push(",
      killer: AS_WRITTEN,
    },
    {
      name: "all-lines-as-one-text",
      promise: "what is written is never one text, which can only be so long",
      file: LINES,
      find: "    if (length < chunk) continue;\n",
      replace: "    if (length >= 0) continue;\n",
      killer: AS_WRITTEN,
    },
    {
      name: "changes-of-any-length-on-a-line",
      promise: "no line of several changes is longer than can be read",
      file: LINES,
      find: "last !== undefined && room >= 0",
      replace: "last !== undefined",
      killer: of("persistence/lines", "are put together"),
    },
    {
      name: "start-ended-by-a-snapshot",
      promise: "a snapshot that a start cannot write is told, and the journal goes on",
      file: SAVED_STATE,
      find: "      if (this.#journal === undefined) throw error;\n",
      replace: "      throw error;\n",
      killer: of("persistence/failed-snapshot", "is told and ends nothing"),
    },
    {
      name: "empty-journal-for-each-start",
      promise: "starts that can write no snapshot leave one empty journal between them",
      file: SAVED_STATE,
      find: "    if (isLastEmpty && this.#number > snapshot) this.#number -= 1;\n",
      replace: "",
      killer: of("persistence/failed-snapshot", "no start leaves one more journal"),
    },
    {
      name: "refusal-of-the-disk-as-it-came",
      promise: "a folder that cannot be written is refused by its path, with what to do",
      file: SAVED_STATE,
      find: "  } catch (error) {\n    throw unusable(at, error);\n",
      replace: "  } catch (error) {\n    throw error;\n",
      killer: of("persistence/failed-snapshot", "is refused by its path"),
    },
    {
      name: "lock-of-another-taken-away",
      promise: "an emulator gives back a folder that is its own",
      file: "src/emulator/persistence/lock.ts",
      find: ".catch(() => undefined)) === text;",
      replace: ".catch(() => undefined)) !== undefined;",
      killer: of("persistence/failed-snapshot", "is not taken away"),
    },
    {
      name: "nul-in-a-log-line",
      promise: "no line of the log spoils the queries over the others",
      file: LOG_QUERY,
      find: '.replaceAll("\\0", "\\uFFFD")',
      replace: "",
      killer: ODD_LINE,
    },
    {
      name: "half-of-a-pair-in-a-log-line",
      promise: "no line of the log spoils the queries over the others, whatever its text is",
      file: LOG_QUERY,
      find: ".toWellFormed()",
      replace: "",
      killer: ODD_LINE,
    },
  ],
};
