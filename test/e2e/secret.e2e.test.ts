import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readyProject } from "../support/stage/branches.ts";
import { coreSecret, digests, looksUntil, remoteSecrets, secretOf } from "../support/stage/functions.ts";
import { conditionOf, type Manifest, type Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Secret object (secrets.baas.dev) from its creation to its end, on a real control plane and the emulator. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const app = { kind: "Secret", name: "app" } as const;
const all: readonly Manifest[] = [{ secretRef: { name: "values" } }];

/** Sets secrets as a human would on the platform. */
async function setByHand(room: Room, ref: string, values: Readonly<Record<string, string>>): Promise<void> {
  const body = Object.entries(values).map(([name, value]) => ({ name, value }));
  expect(await stage.call("POST", `/v1/projects/${ref}/secrets`, room.token, body)).toMatchObject({ status: 201 });
}

async function deleteByHand(room: Room, ref: string, names: readonly string[]): Promise<void> {
  expect(await stage.call("DELETE", `/v1/projects/${ref}/secrets`, room.token, names)).toMatchObject({ status: 200 });
}

/** A room with a project, a Kubernetes Secret `values` and a Ready Secret object `app` that takes all of it. */
async function roomWith(
  name: string,
  values: Readonly<Record<string, string>>,
  spec: Manifest = {},
): Promise<[Room, string]> {
  const room = await stage.room(name);
  const ref = await readyProject(room);
  await room.apply([coreSecret(room, "values", values), secretOf(room, "app", all, spec)]);
  await room.ready("Secret", "app");
  return [room, ref];
}

describe.concurrent("setting", () => {
  it("sets what the Kubernetes Secrets hold with one request, under the names that the manifest gives", async () => {
    const room = await stage.room("sc-create");
    const ref = await readyProject(room);
    const after = await room.lastRequest();
    const from = [
      { secretRef: { name: "values" } },
      { secretRef: { name: "more" }, prefix: "DB_", keys: [{ key: "pass", as: "PASSWORD" }] },
    ];
    await room.apply([
      coreSecret(room, "values", { ONE: "1", TWO: "zwei äöü" }),
      coreSecret(room, "more", { pass: "secret", unused: "x" }),
      secretOf(room, "app", from),
    ]);
    const object = await room.ready("Secret", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ ONE: "1", TWO: "zwei äöü", DB_PASSWORD: "secret" }));
    expect(object.status).toMatchObject({ ref, names: ["DB_PASSWORD", "ONE", "TWO"] });
    expect(object.metadata.finalizers).toEqual(["baas.dev/finalizer"]);
    expect(await room.writes(after)).toEqual(["secrets.create 201"]);
    await room.reconcile("Secret", "app");
    expect(await room.writes(after)).toHaveLength(1);
  });

  it("waits for a Kubernetes Secret, and for a key in it, that are not there yet", async () => {
    const room = await stage.room("sc-waits");
    const ref = await readyProject(room);
    await room.apply(secretOf(room, "app", [{ secretRef: { name: "values" }, keys: [{ key: "ONE" }] }]));
    const holds = (words: string) => (object: Parameters<typeof conditionOf>[0]) =>
      (conditionOf(object, "Ready")?.message ?? "").includes(words);
    await room.until("Secret", "app", holds("there is no Secret values"));
    await room.apply(coreSecret(room, "values", { OTHER: "x" }));
    await room.until("Secret", "app", holds("has no key ONE"));
    await room.apply(coreSecret(room, "values", { ONE: "1" }));
    await room.ready("Secret", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ ONE: "1" }));
  });

  it("writes a rotated Kubernetes Secret exactly once, and only the name that changed", async () => {
    const [room, ref] = await roomWith("sc-rotate", { ONE: "1", TWO: "2" });
    const after = await room.lastRequest();
    await room.apply(coreSecret(room, "values", { ONE: "1", TWO: "rotated" }));
    await looksUntil(
      room,
      app,
      async () => (await remoteSecrets(room, ref))["TWO"] === digests({ TWO: "rotated" })["TWO"],
    );
    await room.reconcile("Secret", "app");
    const { entries } = await room.emulator.control.log.read({ after, operation: "secrets.create" });
    expect(entries.filter(({ path }) => path.includes(ref)).map(({ body }) => body)).toEqual([
      [{ name: "TWO", value: expect.not.stringContaining("rotated") }],
    ]);
  });

  it("[K-34] writes the new name of a renamed key before it deletes the old one", async () => {
    const [room, ref] = await roomWith("sc-rename", { OLD: "same" });
    const after = await room.lastRequest();
    await room.apply(secretOf(room, "app", [{ secretRef: { name: "values" }, keys: [{ key: "OLD", as: "NEW" }] }]));
    const object = await room.ready("Secret", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ NEW: "same" }));
    expect(object.status["names"]).toEqual(["NEW"]);
    expect(await room.writes(after)).toEqual(["secrets.create 201", "secrets.delete 200"]);
  });

  it("[K-34] deletes the old name also when the answer to the new one was lost", async () => {
    const [room, ref] = await roomWith("sc-rename-lost", { OLD: "same" });
    const fault = { kind: "reset", phase: "after" } as const;
    await room.emulator.control.faults.add({ operation: "secrets.create", pathContains: ref, fault });
    await room.apply(secretOf(room, "app", [{ secretRef: { name: "values" }, keys: [{ key: "OLD", as: "NEW" }] }]));
    await room.ready("Secret", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ NEW: "same" }));
  });

  it("sets more names than one request takes", async () => {
    const room = await stage.room("sc-many");
    const ref = await readyProject(room);
    await room.emulator.control.organizations.patch({ slug: room.namespace, quotas: { secretsPerProject: 500 } });
    const values = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`NAME_${index}`, `value ${index}`]));
    const after = await room.lastRequest();
    await room.apply([coreSecret(room, "values", values), secretOf(room, "app", all)]);
    await room.ready("Secret", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests(values));
    expect(await room.writes(after)).toEqual(["secrets.create 201", "secrets.create 201", "secrets.create 201"]);
  });
});

describe.concurrent("drift", () => {
  it("[K-33] sets A and B again that somebody deleted and edited, and leaves C alone", async () => {
    const [room, ref] = await roomWith("sc-drift", { A: "a", B: "b" });
    await deleteByHand(room, ref, ["A"]);
    await setByHand(room, ref, { B: "edited", C: "added" });
    const after = await room.lastRequest();
    await looksUntil(room, app, async () => (await remoteSecrets(room, ref))["A"] !== undefined);
    expect(await remoteSecrets(room, ref)).toEqual(digests({ A: "a", B: "b", C: "added" }));
    expect(await room.writes(after)).toEqual(["secrets.create 201"]);
    await room.kubectl("delete", "secrets.baas.dev", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ C: "added" }));
  });

  it("[K-33] only tells of it under driftPolicy Report, where a rotated Secret is written all the same", async () => {
    const [room, ref] = await roomWith("sc-report", { A: "a", B: "b" }, { driftPolicy: "Report" });
    await setByHand(room, ref, { B: "edited" });
    const after = await room.lastRequest();
    const drifted = await looksUntil(room, app, (object) => conditionOf(object, "Drifted")?.status === "True");
    expect(conditionOf(drifted, "Drifted")?.message).toBe("differs remotely: B");
    expect(await room.writes(after)).toEqual([]);
    await room.apply(coreSecret(room, "values", { A: "rotated", B: "b" }));
    await looksUntil(room, app, async () => (await remoteSecrets(room, ref))["A"] === digests({ A: "rotated" })["A"]);
  });

  it("reads and reports under managementPolicy Observe", async () => {
    const room = await stage.room("sc-observe");
    const ref = await readyProject(room);
    await setByHand(room, ref, { A: "a" });
    const after = await room.lastRequest();
    await room.apply([
      coreSecret(room, "values", { A: "a", B: "b" }),
      secretOf(room, "app", all, { managementPolicy: "Observe" }),
    ]);
    const object = await room.ready("Secret", "app");
    expect(conditionOf(object, "Drifted")?.message).toBe("differs remotely: B");
    await room.kubectl("delete", "secrets.baas.dev", "app");
    expect(await room.writes(after)).toEqual([]);
  });
});

describe.concurrent("bad input", () => {
  const secretValue = "do-not-show-this-value";
  it.each([
    {
      why: "[K-35] a name with the reserved prefix",
      name: "sc-reserved",
      values: { PLATFORM_URL: secretValue },
      says: ["PLATFORM_URL", "the Secret values"],
    },
    {
      why: "[K-35] a key that is no name of a variable",
      name: "sc-invalid",
      values: { "tls.crt": secretValue },
      says: ["tls.crt", "the Secret values", "as"],
    },
    {
      why: "[K-35] a value that is too large",
      name: "sc-large",
      values: { BIG: secretValue.repeat(2000) },
      says: ["the key BIG of the Secret values", "24576"],
    },
    {
      why: "a name that two entries give",
      name: "sc-twice",
      values: { ONE: secretValue },
      from: [...all, { secretRef: { name: "values" }, keys: [{ key: "ONE" }] }],
      says: ["the name ONE"],
    },
  ])("tells $why by Secret and key, and never the value", async ({ name, values, says, from = all }) => {
    const room = await stage.room(name);
    await readyProject(room);
    const after = await room.lastRequest();
    await room.apply([coreSecret(room, "values", values), secretOf(room, "app", from)]);
    const stalled = await room.stalled("Secret", "app", "InvalidSpec");
    for (const words of says) expect(conditionOf(stalled, "Stalled")?.message).toContain(words);
    expect(await room.writes(after)).toEqual([]);
    const shown = JSON.stringify(stalled) + (await room.kubectl("get", "events", "--output=json"));
    expect(shown).not.toContain(secretValue);
    await room.apply([
      coreSecret(room, "better", { platform_URL: "x" }),
      secretOf(room, "app", [{ secretRef: { name: "better" } }]),
    ]);
    await room.ready("Secret", "app");
  });
});

describe.concurrent("ownership", () => {
  it("writes no name that is there and that it did not set", async () => {
    const room = await stage.room("sc-foreign");
    const ref = await readyProject(room);
    await setByHand(room, ref, { ONE: "theirs" });
    const after = await room.lastRequest();
    await room.apply([coreSecret(room, "values", { ONE: "ours", TWO: "2" }), secretOf(room, "app", all)]);
    const stalled = await room.stalled("Secret", "app", "Conflict");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("ONE");
    await room.kubectl("delete", "secrets.baas.dev", "app");
    expect(await room.writes(after)).toEqual([]);
  });

  it("takes it over as adoptionPolicy asks", async () => {
    const room = await stage.room("sc-adopt");
    const ref = await readyProject(room);
    await setByHand(room, ref, { ONE: "theirs" });
    await room.apply([
      coreSecret(room, "values", { ONE: "ours" }),
      secretOf(room, "app", all, { adoptionPolicy: "IfNameMatches" }),
    ]);
    await room.ready("Secret", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ ONE: "ours" }));
  });

  it("lets the oldest of two objects have a name; the other's turn comes when it lets go of it", async () => {
    const [room, ref] = await roomWith("sc-two", { ONE: "first", TWO: "2" });
    await room.apply([
      coreSecret(room, "others", { ONE: "second", THREE: "3" }),
      secretOf(room, "other", [{ secretRef: { name: "others" } }]),
    ]);
    const stalled = await room.stalled("Secret", "other", "Conflict");
    expect(conditionOf(stalled, "Stalled")?.message).toMatch(/the secret ONE belongs to the Secret object app/u);
    expect(await remoteSecrets(room, ref)).toEqual(digests({ ONE: "first", TWO: "2" }));
    await room.apply(secretOf(room, "app", [{ secretRef: { name: "values" }, keys: [{ key: "TWO" }] }]));
    await room.ready("Secret", "other");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ ONE: "second", TWO: "2", THREE: "3" }));
  });

  it("gives a name that two objects ask for at the same moment to one of them", async () => {
    const room = await stage.room("sc-race");
    const ref = await readyProject(room);
    const names = ["one", "two", "three", "four"];
    await room.apply(names.map((name) => coreSecret(room, name, { SHARED: name })));
    await room.apply(names.map((name) => secretOf(room, name, [{ secretRef: { name } }])));
    const settled = await Promise.all(
      names.map((name) =>
        room.until("Secret", name, (object) =>
          ["Available", "Conflict"].includes(conditionOf(object, "Ready")?.reason ?? ""),
        ),
      ),
    );
    const owners = settled.filter((object) => conditionOf(object, "Ready")?.reason === "Available");
    expect(owners).toHaveLength(1);
    expect(await remoteSecrets(room, ref)).toEqual(digests({ SHARED: owners[0]?.metadata.name ?? "" }));
    expect((await room.writes()).filter((write) => write.startsWith("secrets."))).toEqual(["secrets.create 201"]);
  });
});

describe.concurrent("pausing and deleting", () => {
  it("does nothing while paused, and goes on after", async () => {
    const [room, ref] = await roomWith("sc-paused", { ONE: "1" });
    await room.kubectl("annotate", "secrets.baas.dev", "app", "baas.dev/paused=true");
    await room.until("Secret", "app", (object) => conditionOf(object, "Paused")?.status === "True");
    const after = await room.lastRequest();
    await room.apply(coreSecret(room, "values", { ONE: "rotated" }));
    await room.apply(secretOf(room, "app", all, { driftInterval: "1h" }));
    await room.until("Secret", "app", ({ metadata }) => metadata.generation === 2);
    expect(await room.writes(after)).toEqual([]);
    await room.kubectl("annotate", "secrets.baas.dev", "app", "baas.dev/paused-");
    await room.ready("Secret", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ ONE: "rotated" }));
  });

  it("deletes what it set and nothing else", async () => {
    const [room, ref] = await roomWith("sc-delete", { ONE: "1", TWO: "2" });
    await setByHand(room, ref, { OTHER: "x" });
    await room.kubectl("delete", "secrets.baas.dev", "app");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ OTHER: "x" }));
  });

  it("needs no Kubernetes Secret for that", async () => {
    const [room, ref] = await roomWith("sc-delete-first", { ONE: "1" });
    await room.kubectl("delete", "secret", "values");
    await room.kubectl("delete", "secrets.baas.dev", "app");
    expect(await remoteSecrets(room, ref)).toEqual({});
  });

  it("keeps all of it when its namespace is deleted and its Project is Retain", async () => {
    const [room, ref] = await roomWith("sc-namespace", { ONE: "1" });
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=60s");
    expect(await remoteSecrets(room, ref)).toEqual(digests({ ONE: "1" }));
  });
});

it("shows no value in logs, events or objects", async () => {
  const canary = "canary-3f9c1d";
  const [room] = await roomWith("sc-canary", { ONE: canary });
  await room.apply(coreSecret(room, "values", { ONE: `${canary}-rotated` }));
  await looksUntil(room, app, (object) => conditionOf(object, "Ready")?.status === "True");
  const objects = await room.kubectl("get", "secrets.baas.dev,events.events.k8s.io", "--output=yaml");
  expect(objects).toContain("ONE");
  for (const text of [objects, stage.operator.logs()]) expect(text).not.toContain(canary);
});
