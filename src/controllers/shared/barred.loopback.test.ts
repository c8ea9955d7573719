import { beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { operatorInEach } from "../../../test/support/controllers/operator-in-each.ts";
import { unready } from "../../../test/support/controllers/shop.ts";
import { RELEASES_NAME } from "./releases.ts";

/**
 * A deletion whose bound has passed, in a namespace that stays, while its credential worked: what then looks as if it did not, once, may be of a gateway that
 * restarts, and lets nothing go (engine.md §5).
 */

const API = "baas.dev/v1alpha1";
const MINUTE_S = 60;
const ID = `Connection/${NAMESPACE}/default`;

const stage = operatorInEach();

const projectRef = { name: "shop" };
const doomed = [
  {
    kind: "Project",
    plural: "projects",
    name: "shop",
    spec: { organization: "acme" },
    refused: "projects.delete",
    hidden: ["projects.get"],
  },
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    name: "hello",
    spec: { projectRef, source: { inline: { files: { "index.ts": "1" } } } },
    refused: "functions.delete",
    hidden: ["functions.delete", "functions.list"],
  },
] as const;

function put(plural: string, kind: string, name: string, body: object): void {
  const metadata = { name, namespace: NAMESPACE };
  stage.theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata, ...body });
}

beforeEach(async () => {
  put("projects", "Project", "shop", { spec: { organization: "acme" } });
  for (const { kind, plural, name, spec } of doomed) {
    put(plural, kind, name, { spec: { ...spec, deletionPolicy: "Delete", deletionTimeout: "5m" } });
  }
  stage.operator.look();
  await stage.operator.advanceUntil(() => unready(stage.theatre).length === 0);
});

async function pass(seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    stage.operator.look();
    await stage.operator.advance(1000);
  }
}

/** Answers an operation so, for as long as the test says. */
function answer(operation: string, status: number): Promise<unknown> {
  const fault = { kind: "status", status } as const;
  return stage.theatre.emulator.control.faults.add({ operation, count: null, fault });
}

/** How a credential that works looks as if it did not. @returns ends that */
type Bar = (hidden: readonly string[]) => Promise<() => Promise<void>>;

const bars: readonly { readonly what: string; readonly bar: Bar }[] = [
  {
    what: "neither it nor its organization is shown",
    bar: async (hidden) => {
      for (const operation of hidden) await answer(operation, 404);
      await answer("organizations.get", 403);
      return () => stage.theatre.emulator.control.faults.clear().then(() => undefined);
    },
  },
  {
    what: "the connection says that its token is not accepted",
    bar: () => {
      const { sessions } = stage.operator.environment;
      const session = sessions.get(ID);
      if (session === undefined) throw new Error("the connection is not open");
      const at = { lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1, message: "" };
      const ready = { type: "Ready", status: "False", reason: "CredentialInvalid", ...at };
      stage.theatre.kubernetes.restate("connections", NAMESPACE, "default", () => ({ conditions: [ready] }));
      stage.operator.look();
      sessions.drop(ID);
      return Promise.resolve(() => Promise.resolve(sessions.set(session)));
    },
  },
];

/** Deletes it while the platform refuses that, until long after its bound, and then bars it. @returns what `bar` does */
async function barredPastItsBound(
  { kind, plural, name, refused, hidden }: (typeof doomed)[number],
  bar: Bar,
): Promise<() => Promise<void>> {
  await answer(refused, 400);
  stage.theatre.kubernetes.delete(plural, NAMESPACE, name);
  await pass(10 * MINUTE_S);
  expect(isThere(plural, name)).toBe(true);
  await stage.theatre.emulator.control.faults.clear();
  const end = await bar(hidden);
  stage.operator.environment.enqueue({ kind, namespace: NAMESPACE, name }, { lane: "change" });
  return end;
}

function isThere(plural: string, name: string): boolean {
  return stage.theatre.kubernetes.get(plural, NAMESPACE, name) !== undefined;
}

async function left(): Promise<object> {
  const { projects } = await stage.theatre.emulator.control.state.read({});
  const told = stage.theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {};
  const remote = projects.flatMap(({ name, functions }) => [name, ...functions.map(({ slug }) => slug)]);
  return { remote, told: Object.keys(told).length };
}

describe.each(doomed)("a $kind whose deletion was refused past its bound", (object) => {
  const { plural, name } = object;

  it.each(bars)("is deleted all the same, where for half a minute $what", async ({ bar }) => {
    const end = await barredPastItsBound(object, bar);
    await pass(30);
    expect(isThere(plural, name)).toBe(true);
    await end();
    await pass(3 * MINUTE_S);
    expect(isThere(plural, name)).toBe(false);
    expect(await left()).toEqual({ remote: name === "shop" ? [] : ["shop"], told: 0 });
  });

  it.each(bars)("is let go, and told of, where that does not end: $what", async ({ bar }) => {
    await barredPastItsBound(object, bar);
    await pass(3 * MINUTE_S);
    expect(isThere(plural, name)).toBe(false);
    expect(await left()).toMatchObject({ told: 1 });
  });
});
