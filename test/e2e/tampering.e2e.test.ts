import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { coreSecret, functionOf, remoteFunctions, remoteSecrets, secretOf } from "../support/stage/functions.ts";
import type { Manifest, Room } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What people and other programs do to our objects behind the operator's back. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

/** Replaces an object by its bare manifest, as `kubectl replace` does with a file from before the operator saw it. */
async function replaceBare(room: Room, kind: string, name: string): Promise<void> {
  const { metadata, ...rest } = await room.get(kind, name);
  const bare = { ...rest, metadata: { name, namespace: room.namespace, uid: metadata.uid } };
  succeeded(await kubectl(room.cluster, ["replace", "-f", "-"], { stdin: JSON.stringify(bare) }));
}

describe("an object replaced by its bare manifest", () => {
  it("gets its record and its finalizer again, so that its deletion still deletes what is remote", async () => {
    const room = await stage.room("replaced");
    await room.apply([
      room.project("shop", { deletionPolicy: "Delete" }),
      functionOf(room, "hello"),
      coreSecret(room, "values", { A: "1" }),
      secretOf(room, "env", [{ secretRef: { name: "values" } }]),
      room.ours("Branch", "preview", { projectRef: { name: "shop" } }),
    ]);
    const family = [
      ["Project", "shop"],
      ["EdgeFunction", "hello"],
      ["Secret", "env"],
      ["Branch", "preview"],
    ] as const;
    for (const [kind, name] of family) await room.ready(kind, name);
    for (const [kind, name] of family) {
      await replaceBare(room, kind, name);
      await room.until(kind, name, ({ metadata: { finalizers, annotations } }) => {
        return finalizers.includes("baas.dev/finalizer") && annotations["baas.dev/ref"] !== undefined;
      });
    }
    const { ref } = await room.remoteProject("shop");
    await room.kubectl("delete", "edgefunction/hello", "secret.baas.dev/env", "branch/preview", "--timeout=30s");
    expect(await remoteFunctions(room, ref)).toEqual([]);
    expect(await remoteSecrets(room, ref)).toEqual({});
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    expect(await room.projects()).toEqual([]);
  });
});

describe("an object set to managementPolicy Observe while it was paused", () => {
  it("keeps what is remote when it is deleted, although no look has seen the new policy", async () => {
    const room = await stage.room("observed-late");
    await room.apply([room.project("shop", { deletionPolicy: "Delete" }), functionOf(room, "hello")]);
    for (const [kind, name] of [
      ["Project", "shop"],
      ["EdgeFunction", "hello"],
    ] as const) {
      await room.ready(kind, name);
      await room.kubectl("annotate", kind.toLowerCase(), name, "baas.dev/paused=true");
      await room.until(kind, name, ({ status }) => status.conditions.some(({ type }) => type === "Paused"));
      const patch = JSON.stringify({ spec: { managementPolicy: "Observe" } });
      await room.kubectl("patch", kind.toLowerCase(), name, "--type=merge", `--patch=${patch}`);
    }
    await room.kubectl("delete", "edgefunction", "hello", "--timeout=30s");
    await room.kubectl("delete", "project", "shop", "--timeout=30s");
    const { ref, status } = await room.remoteProject("shop");
    expect(status).toBe("ACTIVE_HEALTHY");
    expect((await remoteFunctions(room, ref)).map(({ slug }) => slug)).toEqual(["hello"]);
  });
});

describe("a status that somebody wiped", () => {
  it("is written again at once, from what is recorded and there, with no write but a deployment", async () => {
    const room = await stage.room("wiped");
    await room.apply([
      room.project("shop"),
      functionOf(room, "hello"),
      coreSecret(room, "values", { A: "1", B: "2" }),
      secretOf(room, "env", [{ secretRef: { name: "values" } }]),
      room.ours("Branch", "preview", { projectRef: { name: "shop" } }),
    ]);
    const family = [
      ["Project", "project", "shop"],
      ["Secret", "secrets.baas.dev", "env"],
      ["EdgeFunction", "edgefunction", "hello"],
      ["Branch", "branch", "preview"],
    ] as const;
    for (const [kind, , name] of family) await room.ready(kind, name);
    const before = await room.lastRequest();
    for (const [kind, resource, name] of family) {
      const { status } = await room.get(kind, name);
      await room.kubectl("patch", resource, name, "--subresource=status", "--type=merge", '--patch={"status":null}');
      const again = await room.ready(kind, name);
      expect({ kind, ref: again.status["ref"], names: again.status["names"] }).toEqual({
        kind,
        ref: status["ref"],
        names: status["names"],
      });
    }
    expect(await room.writes(before)).toEqual(["functions.deploy 201"]);
  });
});

describe("a Secret that holds no token", () => {
  it.each([
    { why: "two lines", token: "one\ntwo", reason: "CredentialInvalid" },
    { why: "letters that no header takes", token: "tök€n", reason: "CredentialInvalid" },
    { why: "blanks", token: "  \n", reason: "CredentialMissing" },
  ])("is told as that, not as a server that does not answer: $why", async ({ token, reason }) => {
    const room = await stage.room(`token-${process.hrtime.bigint()}`);
    const before = await room.lastRequest();
    await room.apply(room.connection(token));
    await room.stalled("Connection", "default", reason);
    await room.apply(room.connection());
    await room.ready("Connection", "default");
    expect(await room.writes(before)).toEqual([]);
  });
});

describe("an annotation that a tenant typed", () => {
  /** A project that no object has, a ClusterConnection that lets nothing be taken over, and what an annotation would have to say. */
  async function tenant(name: string): Promise<{
    readonly room: Room;
    readonly victim: string;
    /** the room's object with the forged record and our finalizer */
    readonly forge: (manifest: Manifest) => Promise<Manifest>;
  }> {
    const room = await stage.room(name);
    const body = { name: "victim", organization_slug: name, db_pass: "not-a-password" };
    expect((await stage.call("POST", "/v1/projects", room.token, body)).status).toBe(201);
    const { ref: victim } = await room.remoteProject("victim");
    const token = { secretRef: { name: "token", namespace: name } };
    const spec = {
      baseUrl: stage.emulator.url,
      token,
      allowedNamespaces: { names: [name] },
      allowedOrganizations: ["*"],
    };
    await room.apply({ apiVersion: "baas.dev/v1alpha1", kind: "ClusterConnection", metadata: { name }, spec });
    const cluster = await room.kubectl("get", "namespace", "kube-system", "--output=jsonpath={.metadata.uid}");
    const identity = await room.account();
    return {
      room,
      victim,
      forge: async (manifest) => {
        const record = { ref: victim, identity, object: `${name}/forged`, cluster };
        const metadata = {
          name: "forged",
          namespace: name,
          annotations: { "baas.dev/ref": JSON.stringify(record) },
          finalizers: ["baas.dev/finalizer"],
        };
        return { ...manifest, metadata };
      },
    };
  }

  it("takes over no project that the connection does not allow, and deletes none", async () => {
    const { room, victim, forge } = await tenant("forger");
    const connectionRef = { kind: "ClusterConnection", name: "forger" };
    const before = await room.lastRequest();
    await room.apply(await forge(room.project("forged", { deletionPolicy: "Delete", connectionRef })));
    await room.stalled("Project", "forged", "NotAllowed");
    await room.kubectl("delete", "project", "forged", "--timeout=30s");
    expect(await room.writes(before)).toEqual([]);
    expect((await room.remoteProject("victim")).ref).toBe(victim);
  });

  it("puts no other project in the place of the object's own, and deletes its own alone", async () => {
    const { room, victim } = await tenant("swapper");
    await room.apply(room.project("own", { deletionPolicy: "Delete" }));
    const { metadata, status } = await room.ready("Project", "own");
    const record = metadata.annotations["baas.dev/ref"]?.replace(String(status["ref"]), victim);
    await room.kubectl("annotate", "--overwrite", "project", "own", `baas.dev/ref=${record}`);
    await room.reconcile("Project", "own"); // a record of this very object's name is taken for the operator's own write
    await room.stalled("Project", "own", "OwnedElsewhere");
    await room.kubectl("annotate", "project", "own", "baas.dev/ref-");
    expect((await room.ready("Project", "own")).status["ref"]).toBe(status["ref"]);
    await room.kubectl("annotate", "--overwrite", "project", "own", `baas.dev/ref=${record}`);
    await room.kubectl("delete", "project", "own", "--timeout=30s");
    expect((await room.projects()).map(({ name }) => name)).toEqual(["victim"]);
  });

  it("deletes no branch of such a project", async () => {
    const { room, victim, forge } = await tenant("branch-forger");
    const made: { status: number; json: unknown }[] = [];
    for (const name of ["main", "forged"]) {
      made.push(await stage.call("POST", `/v1/projects/${victim}/branches`, room.token, { branch_name: name }));
    }
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    const connectionRef = { kind: "ClusterConnection", name: "branch-forger" };
    const { branches } = await stage.emulator.control.state.read({});
    const preview = branches.find(({ parentRef, isDefault }) => parentRef === victim && !isDefault);
    const manifest = await forge(room.ours("Branch", "forged", { projectRef: { ref: victim }, connectionRef }));
    const text = JSON.stringify(manifest).replaceAll(`\\"ref\\":\\"${victim}`, `\\"ref\\":\\"${preview?.projectRef}`);
    const before = await room.lastRequest();
    await room.apply(JSON.parse(text) as Manifest); // what was just written
    await room.stalled("Branch", "forged", "NotAllowed");
    await room.kubectl("delete", "branch", "forged", "--timeout=30s");
    expect(await room.writes(before)).toEqual([]);
    const left = (await stage.emulator.control.state.read({})).branches.map(({ id }) => id);
    expect(left).toContain(preview?.id);
  });
});
