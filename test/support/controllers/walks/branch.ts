import fc from "fast-check";
import { planBranch } from "../../../../src/controllers/branch/plan.ts";
import { branchKind } from "../../../../src/resources/branch/kind.ts";
import { words } from "./words.ts";
import type { Walked } from "./walk.ts";

interface Fields {
  readonly name: string | undefined;
  readonly gitBranch: string | undefined;
  readonly persistent: boolean | undefined;
  readonly notifyUrl: string | undefined;
}

// The default branch has that name.
const name = words.filter((word) => word !== "main");
const gitBranch = fc.constantFrom("main", "feature/login", "Feature/Login", "v1.0-rc_2", "é");
const notifyUrl = fc.oneof(
  fc.constantFrom(
    "https://example.com",
    "https://EXAMPLE.com/",
    "https://example.com:443",
    "http://example.com/a?b=c#d",
  ),
  fc.webUrl({ withQueryParameters: true }),
);
const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const fields = fc.record({
  name: some(name),
  gitBranch: some(gitBranch),
  persistent: some(fc.boolean()),
  notifyUrl: some(notifyUrl),
});

/** A Branch of the Project `shop`. Hands change whatever of it a spec may declare. */
export const walkedBranch: Walked<Fields, Fields> = {
  kind: branchKind,
  specs: fields,
  hands: fields,
  manifest: (spec) => ({
    projectRef: { name: "shop" },
    deletionPolicy: "Delete",
    ...Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined)),
  }),
  act: async ({ client, ref, parentRef }, hand) => {
    const body = {
      ...(hand.name === undefined ? {} : { branch_name: hand.name }),
      ...(hand.gitBranch === undefined ? {} : { git_branch: hand.gitBranch }),
      ...(hand.persistent === undefined ? {} : { persistent: hand.persistent }),
      ...(hand.notifyUrl === undefined ? {} : { notify_url: hand.notifyUrl }),
    };
    await client.branches.update({ branch_id_or_ref: ref(), body }, { parentRef });
  },
  look: async ({ client, ref, parentRef }, spec) => {
    const remote = (await client.branches.list({ ref: parentRef })).find(({ project_ref: own }) => own === ref());
    if (remote === undefined) throw new Error("the branch is gone");
    const { git_branch: git, notify_url: url, persistent } = remote;
    const planned = planBranch({ spec, remote }).map(({ field }) => field);
    return { planned, fields: { name: remote.name, gitBranch: git ?? undefined, persistent, notifyUrl: urlOf(url) } };
  },
  expected: ({ notifyUrl: url, ...spec }, before) => ({
    name: spec.name ?? before["name"],
    gitBranch: spec.gitBranch ?? before["gitBranch"],
    persistent: spec.persistent ?? before["persistent"],
    notifyUrl: urlOf(url) ?? before["notifyUrl"],
  }),
};

/** One of the ways to write an address. */
function urlOf(text: string | null | undefined): string | undefined {
  return text === null || text === undefined ? undefined : new URL(text).href;
}
