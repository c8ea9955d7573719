import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { secretKind } from "../../resources/secret/kind.ts";
import { digestOf } from "./names.ts";

/** An edit amid which the operator dies, and that is taken back before its next life: what was set of it is no drift, whatever the drift policy. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  const metadata = { name: "shop", namespace: NAMESPACE };
  const project = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec: { organization: "acme" } };
  theatre.kubernetes.put("projects", project);
  await life.settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

function putValues(value: string): void {
  const metadata = { name: "values", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: { KEY: btoa(value) } });
}

async function setUp(more: object = {}): Promise<void> {
  putValues("one");
  const from = [{ secretRef: { name: "values" } }];
  const spec = { projectRef: { name: "shop" }, from, driftPolicy: "Report", ...more };
  const metadata = { name: "app", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "baas.dev/v1alpha1", kind: "Secret", metadata, spec });
  await life.settle("Secret", "app");
  expect(await shown()).toBe(digestOf("one"));
}

const stored = () => theatre.kubernetes.get("secrets", NAMESPACE, "app");

async function shown(): Promise<string | undefined> {
  const [project] = (await theatre.emulator.control.state.read({})).projects;
  return project?.secrets.find(({ name }) => name === "KEY")?.digest;
}

describe("an edit of values amid which the operator dies", () => {
  const TIMES = [1, 2, 3, 4, 5, 6].flatMap((requests) => [
    { requests, redeployOnSecretChange: false },
    { requests, redeployOnSecretChange: true },
  ]);

  it.each(TIMES)("is taken back with the values: after $requests requests, $redeployOnSecretChange", async (one) => {
    await setUp({ redeployOnSecretChange: one.redeployOnSecretChange });
    putValues("two");
    await (await theatre.life(one.requests)).run("Secret", "app");
    await theatre.pass(60_000);
    putValues("one");
    life = await theatre.life();
    await life.settle("Secret", "app");
    expect(await shown()).toBe(digestOf("one"));
    const { conditions } = secretKind.parseStatus(stored());
    expect(conditions.find(({ type }) => type === "Drifted")).toBeUndefined();
  });

  it("is known to have been set in some life", async () => {
    const seen: (string | undefined)[] = [];
    await setUp();
    for (const requests of [1, 2, 3, 4, 5, 6]) {
      putValues("two");
      await (await theatre.life(requests)).run("Secret", "app");
      seen.push(await shown());
      putValues("one");
      life = await theatre.life();
      await life.settle("Secret", "app");
    }
    expect(seen).toContain(digestOf("two"));
  });
});
