import { z } from "zod";
import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { putShop, unready } from "../../../test/support/controllers/shop.ts";
import { operatorInEach } from "../../../test/support/controllers/operator-in-each.ts";

/** What the operator holds in memory once everything is gone (an operator lives for months). */

const HOUR_MS = 3_600_000;
const PLURALS = ["secrets", "edgefunctions", "branches", "projects"] as const;

const stage = operatorInEach();

const ours = (): number =>
  PLURALS.flatMap((plural) => stage.theatre.kubernetes.list(plural)).filter(({ apiVersion }) => apiVersion !== "v1")
    .length;

/** How much each long-lived collection holds. */
function held(): Readonly<Record<string, number>> {
  const { environment, queue } = stage.operator;
  const { snapshots, sessions, convergence, objects } = environment;
  const { connections, projects, branches, functions, secrets } = objects;
  const stored = [connections, projects, branches, functions, secrets].map(({ reader }) => reader.list().length);
  return {
    snapshots: snapshots.size,
    sessions: sessions.size,
    convergence: convergence.size,
    sections: environment.sections.size,
    driftChecks: environment.driftChecks.size,
    queued: Object.values(queue.depths()).reduce((sum, { waiting, ready }) => sum + waiting + ready, queue.running),
    stored: stored.reduce((sum, length) => sum + length, 0),
  };
}

function declareSection(): void {
  const [project] = stage.theatre.kubernetes.list("projects");
  if (project === undefined) throw new Error("no project");
  stage.theatre.kubernetes.put("projects", {
    ...project,
    spec: { ...z.looseObject({}).parse(project["spec"]), dataApi: { maxRows: 5 } },
  });
}

async function settle(): Promise<void> {
  stage.operator.look();
  await stage.operator.advanceUntil(() => unready(stage.theatre).length === 0);
}

describe("an operator whose objects are all gone", () => {
  it("remembers nothing of them", async () => {
    const { kubernetes, clock } = stage.theatre;
    putShop(stage.theatre, { branches: 2, functions: 4, secrets: 4, perSecret: 1 });
    declareSection();
    await settle();
    // One of the project and of each branch.
    expect(held()).toMatchObject({ snapshots: 3, queued: 11, stored: 12, sections: 1, driftChecks: 3 });
    for (const plural of PLURALS) {
      for (const { metadata, apiVersion } of kubernetes.list(plural)) {
        if (apiVersion !== "v1") kubernetes.delete(plural, NAMESPACE, metadata.name, clock.now());
      }
    }
    stage.operator.look();
    await stage.operator.advanceUntil(() => {
      stage.operator.look();
      return ours() === 0;
    });
    await stage.operator.advance(HOUR_MS);
    // The Connection of the theatre stays.
    const nothing = { snapshots: 0, convergence: 0, sections: 0, driftChecks: 0, queued: 0 };
    expect(held()).toEqual({ ...nothing, sessions: 1, stored: 1 });
  });

  it("forgets an object whose finalizers somebody took away, too", async () => {
    const { kubernetes } = stage.theatre;
    putShop(stage.theatre, { branches: 0, functions: 2, secrets: 0 });
    await settle();
    for (const { kind, metadata } of kubernetes.list("edgefunctions")) {
      stage.operator.environment.convergence.wrote({ kind, metadata }, { field: "verifyJwt", difference: "no" });
    }
    expect(held()["convergence"]).toBe(2);
    for (const object of kubernetes.list("edgefunctions")) {
      const { name, namespace } = object.metadata;
      kubernetes.put("edgefunctions", { ...object, metadata: { name, namespace, finalizers: [] } });
      kubernetes.delete("edgefunctions", NAMESPACE, name);
    }
    stage.operator.look();
    await stage.operator.advance(1000);
    expect(held()["convergence"]).toBe(0);
  });
});
