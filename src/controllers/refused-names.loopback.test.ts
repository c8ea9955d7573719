import { beforeEach, expect, it } from "vitest";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { operatorInEach } from "../../test/support/controllers/operator-in-each.ts";
import { callsOf } from "../../test/support/controllers/shop.ts";
import { finalizers } from "../resources/annotations.ts";
import { projectKind } from "../resources/project/kind.ts";

/** Objects of one name, each of which the platform refuses to make anything for, ask it as often as others do (engine.md §1). */

const stage = operatorInEach();
const kindOf = { projects: "Project", branches: "Branch" } as const;

function put(plural: keyof typeof kindOf, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind: kindOf[plural], metadata, spec });
}

/** How often each of its objects, refused for ten minutes, may ask: of one alone the backoff makes so many. */
async function createsWhileRefused(
  operation: "projects.create" | "branches.create",
  { status, make }: { readonly status: number; readonly make: () => void },
): Promise<number> {
  const fault = { kind: "status", status, body: { message: "no" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
  await stage.theatre.emulator.control.log.clear();
  make();
  stage.operator.look();
  await stage.operator.advance(590_000);
  return (await callsOf(stage.theatre))[operation] ?? 0;
}

const MOST_OF_ONE = 12;

beforeEach(async () => {
  for (const name of ["shop-0", "shop-1"]) put("projects", name, { organization: "acme" });
  stage.operator.look();
  await stage.operator.advance(120_000);
  const client = stage.operator.environment.sessions.get(`Connection/${NAMESPACE}/default`)?.client;
  for (const project of stage.theatre.kubernetes.list("projects")) {
    const { ref = "" } = projectKind.parseStatus(project);
    const made = client?.branches.create({ ref, body: { branch_name: "main" } });
    await stage.operator.advance(1000);
    await made;
  }
  await stage.operator.advance(120_000);
});

it.each([
  { where: "in two projects", shops: ["shop-0", "shop-1"], status: 402, asking: 2 },
  { where: "in two projects", shops: ["shop-0", "shop-1"], status: 400, asking: 2 },
  { where: "in two projects", shops: ["shop-0", "shop-1"], status: 409, asking: 2 },
  { where: "in one project", shops: ["shop-0", "shop-0"], status: 402, asking: 1 },
  { where: "in one project", shops: ["shop-0", "shop-0"], status: 409, asking: 1 },
])(
  "Branches of one name $where, each refused with $status, wake none of each other",
  async ({ shops, status, asking }) => {
    const make = (): void => {
      for (const [n, name] of shops.entries()) {
        put("branches", `b-${n}`, { projectRef: { name }, name: "preview" });
      }
    };
    const creates = await createsWhileRefused("branches.create", { status, make });
    expect(creates).toBeGreaterThanOrEqual(asking);
    expect(creates).toBeLessThanOrEqual(asking * MOST_OF_ONE);
  },
);

it.each([{ status: 402 }, { status: 409 }])(
  "Projects of one name on two servers, each refused with $status, wake none of each other",
  async ({ status }) => {
    const { sessions } = stage.operator.environment;
    const near = sessions.get(`Connection/${NAMESPACE}/default`);
    if (near === undefined) throw new Error("no session");
    const server = "http://127.0.0.2/";
    stage.theatre.kubernetes.put("connections", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Connection",
      metadata: { name: "far", namespace: NAMESPACE, finalizers: [finalizers.connectionInUse] },
      spec: { baseUrl: server, token: { secretRef: { name: "token" } } },
    });
    sessions.set({ ...near, id: `Connection/${NAMESPACE}/far`, name: "far", server });
    const make = (): void => {
      for (const name of ["default", "far"]) {
        const connectionRef = { kind: "Connection", name };
        put("projects", `on-${name}`, { organization: "acme", name: "x", connectionRef });
      }
    };
    const creates = await createsWhileRefused("projects.create", { status, make });
    expect(creates).toBeGreaterThanOrEqual(2);
    expect(creates).toBeLessThanOrEqual(2 * MOST_OF_ONE);
  },
);
