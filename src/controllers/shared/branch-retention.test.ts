import { expect, it } from "vitest";
import { branchDeletionPolicy } from "./branch-retention.ts";

interface Case {
  readonly spec: Parameters<typeof branchDeletionPolicy>[0];
  readonly status: Parameters<typeof branchDeletionPolicy>[1];
  readonly policy: string;
  readonly why: string;
}

const none = { deletionPolicy: undefined, persistent: undefined } as const;
const unseen = { isDefault: undefined, persistent: undefined } as const;

it.each<Case>([
  { spec: none, status: unseen, policy: "Delete Default", why: "a preview branch costs a rebuild and holds nothing" },
  { spec: { ...none, persistent: true }, status: unseen, policy: "Retain Default", why: "it is declared to last" },
  {
    spec: none,
    status: { ...unseen, persistent: true },
    policy: "Retain Default",
    why: "somebody made it last on the platform",
  },
  {
    spec: { ...none, persistent: false },
    status: { ...unseen, persistent: true },
    policy: "Retain Default",
    why: "either is enough: keeping can be undone",
  },
  {
    spec: { ...none, deletionPolicy: "Delete", persistent: true },
    status: unseen,
    policy: "Delete Object",
    why: "the spec's own word goes before the default",
  },
  {
    spec: { ...none, deletionPolicy: "Retain" },
    status: unseen,
    policy: "Retain Object",
    why: "the same the other way",
  },
  {
    spec: { ...none, deletionPolicy: "Delete" },
    status: { ...unseen, isDefault: true },
    policy: "Retain Default",
    why: "the default branch goes only with its project",
  },
])("the deletion policy of a branch is $policy: $why", ({ spec, status, policy }) => {
  const { value, origin } = branchDeletionPolicy(spec, status);
  expect(`${value} ${origin}`).toBe(policy);
});
