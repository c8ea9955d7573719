import { defineConfig } from "oxlint";
import type { DummyRuleMap } from "oxlint";
import type { ImportPattern } from "./tools/lint/rooms.ts";
import { kubernetesClient, kubeTransport, mainRefusals, pureRefusals, refusals, rooms } from "./tools/lint/rooms.ts";

const tests = "**/*.test.ts";

/** One rule value; a later override replaces an earlier one whole, so each holds everything that its files may not import. */
function imports(patterns: readonly ImportPattern[]): DummyRuleMap {
  return { "no-restricted-imports": ["error", { patterns: [...patterns] }] };
}

/** Time, randomness, environment and arguments reach a room as parameters, so that tests drive them. */
const ambient: DummyRuleMap = {
  "no-restricted-globals": [
    "error",
    ...["setTimeout", "setInterval", "performance", "fetch"].map((name) => ({
      name,
      message: "Take a Clock (src/base/clock.ts) or the room's transport as a parameter.",
    })),
  ],
  "no-restricted-properties": [
    "error",
    { object: "Date", property: "now", message: "Take a Clock (src/base/clock.ts)." },
    { object: "Math", property: "random", message: "Take a Random (src/base/random.ts)." },
    { object: "process", property: "env", message: "Only src/main.ts reads the environment." },
    { object: "process", property: "argv", message: "Only src/main.ts reads the arguments." },
  ],
};

export default defineConfig({
  plugins: ["typescript", "import", "unicorn", "oxc", "node", "promise", "vitest"],
  categories: { correctness: "error" },
  ignorePatterns: ["node_modules", "dist", "coverage", ".tools", ".cache"],
  options: { denyWarnings: true, reportUnusedDisableDirectives: "error", typeAware: true },
  rules: {
    "array-callback-return": "error",
    complexity: ["error", { max: 15 }],
    curly: ["error", "multi-line"],
    eqeqeq: "error",
    "max-depth": ["error", 4],
    "max-lines": ["error", { max: 320 }],
    "max-lines-per-function": ["error", { max: 45, skipBlankLines: true, skipComments: true }],
    "max-params": ["error", { max: 4 }], // three positional ones and an options object
    "no-console": "error",
    "no-else-return": "error",
    "no-param-reassign": "error",
    "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
    "no-var": "error",
    "prefer-const": "error",
    "import/no-cycle": ["error", { ignoreTypes: false }],
    "import/no-default-export": "error",
    "oxc/no-barrel-file": ["error", { threshold: 0 }],
    "typescript/consistent-type-imports": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-unnecessary-condition": "error",
    "typescript/no-unnecessary-type-assertion": "error",
    "typescript/no-unsafe-argument": "error",
    "typescript/no-unsafe-assignment": "error",
    "typescript/no-unsafe-call": "error",
    "typescript/no-unsafe-member-access": "error",
    "typescript/no-unsafe-return": "error",
    "typescript/only-throw-error": "error",
    "typescript/prefer-readonly": "error",
    "typescript/return-await": ["error", "error-handling-correctness-only"],
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: false }],
    "vitest/no-disabled-tests": "error",
    "vitest/no-focused-tests": "error",
    "no-restricted-imports": ["error", { patterns: [kubernetesClient] }],
  },
  overrides: [
    { files: ["src/**/*.ts"], excludeFiles: [tests, "src/base/**", "src/main.ts"], rules: ambient },
    ...rooms.map((room) => ({ files: [`src/${room.name}/**/*.ts`], rules: imports(refusals(room, false)) })),
    ...rooms.map((room) => ({ files: [`src/${room.name}/${tests}`], rules: imports(refusals(room, true)) })),
    { files: ["src/main.ts"], rules: imports(mainRefusals) },
    { files: ["src/kube/transport.ts"], rules: imports(refusals(kubeTransport, false)) },
    {
      files: [tests, "test/**/*.ts"],
      rules: { "max-lines-per-function": "off", "typescript/no-unsafe-assignment": "off" },
    },
    {
      files: ["test/**/*.ts", "tools/**/*.ts", "demo/**/*.ts", "bench/**/*.ts", "examples/**/*.ts"],
      rules: { "no-console": "off" },
    },
    // one line a table
    { files: ["src/emulator/state/tables.ts"], rules: { "max-lines-per-function": "off" } },
    { files: ["*.config.ts"], rules: { "import/no-default-export": "off" } },
    { files: ["src/controllers/*/plan.ts", "src/controllers/*/status.ts"], rules: imports(pureRefusals) },
  ],
});
