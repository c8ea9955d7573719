import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import type { Operation, Plan } from "../../api/contract/operation.ts";
import { planRefusal } from "./plans.ts";

const byId = (id: string): Operation => {
  const found = operations.find((operation) => operation.id === id);
  if (found === undefined) throw new Error(`${id} is not in the contract`);
  return found;
};

describe("a plan", () => {
  const PLANS: readonly Plan[] = ["free", "pro", "team", "enterprise", "platform"];
  it.each([
    {
      id: "projects.list",
      statuses: [undefined, undefined, undefined, undefined, undefined],
      because: "no plan is named",
    },
    { id: "logDrains.create", statuses: [402, undefined, undefined, undefined, undefined], because: "from Pro on" },
    { id: "readReplicas.setup", statuses: [402, undefined, undefined, undefined, undefined], because: "from Pro on" },
    { id: "backups.getSchedule", statuses: [402, 402, 402, undefined, undefined], because: "Enterprise" },
    { id: "backups.updateSchedule", statuses: [402, 402, 402, undefined, undefined], because: "Enterprise" },
    {
      id: "vanitySubdomain.get",
      statuses: [400, undefined, undefined, undefined, undefined],
      because: "402 is not listed",
    },
    {
      id: "vanitySubdomain.activate",
      statuses: [400, undefined, undefined, undefined, undefined],
      because: "402 is not listed",
    },
  ])("lets $id through or answers $statuses: $because", ({ id, statuses }) => {
    expect(PLANS.map((plan) => planRefusal(byId(id), plan)?.status)).toEqual(statuses);
  });

  it("that is too small is named, with those that are enough", () => {
    expect(planRefusal(byId("backups.getSchedule"), "pro")?.message).toBe(
      "This needs the plan Enterprise; the organization has Pro.",
    );
    expect(planRefusal(byId("logDrains.create"), "free")?.message).toBe(
      "This needs the plan Pro, Team or Enterprise; the organization has Free.",
    );
  });
});
