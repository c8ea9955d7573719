import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BranchPlanInput, planBranch } from "./plan.ts";

type Remote = BranchPlanInput["remote"];
type Declared = BranchPlanInput["spec"];

const remote: Remote = {
  name: "preview",
  git_branch: "one",
  persistent: false,
  notify_url: "https://example.com/hook",
};

describe("planBranch", () => {
  it.each<{
    readonly why: string;
    readonly spec: Declared;
    readonly remote?: Partial<Remote>;
    readonly sends: object;
  }>([
    { why: "what is not declared is not compared", spec: {}, remote: { persistent: true }, sends: {} },
    {
      why: "another name",
      spec: { name: "review" },
      sends: { branch_name: "review" },
    },
    { why: "another Git branch", spec: { gitBranch: "two" }, sends: { git_branch: "two" } },
    {
      why: "a Git branch where there was none",
      spec: { gitBranch: "two" },
      remote: { git_branch: null },
      sends: { git_branch: "two" },
    },
    { why: "made to last", spec: { persistent: true }, sends: { persistent: true } },
    {
      why: "false is a declaration, too",
      spec: { persistent: false },
      remote: { persistent: true },
      sends: { persistent: false },
    },
    {
      why: "an address where there was none",
      spec: { notifyUrl: "https://a.example/" },
      remote: { notify_url: undefined },
      sends: { notify_url: "https://a.example/" },
    },
    {
      why: "the slash of an empty path is the platform's way of writing",
      spec: { notifyUrl: "https://a.example" },
      remote: { notify_url: "https://a.example/" },
      sends: {},
    },
    {
      why: "so is the case of a host",
      spec: { notifyUrl: "https://A.example/x" },
      remote: { notify_url: "https://a.example/x" },
      sends: {},
    },
    {
      why: "the case of a path is not",
      spec: { notifyUrl: "https://a.example/X" },
      remote: { notify_url: "https://a.example/x" },
      sends: { notify_url: "https://a.example/X" },
    },
    {
      why: "something on the platform that is no address",
      spec: { notifyUrl: "https://a.example/" },
      remote: { notify_url: "none" },
      sends: { notify_url: "https://a.example/" },
    },
  ])("sends exactly the declared fields that differ: $why", ({ spec, remote: change, sends }) => {
    const changes = planBranch({ spec, remote: { ...remote, ...change } });
    expect(Object.assign({}, ...changes.map(({ patch }) => patch))).toEqual(sends);
    expect(changes.map(({ cause }) => cause)).toEqual(changes.map(() => "declared"));
  });

  it("names each field by its path in the spec", () => {
    const changes = planBranch({
      spec: { name: "b", gitBranch: "x", persistent: true, notifyUrl: "https://b.example/" },
      remote,
    });
    expect(changes.map(({ field }) => field)).toEqual([
      "spec.name",
      "spec.gitBranch",
      "spec.persistent",
      "spec.notifyUrl",
    ]);
  });
});

const text = fc.stringMatching(/^[a-z]{1,3}$/);
const url = fc.constantFrom("https://a.example", "https://a.example/", "https://B.example/x", "https://b.example/x");
const declared = fc.record(
  { name: text, gitBranch: text, persistent: fc.boolean(), notifyUrl: url },
  { requiredKeys: [] },
);
const existing = fc.record({
  name: text,
  git_branch: fc.option(text),
  persistent: fc.boolean(),
  notify_url: fc.option(url),
});

/** What the platform makes of an update. */
function applied(before: Remote, changes: ReturnType<typeof planBranch>): Remote {
  return changes.reduce<Remote>((branch, { patch: { branch_name: name, ...rest } }) => {
    return { ...branch, ...rest, ...(name === undefined ? {} : { name }) };
  }, before);
}

describe("the laws of a plan", () => {
  it("applying it leaves nothing to do", () => {
    fc.assert(
      fc.property(declared, existing, (spec, before) => {
        const after = applied(before, planBranch({ spec, remote: before }));
        expect(planBranch({ spec, remote: after })).toEqual([]);
      }),
    );
  });

  it("leaves every field alone that is not declared", () => {
    fc.assert(
      fc.property(declared, existing, (spec, before) => {
        const after = applied(before, planBranch({ spec, remote: before }));
        const undeclared = (branch: Remote): object => ({
          ...(spec.name === undefined ? { name: branch.name } : {}),
          ...(spec.gitBranch === undefined ? { git_branch: branch.git_branch } : {}),
          ...(spec.persistent === undefined ? { persistent: branch.persistent } : {}),
          ...(spec.notifyUrl === undefined ? { notify_url: branch.notify_url } : {}),
        });
        expect(undeclared(after)).toEqual(undeclared(before));
      }),
    );
  });
});
