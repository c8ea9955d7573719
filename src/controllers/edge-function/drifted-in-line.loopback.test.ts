import { expect, it } from "vitest";
import { NAMESPACE, openTheatre } from "../../../test/support/controllers/life.ts";
import { inline, inShop } from "../../../test/support/controllers/redeploy-bench.ts";
import { AT_ONCE, putShop } from "../../../test/support/controllers/shop.ts";
import { OpenRequests } from "../../../test/support/stage/open-requests.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { commonStatusOf } from "../shared/common-status.ts";

/** What a function says that waits for its turn to be deployed (engine.md §7, quietly). */

const BUNDLE_MS = 3000;

it("a function that drifted and was edited goes on saying so while it waits for its turn, in no write of the status", async () => {
  await using theatre = await openTheatre({ ...AT_ONCE, timings: { ...AT_ONCE.timings, bundleMs: BUNDLE_MS } });
  const { kubernetes } = theatre;
  const life = await theatre.life();
  const put = (name: string, spec: object): void => {
    const metadata = { name, namespace: NAMESPACE };
    kubernetes.put("edgefunctions", { apiVersion: "baas.dev/v1alpha1", kind: "EdgeFunction", metadata, spec });
  };
  const stored = (): KubeObject => {
    const object = kubernetes.get("edgefunctions", NAMESPACE, "drifted");
    if (object === undefined) throw new Error("no function");
    return object;
  };
  const deployed = async (name: string): Promise<void> => {
    for (let n = 0; n < 10; n += 1) await life.runWhileTimePasses("EdgeFunction", name, "progress");
  };
  putShop(theatre, { branches: 0, functions: 0, secrets: 0 });
  const [shop] = kubernetes.list("projects");
  await life.settle("Project", shop?.metadata.name ?? "");
  put("drifted", { ...inShop, ...inline("1"), driftPolicy: "Report", verifyJwt: true });
  await deployed("drifted");
  const { ref = "" } = commonStatusOf(stored());
  await life.client.functions.update({ ref, function_slug: "drifted", body: { verify_jwt: false } });
  await theatre.pass(600_000);
  await life.run("EdgeFunction", "drifted", "drift");
  const said = stored();
  expect(commonStatusOf(said).conditions.map(({ type }) => type)).toContain("Drifted");

  put("other", { ...inShop, ...inline("2") });
  put("drifted", { ...inShop, ...inline("3"), driftPolicy: "Report", verifyJwt: true });
  using others = new OpenRequests("/functions/deploy");
  const running = life.run("EdgeFunction", "other");
  await others.none();
  const { writes } = kubernetes;
  expect(await life.run("EdgeFunction", "drifted")).toMatchObject({ kind: "waiting", untold: true });
  expect(kubernetes.writes - writes).toBe(0);
  expect(stored()["status"]).toEqual(said["status"]);
  await theatre.pass(BUNDLE_MS);
  await running;
});
