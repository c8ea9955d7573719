import { expect, it } from "vitest";
import { z } from "zod";
import { NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { inline, inShop } from "../../test/support/controllers/redeploy-bench.ts";
import { AT_ONCE, putShop, unready } from "../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";

/** Who goes before whom with the whole operator and real kinds: queue, budget, shared looks and the line of deployments (engine.md §1 and §2). */

/** Functions that are new together; Secrets are as many as a project may have. */
const NEW = 600;
const SECRETS = 80;
/** More than the budget of a minute carries. */
const MORE_A_MINUTE = 130;
const MINUTE_MS = 60_000;
const STEP_MS = 100;
/** First syncs leave the last ten requests of a minute: what two edits of a function need. The later ones come while that of before is looked for still. */
const EDIT_EVERY_MS = 35_000;
const DRIFT_INTERVAL_MS = 600_000;

function putFunction({ kubernetes }: Theatre, name: string, text: string): void {
  const metadata = { name, namespace: NAMESPACE };
  const spec = { ...inShop, ...inline(text) };
  kubernetes.put("edgefunctions", { apiVersion: "baas.dev/v1alpha1", kind: "EdgeFunction", metadata, spec });
}

function putSecret({ kubernetes }: Theatre, name: string): void {
  const metadata = { name, namespace: NAMESPACE };
  const data = { [`NAME_${name.replaceAll("-", "_")}`]: Buffer.from("value").toString("base64") };
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
  const spec = { ...inShop, from: [{ secretRef: { name } }] };
  kubernetes.put("secrets", { apiVersion: "baas.dev/v1alpha1", kind: "Secret", metadata, spec });
}

const querySchema = z.object({ slug: z.string() });

async function wasDeployed({ emulator }: Theatre, slug: string, after: number): Promise<boolean> {
  const { entries } = await emulator.control.log.read({ after });
  return entries.some(
    ({ operation, query }) => operation === "functions.deploy" && querySchema.parse(query).slug === slug,
  );
}

/** Whether the function takes calls without a token. */
async function isOpen({ emulator }: Theatre, slug: string): Promise<boolean> {
  const { projects } = await emulator.control.state.read({});
  return projects.flatMap(({ functions }) => functions).find((one) => one.slug === slug)?.verifyJwt === false;
}

/** Somebody has it do so. */
async function open(theatre: Theatre, slug: string): Promise<void> {
  const { emulator, kubernetes } = theatre;
  const { ref } = z.object({ ref: z.string() }).parse(kubernetes.get("projects", NAMESPACE, "shop")?.["status"]);
  const headers = { authorization: "Bearer token", "content-type": "application/json" };
  const body = JSON.stringify({ verify_jwt: false });
  await fetch(`${emulator.url}/v1/projects/${ref}/functions/${slug}`, { method: "PATCH", headers, body });
  expect(await isOpen(theatre, slug)).toBe(true);
}

it("with more first syncs than the budget carries, edits go within a second, and drift is repaired", async () => {
  await using theatre = await openTheatre(AT_ONCE);
  const { emulator, clock } = theatre;
  await emulator.control.organizations.patch({ slug: "acme", quotas: { functionsPerProject: 10_000 } });
  await using operator = await WholeOperator.start(theatre);
  putShop(theatre, { branches: 0, functions: 0, secrets: 0 });
  putFunction(theatre, "edited", "// 0");
  putFunction(theatre, "drifting", "// 0");
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  let made = 0;
  const more = (count: number): void => {
    for (let n = 0; n < count; n += 1) putFunction(theatre, `new-${(made += 1)}`, "// new");
    operator.look();
  };
  for (let n = 0; n < SECRETS; n += 1) putSecret(theatre, `new-${n}`);
  more(NEW);
  await operator.advance(5000);
  for (let n = 1; n <= 6; n += 1) {
    const { last } = await emulator.control.log.read({});
    putFunction(theatre, "edited", `// ${n}`);
    operator.look();
    for (let ms = 0; ms < 1000 && !(await wasDeployed(theatre, "edited", last)); ms += STEP_MS) {
      await operator.advance(STEP_MS);
    }
    expect(await wasDeployed(theatre, "edited", last), `edit ${n}`).toBe(true);
    expect(unready(theatre).length, "first syncs wait").toBeGreaterThan(SECRETS);
    await operator.advance(EDIT_EVERY_MS);
  }
  await open(theatre, "drifting");
  const begunMs = clock.monotonic();
  // No check is two intervals late.
  while ((await isOpen(theatre, "drifting")) && clock.monotonic() - begunMs < 3 * DRIFT_INTERVAL_MS) {
    more(MORE_A_MINUTE);
    await operator.advance(MINUTE_MS);
    expect(unready(theatre).length, "first syncs wait").toBeGreaterThan(SECRETS);
  }
  expect(await isOpen(theatre, "drifting")).toBe(false);
});
