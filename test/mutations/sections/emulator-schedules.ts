import type { Mutant } from "../mutant.ts";

/** What the emulator makes of time, and of names that no database can have. */
export const emulatedSchedules: readonly Mutant[] = [
  {
    name: "held-status-skipped",
    promise: "what is let go before it comes to where it would be held passes through that too",
    file: "src/emulator/state/life.ts",
    find: "if (stop !== undefined && stop.atMs > nowMs) {",
    replace: "if (stop !== undefined && stop.atMs > nowMs && held.length === 0) {",
    killer: { project: "unit", files: ["src/emulator/state/life.test.ts"] },
  },
  {
    name: "schema-named-nul",
    promise: "a name that PostgreSQL cannot have is refused, and never a 500",
    file: "src/api/contract/fields.ts",
    find: ".regex(/^[^,\\u0000]+(,[^,\\u0000]+)*$/,",
    replace: ".regex(/^[^,]+(,[^,]+)*$/,",
    killer: { project: "loopback", files: ["src/emulator/sql/database-documents.loopback.test.ts"] },
  },
];
