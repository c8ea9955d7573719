import type { Branch } from "../../api/contract/branches.ts";
import { isApiError } from "../../api/errors.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { PARENT_INDEX, REF_INDEX } from "../indexes.ts";
import { terminal } from "../shared/failures.ts";
import { listBranches } from "../shared/snapshot.ts";
import { writing } from "../shared/shared-write.ts";
import { believeNone, foundOne } from "./believe-none.ts";
import { differs, observedSection } from "./observed-section.ts";
import type { SectionAt } from "./section.ts";

/** Switches of a project that are a section each. */

const LEGACY = "legacyApiKeysEnabled";
const LEGACY_GONE = "the platform has no legacy keys any more: remove the field, and use publishable and secret keys";

/** The legacy API keys anon and service_role: one switch for both (K-09); where its endpoint is gone, so are they (K-10). */
export const legacyApiKeysSection = observedSection<boolean, boolean | undefined>({
  name: LEGACY,
  about: "Whether the legacy keys anon and service_role are accepted, both together. One read and one write.",
  operations: ["apiKeys.getLegacy", "apiKeys.updateLegacy"],
  title: "the legacy API keys",
  declared: (spec) => spec.legacyApiKeysEnabled,
  read: async (at, _declared, entry) => {
    const { client, ref, call } = at;
    try {
      const { enabled } = await client.apiKeys.getLegacy({ ref }, call);
      foundOne(at, LEGACY);
      return enabled;
    } catch (error) {
      if (!isApiError(error, "GONE")) throw error;
      const isTold = entry?.message?.includes(LEGACY_GONE) === true;
      if (!isTold) believeNone(at, { name: LEGACY, title: "the switch of the legacy API keys", following: "tell" });
      return undefined;
    }
  },
  plan: (wanted, enabled = false) =>
    enabled === wanted ? [] : [differs("spec.legacyApiKeysEnabled", wanted, enabled)],
  blocked: (_wanted, enabled) =>
    enabled === undefined ? terminal("Rejected", `spec.legacyApiKeysEnabled: ${LEGACY_GONE}`) : undefined,
  notice: (enabled) => (enabled === undefined ? LEGACY_GONE : undefined),
  write: async ({ environment, client, ref }, { declared, send }) => {
    const { revealedKeys } = environment.snapshots.of(client, ref);
    const { enabled } = await writing(revealedKeys, () =>
      send((call) => client.apiKeys.updateLegacy({ ref, enabled: declared }, call)),
    );
    revealedKeys.wrote(); // outputs hold keys
    return enabled;
  },
});

/** How soon branches that are in the way are looked for again, milliseconds. */
const LEFT_LOOK_MS = 60_000;

/** Names of the branches that would go with preview branching, the default one aside. */
function previews(branches: readonly Branch[]): readonly string[] {
  return branches.flatMap(({ is_default: isDefault, name }) => (isDefault ? [] : [name]));
}

/** What is said of branches that would go with the switch; undefined where there are none. */
function inTheWay(names: readonly string[]): TerminalError | undefined {
  if (names.length === 0) return undefined;
  const left = names.join(", ");
  return terminal("Rejected", `spec.branching: Disabled would delete the branches ${left}: delete them first`, {
    recheckAfterMs: LEFT_LOOK_MS,
  });
}

/** Objects that have, or are about to have, a branch of the project. */
function branchObjects({ environment: { objects }, ref }: SectionAt): readonly string[] {
  const parents = objects.projects
    .byIndex(REF_INDEX, ref)
    .map(({ metadata: { namespace = "", name } }) => `Project/${namespace}/${name}`);
  return [...parents, `ref/${ref}`]
    .flatMap((parent) => objects.branches.byIndex(PARENT_INDEX, parent))
    .map(({ metadata: { namespace = "", name } }) => `of Branch ${namespace}/${name}`);
}

/**
 * Preview branching. Disabled takes all branches away, so that it is done only where there is no other than the default one: what holds data is
 * deleted by its own object or by hand, never by a switch.
 */
export const branchingSection = observedSection<"Enabled" | "Disabled", readonly Branch[]>({
  name: "branching",
  about:
    "Preview branching. Disabled is carried out only once no branch but the default one is left; the first Branch object enables it, so Enabled only asserts that it is allowed. Of projects alone: a branch has none. One read; another one right before the write, and one after it.",
  operations: ["branches.list", "branches.disable"],
  title: "preview branching",
  declared: (spec) => spec.branching,
  read: ({ client, ref, call }) => listBranches(client, ref, call),
  plan: (wanted, branches) => {
    if (wanted === "Enabled" || branches.length === 0) return [];
    return [differs("spec.branching", wanted, "Enabled")];
  },
  blocked: (_wanted, branches) => inTheWay(previews(branches)),
  write: async (at, { send }) => {
    // Looked at again right before: what was made since the look must not go with the switch.
    const blocked = inTheWay(previews(await listBranches(at.client, at.ref, at.call))) ?? inTheWay(branchObjects(at));
    if (blocked !== undefined) throw blocked;
    await send((call) => at.client.branches.disable({ ref: at.ref }, call));
    return undefined;
  },
});
