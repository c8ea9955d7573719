import type { Mutant } from "../mutant.ts";

const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;

/** What the emulator holds requests to, and how long what it began goes on. */
export const emulatedBounds: readonly Mutant[] = [
  {
    name: "group-of-regions-on-any-plan",
    promise: "a group stands for its first region with room on the organization's plan",
    file: "src/emulator/projects/projects.ts",
    find: "regionOfGroup(world, selection.code, wanted)",
    replace: 'regionOfGroup(world, selection.code, { size, plan: "enterprise" })',
    killer: of("projects/available-regions", "past its usual region"),
  },
  {
    name: "functions-above-the-plan-frozen",
    promise: "a project with more functions than its plan has by now changes those that it has",
    file: "src/emulator/functions/function-store.ts",
    find: "after > limit && after > known.size",
    replace: "after > limit",
    killer: of("functions/deploy", "changes those that it has"),
  },
  {
    name: "window-begun-anew-by-another-retention",
    promise: "the window of a longer or shorter retention begins where the first one began",
    file: "src/emulator/infrastructure/addon-selection.ts",
    find: "known?.sinceMs ?? world.clock.now()",
    replace: "world.clock.now()",
    killer: of("infrastructure/backups", "goes on where it began"),
  },
  {
    name: "check-of-health-without-a-time-waits-a-minute",
    promise: "a health check waits 10 s where it is not said",
    file: "src/emulator/projects/service-health.ts",
    find: "LONGEST_WAIT_MS = 10_000",
    replace: "LONGEST_WAIT_MS = 60_000",
    killer: { project: "unit", files: ["src/emulator/projects/service-health.test.ts"] },
  },
  {
    name: "turn-of-a-bundle-kept",
    promise: "a deploy of the bundle alone gives its turn back as any other",
    file: "src/emulator/functions/deploy.ts",
    find: "    world.deploying.delete(project.ref);",
    replace: "    if (request.query.bundleOnly !== true) world.deploying.delete(project.ref);",
    killer: of("functions/deploy", "leaves the metadata to the bulk update"),
  },
  {
    name: "range-removed-after-it-was-added",
    promise: "a range that one PATCH both removes and adds stays",
    file: "src/emulator/infrastructure/network-restrictions.ts",
    find: "[...without(config.v4, removed.v4), ...added.v4]",
    replace: "without([...config.v4, ...added.v4], removed.v4)",
    killer: of("infrastructure/network-restrictions", "both removes and adds"),
  },
  {
    name: "first-keys-back-where-none-is-left",
    promise: "a key of the start that was deleted does not come back",
    file: "src/emulator/keys/api-key-set.ts",
    find: "if (!keys.apiKeysMade && hasKeys(world, project)) {",
    replace: "if (world.apiKeys.of(ref).size === 0 && hasKeys(world, project)) {",
    killer: of("keys/api-keys", "nor where no other is left"),
  },
];
