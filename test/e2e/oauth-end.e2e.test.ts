import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { RoomApp } from "../support/stage/apps.ts";
import { collected, eventually } from "../support/stage/eventually.ts";
import { type Room, conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** An app's connection of many namespaces, and what becomes of an app's credential when it, or all around it, is deleted. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

async function inOperatorsNamespace(...args: readonly string[]): Promise<string> {
  return succeeded(await kubectl(stage.cluster, ["--namespace", "baas-system", ...args]));
}

/** Makes deletions of a project fail until the result is called. */
async function refusingDeletion(ref: string): Promise<() => Promise<unknown>> {
  const { faults } = stage.emulator.control;
  const fault = { kind: "status", status: 400 } as const;
  const { id } = await faults.add({ operation: "projects.delete", pathContains: ref, count: null, fault });
  return () => faults.remove({ id });
}

/** A room whose Project, to be deleted with its object, is Ready by an app's Connection. */
async function actingRoom(name: string): Promise<{ readonly room: Room; readonly app: RoomApp; readonly ref: string }> {
  const room = await stage.room(name);
  const app = await RoomApp.register(room);
  await room.apply(app.connection(await app.consent()));
  await app.acts();
  await room.apply(room.project("shop", { deletionPolicy: "Delete" }));
  await room.ready("Project", "shop");
  const { ref } = await room.remoteProject("shop");
  await eventually("the operator's Secret is guarded", async () => {
    const kept = await room.secret("baas-operator-connection-default");
    return kept === undefined || kept.metadata.finalizers.length === 0 ? undefined : true;
  });
  return { room, app, ref };
}

describe("a ClusterConnection that acts through an OAuth app", () => {
  it("keeps its refresh token in the operator's namespace, serves whom it admits, and takes the token along", async () => {
    const room = await stage.room("oauth-cluster");
    const app = await RoomApp.register(room);
    await room.kubectl("delete", "connection", "default");
    const place = { namespace: "baas-system" };
    const spec = {
      baseUrl: room.emulator.url,
      oauth: app.oauth(place),
      allowedNamespaces: { names: [room.namespace] },
    };
    const metadata = { name: "oauth-cluster" };
    const connection = { apiVersion: "baas.dev/v1alpha1", kind: "ClusterConnection", metadata, spec };
    const stdin = JSON.stringify({
      apiVersion: "v1",
      kind: "List",
      items: [...app.secretsIn("baas-system", await app.consent()), connection],
    });
    succeeded(await kubectl(stage.cluster, ["apply", "-f", "-"], { stdin }));
    await room.apply(room.project("shop", { connectionRef: { kind: "ClusterConnection", name: "oauth-cluster" } }));
    await room.ready("Project", "shop");
    const kept = "baas-operator-clusterconnection-oauth-cluster";
    expect(await inOperatorsNamespace("get", "secret", kept, "--output=jsonpath={.type}")).toBe(
      "baas.dev/refresh-token",
    );
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    await inOperatorsNamespace("delete", "clusterconnection", "oauth-cluster", "--timeout=30s");
    const look = (): Promise<string> => inOperatorsNamespace("get", "secret", kept, "--ignore-not-found");
    await collected("its Secret", async () => (await look()) === "");
    await inOperatorsNamespace("delete", "secret", "app", "consent", "--timeout=20s");
  });
});

describe("an app's Secrets deleted while a deletion needs them", () => {
  it("are kept for it, the consent's alone included, and go with it", async () => {
    const { room, app, ref } = await actingRoom("oauth-held");
    const mayBeDeleted = await refusingDeletion(ref);
    await room.kubectl("delete", "project", "shop", "--wait=false");
    await room.kubectl("delete", "secret", "consent", "--wait=false");
    const held = await room.until(
      "Connection",
      "default",
      (object) => conditionOf(object, "CredentialTerminating") !== undefined,
    );
    expect(conditionOf(held, "CredentialTerminating")?.message).toContain("the Secret consent is being deleted");
    await mayBeDeleted();
    await room.gone("Project", "shop");
    await eventually("the Secret is gone", async () =>
      (await room.secret("consent")) === undefined ? true : undefined,
    );
    await room.stalled("Connection", "default", "CredentialMissing");
    await room.apply(app.consentSecret(await app.consent()));
    await room.ready("Connection", "default", 10_000);
  });
});

describe("a namespace that is deleted with an app's Connection", () => {
  it("takes what is remote along, though the operator dies in between and the access token with it", async () => {
    const { room, ref } = await actingRoom("oauth-namespace");
    const mayBeDeleted = await refusingDeletion(ref);
    await room.kubectl("delete", "namespace", room.namespace, "--wait=false");
    await room.until("Connection", "default", (object) => conditionOf(object, "CredentialTerminating") !== undefined);
    await stage.operator.kill("SIGKILL");
    await mayBeDeleted();
    await stage.operator.startReplica();
    await room.kubectl("wait", "--for=delete", `namespace/${room.namespace}`, "--timeout=60s");
    expect(await room.projects()).toEqual([]);
  });
});
