import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BELIEVED_GONE_WITHIN_MS } from "../support/stage/eventually.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** A Project through its life, on a real control plane and the emulator. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe("creating", () => {
  it("makes one project with a generated password, and says so", async () => {
    const room = await stage.room("create");
    await room.apply(room.project("shop"));
    const object = await room.ready("Project", "shop");
    const remote = await room.remoteProject("shop");
    expect(object.status["ref"]).toBe(remote.ref);
    expect(object.metadata.finalizers).toEqual(["baas.dev/finalizer"]);
    const password = Buffer.from(
      await room.kubectl("get", "secret", "shop-database-password", "--output=jsonpath={.data.password}"),
      "base64",
    ).toString("utf8");
    expect(password).toHaveLength(32);
    expect(remote.databasePassword.digest).toBe(createHash("sha256").update(password).digest("hex"));
    expect(await room.writes()).toEqual(["projects.create 201"]);
  });

  it("[K-01] makes one project when the answer to the create request is lost", async () => {
    const room = await stage.room("lost-answer");
    await stage.emulator.control.faults.add({
      operation: "projects.create",
      fault: { kind: "reset", phase: "after" },
    });
    await room.apply(room.project("shop"));
    const object = await room.ready("Project", "shop");
    expect(object.status["ref"]).toBe((await room.remoteProject("shop")).ref);
    expect(await room.writes()).toEqual(["projects.create lost"]);
  });

  it("[K-01] takes no project that it never asked for", async () => {
    const room = await stage.room("taken-name");
    await stage.emulator.control.state.seed({ projects: [{ name: "shop", organization: room.namespace }] });
    await room.apply(room.project("shop"));
    const object = await room.stalled("Project", "shop", "Conflict");
    expect(conditionOf(object, "Stalled")?.message).toContain("spec.ref");
    expect(object.status["ref"]).toBeUndefined();
    expect(await room.writes()).toEqual([]);
  });

  it("[K-04] is stalled, and neither deletes nor repeats anything, when the project never comes up", async () => {
    const room = await stage.room("never-up");
    await stage.emulator.control.projects.hold({ refOrName: "stuck", at: "COMING_UP" });
    await room.apply(room.project("stuck", { provisioningTimeout: "1m" }));
    const object = await room.until("Project", "stuck", ({ status }) => status["state"] === "COMING_UP");
    expect(conditionOf(object, "Ready")).toMatchObject({ status: "Unknown", reason: "Provisioning" });
    // Time on the object's side is real: its record of when it began is moved back instead of waiting a minute.
    const underway = { operation: "Creating", since: "2020-01-01T00:00:00Z" };
    await room.kubectl(
      "patch",
      "project",
      "stuck",
      "--subresource=status",
      "--type=merge",
      "--patch",
      JSON.stringify({ status: { underway } }),
    );
    await room.reconcile("Project", "stuck");
    const stalled = await room.stalled("Project", "stuck", "DeadlineExceeded");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("since 2020-01-01T00:00:00Z");
    expect(await room.writes()).toEqual(["projects.create 201"]);
    await stage.emulator.control.projects.release({ refOrName: "stuck" });
    await room.reconcile("Project", "stuck");
    await room.ready("Project", "stuck");
    expect(await room.writes()).toEqual(["projects.create 201"]);
  });

  it("[K-12] gives each object the patience that it asks for", async () => {
    const room = await stage.room("patience");
    const patience = { impatient: "5m", patient: "2h" };
    for (const [name, provisioningTimeout] of Object.entries(patience)) {
      await stage.emulator.control.projects.hold({ refOrName: `${name}-in-${room.namespace}`, at: "COMING_UP" });
      const spec = { name: `${name}-in-${room.namespace}`, provisioningTimeout, driftInterval: provisioningTimeout };
      await room.apply(room.project(name, spec));
      await room.until("Project", name, ({ status }) => status["state"] === "COMING_UP");
      // As in K-04: an hour ago instead of a wait.
      const since = new Date(Date.now() - 3_600_000).toISOString();
      const status = { underway: { operation: "Creating", since } };
      const patch = ["patch", "project", name, "--subresource=status", "--type=merge", "--patch"];
      await room.kubectl(...patch, JSON.stringify({ status }));
      await room.reconcile("Project", name);
    }
    await room.stalled("Project", "impatient", "DeadlineExceeded");
    const patient = await room.get("Project", "patient");
    expect(conditionOf(patient, "Stalled")).toBeUndefined();
    expect(conditionOf(patient, "Reconciling")?.reason).toBe("Provisioning");
    expect(patient.status["effective"]).toMatchObject({ driftInterval: { value: "2h", origin: "Object" } });
  });

  it("[K-05] tells the server's words when the organization is not its slug", async () => {
    const room = await stage.room("wrong-org");
    await room.apply(room.project("shop", { organization: "0b5e2b6e-wrong" }));
    const object = await room.until("Project", "shop", (seen) => conditionOf(seen, "Stalled")?.status === "True");
    expect(conditionOf(object, "Stalled")).toMatchObject({ reason: "InvalidSpec" });
    const { message } = conditionOf(object, "Stalled") ?? {};
    expect(message).toContain("spec.organization");
    expect(message).toContain("(Organization not found)");
    expect(message).toContain("write the slug");
    await room.apply(room.project("shop"));
    await room.ready("Project", "shop");
  });
});

describe("adopting", () => {
  it("[K-11] takes a project over by ref and writes nothing that is not declared", async () => {
    const room = await stage.room("adopt");
    const ref = "adoptedadoptedadopte";
    await stage.emulator.control.state.seed({ projects: [{ name: "by-hand", organization: room.namespace, ref }] });
    await room.apply(room.project("shop", { ref }));
    const object = await room.ready("Project", "shop");
    expect(object.status).toMatchObject({ ref, name: "by-hand" });
    expect(await room.writes()).toEqual([]);
  });

  it("takes a project over by name where the policy says so", async () => {
    const room = await stage.room("adopt-name");
    await stage.emulator.control.state.seed({ projects: [{ name: "shop", organization: room.namespace }] });
    await room.apply(room.project("shop", { adoptionPolicy: "IfNameMatches" }));
    await room.ready("Project", "shop");
    expect(await room.writes()).toEqual([]);
  });

  it("leaves a copied manifest alone: OwnedElsewhere, no write, and its deletion touches nothing", async () => {
    const room = await stage.room("copied");
    await room.apply(room.project("shop"));
    const original = await room.ready("Project", "shop");
    const before = await room.lastRequest();
    const copy = room.project("copy", { name: "shop", deletionPolicy: "Delete" });
    const annotations = { "baas.dev/ref": original.metadata.annotations["baas.dev/ref"] };
    await room.apply({ ...copy, metadata: { name: "copy", namespace: room.namespace, annotations } });
    await room.stalled("Project", "copy", "OwnedElsewhere");
    await room.kubectl("delete", "project", "copy", "--timeout=30s");
    expect(await room.writes(before)).toEqual([]);
    expect((await room.projects()).map(({ name }) => name)).toEqual(["shop"]);
  });

  it("lets the older of two objects own a project, and the other say whose it is", async () => {
    const room = await stage.room("two-objects");
    await room.apply(room.project("first", { name: "shop" }));
    const first = await room.ready("Project", "first");
    const ref = String(first.status["ref"]);
    await room.apply(room.project("second", { name: "shop", ref, deletionPolicy: "Delete" }));
    const second = await room.stalled("Project", "second", "Conflict");
    expect(conditionOf(second, "Stalled")?.message).toContain("first");
    await room.kubectl("delete", "project", "second", "--timeout=30s");
    expect((await room.projects()).map((project) => project.ref)).toEqual([ref]);
  });
});

describe("losing the remote side", () => {
  it("is RemoteMissing, makes no new project, and makes one when asked by annotation", async () => {
    const room = await stage.room("missing");
    await room.apply(room.project("shop"));
    const ref = String((await room.ready("Project", "shop")).status["ref"]);
    await stage.emulator.control.projects.remove({ ref });
    await room.reconcile("Project", "shop");
    await room.stalled("Project", "shop", "RemoteMissing");
    expect(await room.projects()).toEqual([]);
    const before = await room.lastRequest();
    await room.apply(
      room.ours("EdgeFunction", "orphan", {
        projectRef: { name: "shop" },
        source: { inline: { files: { "index.ts": "" } } },
      }),
    );
    await room.until("EdgeFunction", "orphan", (seen) => conditionOf(seen, "Ready")?.reason === "ParentStalled");
    expect(await room.writes(before)).toEqual([]);
    await room.kubectl("delete", "edgefunction", "orphan", "--timeout=30s");
    await room.kubectl("annotate", "project", "shop", `baas.dev/recreate=${ref}`);
    const object = await room.ready("Project", "shop", BELIEVED_GONE_WITHIN_MS);
    expect(object.status["ref"]).not.toBe(ref);
    expect(await room.projects()).toHaveLength(1);
  });

  it("recovers from a bad token without a restart", async () => {
    const room = await stage.room("bad-token");
    await room.apply(room.connection("not-a-token"));
    await room.stalled("Connection", "default", "CredentialInvalid");
    await room.apply(room.project("shop"));
    await room.until("Project", "shop", (seen) => conditionOf(seen, "Ready")?.reason === "ConnectionNotReady");
    await room.apply(room.connection());
    expect(conditionOf(await room.ready("Project", "shop"), "Ready")?.status).toBe("True");
  });
});

describe("deleting", () => {
  it("deletes the project where the policy says so", async () => {
    const room = await stage.room("delete");
    await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
    await room.ready("Project", "shop");
    await room.kubectl("delete", "project", "shop", "--timeout=60s");
    expect(await room.projects()).toEqual([]);
  });

  it("waits while the platform refuses to delete what it is still provisioning", async () => {
    const room = await stage.room("delete-early");
    await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
    await room.until("Project", "shop", ({ status }) => status["ref"] !== undefined);
    await room.kubectl("delete", "project", "shop", "--timeout=60s");
    expect(await room.projects()).toEqual([]);
  });

  it("keeps the project by default, and when Retain is set after the deletion began", async () => {
    const room = await stage.room("retain");
    await room.apply([room.project("kept"), room.project("saved", { deletionPolicy: "Delete" })]);
    await room.ready("Project", "kept");
    await room.ready("Project", "saved");
    await room.kubectl("delete", "project", "kept", "--timeout=30s");
    await stage.emulator.control.faults.add({
      operation: "projects.delete",
      count: null,
      fault: { kind: "status", status: 400, body: { message: "Project not ready for deletion." } },
    });
    await room.kubectl("delete", "project", "saved", "--wait=false");
    await room.until("Project", "saved", (seen) => conditionOf(seen, "Reconciling")?.reason === "Deleting");
    await room.kubectl("patch", "project", "saved", "--type=merge", "--patch", '{"spec":{"deletionPolicy":"Retain"}}');
    await room.gone("Project", "saved");
    await stage.emulator.control.faults.clear({});
    expect((await room.projects()).map(({ name }) => name).toSorted()).toEqual(["kept", "saved"]);
  });

  it("goes with its whole namespace, credential and connection included, in whatever order", async () => {
    const room = await stage.room("delete-all");
    await room.apply([room.project("goes", { deletionPolicy: "Delete" }), room.project("stays")]);
    await room.ready("Project", "goes");
    await room.ready("Project", "stays");
    await room.kubectl("delete", "namespace", room.namespace, "--timeout=90s");
    expect((await room.projects()).map(({ name }) => name)).toEqual(["stays"]);
  });
});

it("was never refused for its rate", async () => {
  const { byStatus } = await stage.emulator.control.log.summary({});
  expect(byStatus["429"] ?? 0).toBe(0);
});
