import { z } from "zod";
import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { putShop, unready } from "../../../test/support/controllers/shop.ts";
import { operatorInEach } from "../../../test/support/controllers/operator-in-each.ts";
import { objectsInUse } from "../../../test/support/garbage.ts";
import { median } from "../../../test/support/soak/growth.ts";

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
  const { snapshots, sessions, absences, convergence, deletions, waitingUsers, refusedTries, objects } = environment;
  const { connections, projects, branches, functions, secrets } = objects;
  const stored = [connections, projects, branches, functions, secrets].map(({ reader }) => reader.list().length);
  return {
    snapshots: snapshots.size,
    sessions: sessions.size,
    byUid: [absences, convergence, deletions, waitingUsers, refusedTries].reduce((sum, { size }) => sum + size, 0),
    sections: environment.sections.size,
    driftChecks: environment.driftChecks.size,
    queued: Object.values(queue.depths()).reduce((sum, { waiting, ready }) => sum + waiting + ready, queue.running),
    stored: stored.reduce((sum, length) => sum + length, 0),
  };
}

function changeProject(change: object): void {
  const [project] = stage.theatre.kubernetes.list("projects");
  if (project === undefined) throw new Error("no project");
  const spec = z.looseObject({}).parse(project["spec"]);
  stage.theatre.kubernetes.put("projects", { ...project, spec: { ...spec, ...change } });
}

async function settle(): Promise<void> {
  stage.operator.look();
  await stage.operator.advanceUntil(() => unready(stage.theatre).length === 0);
}

/** All objects go, and then so much time passes that whatever is kept for a while is kept no more. */
async function deleteAll(): Promise<void> {
  const { kubernetes, clock } = stage.theatre;
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
  // What the cluster's garbage collector does.
  for (const { metadata } of kubernetes.list("secrets")) {
    if (metadata.ownerReferences !== undefined) kubernetes.delete("secrets", NAMESPACE, metadata.name);
  }
  stage.operator.look();
  await stage.operator.advance(HOUR_MS);
}

/** The emulator's HTTP server keeps the last hundred content types, each deployment has one of its own: from here on one goes for each that comes. */
async function fillContentTypes(): Promise<void> {
  const { url, control } = stage.theatre.emulator;
  await control.settings.patch({ requestsPerMinute: 0 });
  for (let n = 0; n < 100; n += 1) {
    const headers = { authorization: "Bearer token", "content-type": `multipart/form-data; boundary=${n}` };
    const answer = await fetch(`${url}/v1/projects/none/functions/deploy`, {
      method: "POST",
      headers,
      body: `--${n}--`,
    });
    await answer.text();
  }
}

/** What tests and emulator note of what happened is forgotten, so that what is left is what the operator keeps. */
async function forgetWhatHappened(): Promise<void> {
  const { control } = stage.theatre.emulator;
  stage.operator.events.length = 0;
  await control.log.clear({});
  await control.limits.reset();
}

/** A shop from its beginning to its end. */
async function live(): Promise<void> {
  putShop(stage.theatre, { branches: 1, functions: 2, secrets: 2, perSecret: 1 });
  changeProject({ deletionPolicy: "Delete", dataApi: { maxRows: 5 } });
  await settle();
  await deleteAll();
  await forgetWhatHappened();
}

describe("an operator whose objects are all gone", () => {
  it("remembers nothing of them", async () => {
    putShop(stage.theatre, { branches: 2, functions: 4, secrets: 4, perSecret: 1 });
    changeProject({ dataApi: { maxRows: 5 } });
    await settle();
    // One of the project and of each branch.
    expect(held()).toMatchObject({ snapshots: 3, queued: 11, stored: 12, sections: 1, driftChecks: 3 });
    await deleteAll();
    // The Connection of the theatre stays.
    const nothing = { snapshots: 0, byUid: 0, sections: 0, driftChecks: 0, queued: 0 };
    expect(held()).toEqual({ ...nothing, sessions: 1, stored: 1 });
  });

  it("forgets an object whose finalizers somebody took away, too", async () => {
    const { kubernetes } = stage.theatre;
    putShop(stage.theatre, { branches: 0, functions: 2, secrets: 0 });
    await settle();
    for (const { kind, metadata } of kubernetes.list("edgefunctions")) {
      stage.operator.environment.convergence.wrote({ kind, metadata }, { field: "verifyJwt", difference: "no" });
    }
    expect(held()["byUid"]).toBe(2);
    for (const object of kubernetes.list("edgefunctions")) {
      const { name, namespace } = object.metadata;
      kubernetes.put("edgefunctions", { ...object, metadata: { name, namespace, finalizers: [] } });
      kubernetes.delete("edgefunctions", NAMESPACE, name);
    }
    stage.operator.look();
    await stage.operator.advance(1000);
    expect(held()["byUid"]).toBe(0);
  });

  it("keeps no more after each of many lives, in whatever collection that would be", { timeout: 300_000 }, async () => {
    await fillContentTypes();
    // Until all has been loaded that comes with a life.
    for (let life = 0; life < 3; life += 1) await live();
    const kept = [await objectsInUse()];
    while (kept.length < 4) {
      await live();
      await live();
      kept.push(await objectsInUse());
    }
    const steps = kept.slice(1).map((now, at) => now - (kept[at] ?? 0));
    // What somebody loads meanwhile comes once; what is kept of a life comes with each.
    expect(median(steps)).toBeLessThan(1);
  });
});
