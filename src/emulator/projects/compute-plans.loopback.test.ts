import { expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, aProject, message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";

/** Compute sizes that are asked for on a plan that has them, or has them not. */

const NOT_ON_FREE = "desired_instance_size: the size small is not available on the plan free of the organization";
const created = [201, expect.objectContaining({ status: "UNKNOWN" })];

it.each([
  { plan: "free", size: {}, answer: created, because: "it is micro then" },
  { plan: "free", size: { desired_instance_size: "nano" }, answer: created, because: "it is smaller" },
  { plan: "free", size: { desired_instance_size: "micro" }, answer: created, because: "others begin with it" },
  {
    plan: "free",
    size: { desired_instance_size: "small" },
    answer: [400, { message: NOT_ON_FREE }],
    because: "it could not be resized to it",
  },
  { plan: "pro", size: { desired_instance_size: "48xlarge_high_memory" }, answer: created, because: "it has all" },
] as const)(
  "a project on the plan $plan with $size is answered $answer.0: $because",
  async ({ plan, size, answer }) => {
    await using under = await emulatorUnderTest({
      seed: { organizations: [{ slug: "acme", plan, members: { owner: "Owner" } }] },
    });
    const made = await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop", ...size } });
    expect([made.status, made.json]).toEqual(answer);
    expect((await under.control.state.read()).projects).toHaveLength(made.status === 201 ? 1 : 0);
  },
);

it("a branch on the plan free is refused for a size that its project could not have there", async () => {
  await using under = await emulatorUnderTest();
  const ref = await aProject(under);
  await under.control.organizations.patch({ slug: "acme", plan: "free" });
  await aBranch(under, ref, "main");
  const ask = (size: string) =>
    under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: size, desired_instance_size: size } });
  const refused = await ask("small");
  expect([refused.status, message(refused)]).toEqual([400, NOT_ON_FREE]);
  expect((await ask("pico")).status).toBe(201);
  const { branches } = await under.control.state.read();
  expect(branches.map(({ name }) => name)).toEqual(["main", "pico"]);
});
