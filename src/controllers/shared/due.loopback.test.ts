import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DRIFT_MS, drifts, openDrifts } from "../../../test/support/controllers/drifts.ts";
import { inEach } from "../../../test/support/controllers/in-each.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { spendBudgetOf } from "../../../test/support/controllers/no-budget.ts";

/** engine.md §7: what a run found to differ, and could not write, is called Ready no more; what only could not be read is what it was seen to be. */

const standing = inEach("an object of each kind", async (stack) => {
  const stage = await openDrifts({});
  stack.use(stage.theatre);
  return stage;
});

const conditioned = z.object({
  status: z.object({
    conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() })),
  }),
});

type Named = Pick<(typeof drifts)[number], "kind" | "plural" | "name">;

function stored({ plural, name }: Named): z.infer<typeof conditioned> {
  return conditioned.parse(standing().theatre.kubernetes.get(plural, NAMESPACE, name));
}

function ready(named: Named): string | undefined {
  const found = stored(named).status.conditions.find(({ type }) => type === "Ready");
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

async function fails(operation: string): Promise<void> {
  const fault = { kind: "status", status: 500, body: { message: "oops" } } as const;
  await standing().theatre.emulator.control.faults.add({ operation, count: null, fault });
}

const run = (named: Named) => standing().life.run(named.kind, named.name, "drift");

describe("what was found to differ by hand", () => {
  it.each(drifts)("and cannot be written leaves no Ready until it is seen as declared: $what", async (one) => {
    const { theatre, life } = standing();
    await one.drift(standing());
    await theatre.pass(DRIFT_MS);
    await fails(one.operation);
    expect(await run(one)).toMatchObject({ kind: "transient" });
    expect(ready(one)).toMatch(/^Unknown ServerUnavailable: .*could not /u);
    const { conditions } = stored(one).status;
    await theatre.pass(DRIFT_MS);
    expect(await run(one)).toMatchObject({ kind: "transient" });
    expect(stored(one).status.conditions).toEqual(conditions);
    // Nobody looked since: that the platform is away tells nothing of it.
    await fails("*");
    expect(await run(one)).toMatchObject({ kind: "transient" });
    expect(ready(one)).toMatch(/^Unknown ServerUnavailable: /u);
    await theatre.emulator.control.faults.clear();
    await theatre.pass(DRIFT_MS);
    expect(await life.settle(one.kind, one.name)).toMatchObject({ kind: "done" });
    expect(ready(one)).toMatch(/^True Available: .*as declared$/u);
  });

  it.each(drifts)("and waits for budget leaves Ready, since that is over within moments: $what", async (one) => {
    await one.drift(standing());
    await standing().theatre.pass(DRIFT_MS);
    spendBudgetOf(standing().life, one.operation);
    expect(await run(one)).toMatchObject({ kind: "rateLimited" });
    expect(ready(one)).toMatch(/^True Available: .*as declared$/u);
  });

  it.each(drifts)("and was not looked at, as the platform is away, leaves Ready: $what", async (one) => {
    await one.drift(standing());
    await standing().theatre.pass(DRIFT_MS);
    await fails("*");
    expect(await run(one)).toMatchObject({ kind: "transient" });
    expect(ready(one)).toMatch(/^True Available: .*as declared$/u);
  });
});

const SHOP = { kind: "Project", plural: "projects", name: "shop" } as const;

describe("a read that fails beside what differs", () => {
  it("leaves Ready where that was written", async () => {
    const { theatre, client, ref } = standing();
    await client.projects.update({ ref, body: { name: "by hand" } });
    await theatre.pass(DRIFT_MS);
    await fails("dataApi.get");
    expect(await run(SHOP)).toMatchObject({ kind: "transient" });
    expect((await client.projects.get({ ref })).name).toBe("shop");
    expect(ready(SHOP)).toBe("True Available: the project is as declared");
  });

  it("leaves Ready where a policy leaves that as it is", async () => {
    const { theatre, client, ref } = standing();
    const { spec } = z.object({ spec: z.looseObject({}) }).parse(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
    const metadata = { name: "shop", namespace: NAMESPACE };
    const reporting = { ...spec, driftPolicy: "Report" };
    theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec: reporting });
    await standing().life.settle("Project", "shop");
    await client.projects.update({ ref, body: { name: "by hand" } });
    await theatre.pass(DRIFT_MS);
    await fails("dataApi.get");
    expect(await run(SHOP)).toMatchObject({ kind: "transient" });
    expect(ready(SHOP)).toMatch(/^True Available: /u);
    expect(stored(SHOP).status.conditions).toContainEqual(expect.objectContaining({ type: "Drifted" }));
  });
});
