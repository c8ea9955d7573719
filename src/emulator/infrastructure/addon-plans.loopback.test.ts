import { describe, expect, it } from "vitest";
import { BRANCH_INSTANCE_SIZES, INSTANCE_SIZES } from "../../api/contract/fields.ts";
import { type EmulatorUnderTest, emulatorUnderTest, type Received } from "../../../test/support/emulator/api.ts";
import { A_WHILE, message } from "../../../test/support/emulator/scenario.ts";

/** A compute size that the plan does not have is nobody's, whichever request asks for it. */

const REF = "abcdefghijklmnopqrst";
const onFree = () =>
  emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: {
      organizations: [{ slug: "acme", plan: "free", quotas: { projects: 100 }, members: { owner: "Owner" } }],
      projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }] }],
    },
  });

const WORDS = "Add-ons are not available on the free plan of the organization";
const INCLUDED: ReadonlySet<string> = new Set(["pico", "nano", "micro"]);

/** What is answered to whoever asks for each size, and the sizes that are there afterwards. */
async function asking(under: EmulatorUnderTest, sizes: readonly string[], ask: (size: string) => Promise<Received>) {
  const answers: unknown[] = [];
  for (const size of sizes) {
    const answer = await ask(size);
    answers.push([size, answer.status === 201 ? 201 : `${answer.status} ${message(answer)}`]);
  }
  const { projects } = await under.control.state.read();
  return { answers, made: projects.slice(1).map(({ instanceSize }) => instanceSize) };
}

function expected(sizes: readonly string[]): Awaited<ReturnType<typeof asking>> {
  const refused = `400 desired_instance_size: ${WORDS}`;
  return {
    answers: sizes.map((size) => [size, INCLUDED.has(size) ? 201 : refused]),
    made: BRANCH_INSTANCE_SIZES.filter((size) => sizes.includes(size) && INCLUDED.has(size)),
  };
}

describe("on the plan free", () => {
  it("a project is created with no larger size than one that says none", async () => {
    await using under = await onFree();
    const ask = (name: string) => {
      const body = { name, db_pass: "correct horse", organization_slug: "acme", desired_instance_size: name };
      return under.call("POST", "/v1/projects", { body });
    };
    expect(await asking(under, INSTANCE_SIZES, ask)).toEqual(expected(INSTANCE_SIZES));
  });

  it("nor is a branch", async () => {
    await using under = await onFree();
    const ask = (size: string) => {
      const body = { branch_name: size, desired_instance_size: size };
      return under.call("POST", `/v1/projects/${REF}/branches`, { body });
    };
    expect(await asking(under, BRANCH_INSTANCE_SIZES, ask)).toEqual(expected(BRANCH_INSTANCE_SIZES));
  });

  it("the default branch may say any size: its project is there, and the size is not used", async () => {
    for (const size of BRANCH_INSTANCE_SIZES) {
      await using under = await emulatorUnderTest({
        seed: {
          organizations: [{ slug: "acme", plan: "free", members: { owner: "Owner" } }],
          projects: [{ name: "shop", ref: REF }],
        },
      });
      const body = { branch_name: "main", desired_instance_size: size };
      expect((await under.call("POST", `/v1/projects/${REF}/branches`, { body })).status).toBe(201);
      expect((await under.control.state.read()).projects).toMatchObject([{ instanceSize: "micro" }]);
    }
  });

  it("nor does one go back to a larger size, and does to the usual one", async () => {
    await using under = await onFree();
    const addons = `/v1/projects/${REF}/billing/addons`;
    const change = async (plan: "free" | "pro", method: string, variant: string) => {
      await under.control.organizations.patch({ slug: "acme", plan });
      const body = { addon_variant: variant, addon_type: "compute_instance" };
      const answer = await under.call(method, method === "PATCH" ? addons : `${addons}/${variant}`, { body });
      under.clock.advance(A_WHILE);
      return answer.status === 200 ? 200 : message(answer);
    };
    expect(await change("pro", "PATCH", "ci_large")).toBe(200);
    expect(await change("pro", "PATCH", "ci_small")).toBe(200);
    expect(await change("free", "DELETE", "ci_small")).toBe(WORDS);
    expect(await change("pro", "DELETE", "ci_small")).toBe(200);
    expect(await change("pro", "PATCH", "ci_micro")).toBe(200);
    expect(await change("pro", "PATCH", "ci_large")).toBe(200);
    expect(await change("free", "DELETE", "ci_large")).toBe(200);
  });

  it("nor is one changed to another size", async () => {
    await using under = await onFree();
    const body = { addon_variant: "ci_large", addon_type: "compute_instance" };
    const refused = await under.call("PATCH", `/v1/projects/${REF}/billing/addons`, { body });
    expect([refused.status, message(refused)]).toEqual([400, WORDS]);
  });
});
