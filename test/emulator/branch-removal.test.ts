import { describe, expect, it } from "vitest";
import { z } from "zod";
import { keepsTo } from "../support/emulator/machine.ts";
import { NONE } from "../support/emulator/models/named-things.ts";
import { PROJECT, REF } from "../support/emulator/models/resource.ts";

/**
 * How branches go (behaviour.md, States: "soft deletion enabled: scheduled for deletion, 1-hour grace period; restore: cancelled"; facts.md
 * §5: "default can't be deleted; persistent must first be PATCHed persistent=false"; §6.6: the first branch is the default one).
 */

const HOUR_MS = 3_600_000;

interface Branch {
  readonly id: string;
  readonly isDefault: boolean;
  readonly persistent: boolean;
  readonly goneAtMs: number;
}
interface Branches {
  readonly soft: boolean;
  readonly hasDefault: boolean;
  /** the branch that is looked at, also after it went */
  readonly dev: Branch | undefined;
}
const ACTS = [
  "soft",
  "hard",
  "create",
  "create persistent",
  "delete",
  "delete softly",
  "restore",
  "persist",
  "let go",
  "disable",
] as const;
type Act = (typeof ACTS)[number];

const NEVER = Infinity;
const branch = z.object({
  id: z.string(),
  name: z.string(),
  is_default: z.boolean(),
  persistent: z.boolean(),
  deletion_scheduled_at: z.string().optional(),
});

interface Answer {
  readonly code: number;
  readonly next: Branches;
}
/** @param dev the branch where it is there */
type Rule = (known: Branches, dev: Branch | undefined, nowMs: number) => Answer;

const refused = (code: number, next: Branches): Answer => ({ code, next });
const changed = (known: Branches, dev: Branch | undefined, change: Partial<Branch>): Answer =>
  dev === undefined ? refused(404, known) : { code: 200, next: { ...known, dev: { ...dev, ...change } } };
const created = (known: Branches, dev: Branch | undefined, persistent: boolean): Answer => {
  if (dev !== undefined) return refused(409, known);
  const isDefault = !known.hasDefault;
  const made = { id: "", isDefault, persistent: isDefault || persistent, goneAtMs: NEVER };
  return { code: 201, next: { ...known, hasDefault: true, dev: made } };
};
const mustStay = (dev: Branch | undefined): boolean => dev?.isDefault === true || dev?.persistent === true;

const RULES: Readonly<Record<Act, Rule>> = {
  soft: (known) => ({ code: 0, next: { ...known, soft: true } }),
  hard: (known) => ({ code: 0, next: { ...known, soft: false } }),
  create: (known, dev) => created(known, dev, false),
  "create persistent": (known, dev) => created(known, dev, true),
  delete: (known, dev, nowMs) => (mustStay(dev) ? refused(422, known) : changed(known, dev, { goneAtMs: nowMs })),
  "delete softly": (known, dev, nowMs) => {
    if (mustStay(dev) || !known.soft) return RULES.delete(known, dev, nowMs);
    // the grace period does not begin anew
    return changed(known, dev, dev?.goneAtMs === NEVER ? { goneAtMs: nowMs + HOUR_MS } : {});
  },
  restore: (known, dev) => (dev?.goneAtMs === NEVER ? refused(422, known) : changed(known, dev, { goneAtMs: NEVER })),
  persist: (known, dev) => changed(known, dev, { persistent: true }),
  "let go": (known, dev) =>
    dev?.isDefault === true ? refused(422, known) : changed(known, dev, { persistent: false }),
  disable: ({ soft }, dev, nowMs) => ({
    code: 200,
    next: { soft, hasDefault: false, dev: dev && { ...dev, goneAtMs: nowMs } },
  }),
};

/** Every kind of branch, on its way and gone; each refusal. */
const HARD: readonly (Act | number)[] = ["create", "delete softly", "create persistent", "delete", "let go", "restore"];
const SOFT: readonly (Act | number)[] = ["soft", "delete softly", "restore", "delete softly", 60_000, "delete softly"];
const GRACE: readonly (Act | number)[] = ["persist", "delete", HOUR_MS - 60_001, 1, "restore", "create", HOUR_MS];
const ALL: readonly (Act | number)[] = ["delete softly", "disable", "create", "delete", "let go", "disable", "delete"];

describe("a branch", () => {
  it("goes at once, after its hour of grace, with all others, or not at all", async () => {
    const shown = await keepsTo<Branches, Act>({
      project: { branches: [{ name: "main" }] },
      initial: { soft: false, hasDefault: true, dev: undefined },
      acts: ACTS,
      waitsMs: [1, 60_000, HOUR_MS - 1, HOUR_MS],
      request: async (act, { dev }, { control }) => {
        const path = `/v1/branches/${dev?.id ?? NONE}`;
        switch (act) {
          case "soft":
          case "hard":
            await control.projects.patch({ ref: REF, softBranchDeletion: act === "soft" });
            return undefined;
          case "create":
          case "create persistent": {
            const body = { branch_name: "dev", ...(act === "create" ? {} : { persistent: true }) };
            return { method: "POST", path: `${PROJECT}/branches`, body };
          }
          case "delete":
            return { method: "DELETE", path };
          case "delete softly":
            return { method: "DELETE", path: `${path}?force=false` };
          case "restore":
            return { method: "POST", path: `${path}/restore` };
          case "persist":
          case "let go":
            return { method: "PATCH", path, body: { persistent: act === "persist" } };
          case "disable":
            return { method: "DELETE", path: `${PROJECT}/branches` };
          default:
            return act satisfies never;
        }
      },
      answer: (act, known, nowMs) => {
        const { dev } = known;
        return RULES[act](known, dev !== undefined && nowMs < dev.goneAtMs ? dev : undefined, nowMs);
      },
      learn: (known, { json }) => {
        const { data } = branch.safeParse(json);
        return data === undefined || known.dev === undefined ? known : { ...known, dev: { ...known.dev, id: data.id } };
      },
      shown: ({ dev }, nowMs) => {
        if (dev === undefined || nowMs >= dev.goneAtMs) return "none";
        const kind = dev.isDefault ? "default" : dev.persistent ? "persistent" : "there";
        return dev.goneAtMs === NEVER ? kind : `${kind}, until it goes`;
      },
      read: async ({ call }) => {
        const all = z.array(branch).parse((await call("GET", `${PROJECT}/branches`)).json);
        const dev = all.find(({ name }) => name === "dev");
        if (dev === undefined) return "none";
        const kind = dev.is_default ? "default" : dev.persistent ? "persistent" : "there";
        return dev.deletion_scheduled_at === undefined ? kind : `${kind}, until it goes`;
      },
      way: [...HARD, ...SOFT, ...GRACE, ...ALL],
    });
    const kinds = ["there", "there, until it goes", "persistent", "persistent, until it goes", "default", "none"];
    expect([...shown].toSorted()).toEqual(kinds.toSorted());
  });
});
