import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Definitions } from "../support/crds/definitions.ts";
import { startWithDefinitions } from "../support/crds/definitions.ts";
import type { KindName } from "../support/crds/manifest.ts";
import { least, manifest, plurals, stream } from "../support/crds/manifest.ts";
import { transitions } from "../support/crds/transitions.ts";
import { succeeded } from "../support/programs/run.ts";

/** Objects of our kinds at a real kube-apiserver: what may change, how a status is kept, and what kubectl shows. */

let definitions: Definitions;

beforeAll(async () => {
  definitions = await startWithDefinitions();
});

afterAll(() => definitions[Symbol.asyncDispose]());

describe("changes", () => {
  beforeAll(() => definitions.namespace("changes"));

  const named = transitions.map((item, index) => ({
    ...item,
    name: `t${index}`,
    expected: item.refusal === undefined ? "accepted" : `refused, since ${item.refusal}`,
  }));

  test.each(named)("$kind $why: $expected", async ({ kind, name, from, to, status, refusal }) => {
    const before = manifest(kind, name, "changes", from);
    const created = await definitions.objects.create(before);
    const reported = status === undefined ? created : await definitions.objects.merge(before, { status }, "status");
    expect([created.message, reported.message]).toEqual(["", ""]);

    const answer = await definitions.objects.replace(manifest(kind, name, "changes", to));
    expect(answer.status).toBe(refusal === undefined ? 200 : 422);
    expect(answer.message).toContain(refusal ?? "");
  });

  test("a fixed field is not removed by leaving it out of an applied manifest either, by whatever kind of apply", async () => {
    const spec = { ...least.Project, region: { code: "us-east-1" } };
    const way = [["apply"], ["apply", "--server-side"]];
    for (const [index, args] of way.entries()) {
      const name = `applied-${index}`;
      succeeded(await definitions.kubectl([...args, "-f", "-"], stream([manifest("Project", name, "changes", spec)])));
      const without = await definitions.kubectl(
        [...args, "-f", "-"],
        stream([manifest("Project", name, "changes", least.Project)]),
      );
      expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining("region is fixed") });
    }
  });

  test("writing down the slug that the name stood in for is no change", async () => {
    const object = manifest("EdgeFunction", "hello", "changes", least.EdgeFunction);
    await definitions.objects.create(object);
    expect(await definitions.objects.merge(object, { spec: { slug: "hello" } })).toMatchObject({ status: 200 });
    expect(await definitions.objects.merge(object, { spec: { slug: null } })).toMatchObject({ status: 200 });
  });

  test("a status is written whatever the spec, and rules over it do not stand in its way", async () => {
    const object = manifest("Project", "recreated", "changes", { ...least.Project, ref: "abcdefghijklmnopqrst" });
    await definitions.objects.create(object);
    const status = { ref: "tsrqponmlkjihgfedcba", services: [{ name: "x".repeat(5000), healthy: true, state: "" }] };
    expect(await definitions.objects.merge(object, { status }, "status")).toMatchObject({ status: 200 });
  });
});

describe("status", () => {
  beforeAll(() => definitions.namespace("status"));

  test.each(Object.entries(least))(
    "%s: a new object has observed nothing (-1), so that kstatus waits for it",
    async (kind, spec) => {
      const object = manifest(kind as KindName, "fresh", "status", spec); // the keys of a record over KindName
      const answer = await definitions.objects.create(object);
      expect(answer.object.status).toEqual({ observedGeneration: -1 });
    },
  );

  test("is a subresource: the object's own endpoint changes none of it, and a status no generation", async () => {
    const object = manifest("Project", "split", "status", least.Project);
    await definitions.objects.create(object);
    await definitions.objects.merge(object, { status: { ref: "abcdefghijklmnopqrst", observedGeneration: 7 } });
    const untouched = await definitions.objects.get(object);
    expect(untouched.object).toMatchObject({ status: { observedGeneration: -1 }, metadata: { generation: 1 } });

    await definitions.objects.merge(object, { status: { observedGeneration: 1 }, spec: { name: "ignored" } }, "status");
    const { object: written } = await definitions.objects.get(object);
    expect(written).toMatchObject({ status: { observedGeneration: 1 }, metadata: { generation: 1 } });
    expect(written.spec).not.toHaveProperty("name");

    await definitions.objects.merge(object, { spec: { name: "renamed" } });
    expect((await definitions.objects.get(object)).object.metadata?.generation).toBe(2);
  });

  test("conditions are one per type", async () => {
    const object = manifest("Project", "conditions", "status", least.Project);
    await definitions.objects.create(object);
    const ready = {
      type: "Ready",
      status: "True",
      reason: "Available",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const answer = await definitions.objects.merge(object, { status: { conditions: [ready, ready] } }, "status");
    expect(answer).toMatchObject({ status: 422, message: expect.stringContaining("Duplicate value") });
  });
});

describe("kubectl", () => {
  const condition = {
    status: "False",
    reason: "Provisioning",
    message: "coming up",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };

  beforeAll(async () => {
    await definitions.namespace("shown");
    for (const [kind, spec] of Object.entries(least)) {
      const object = manifest(kind as KindName, "shown", "shown", spec); // the keys of a record over KindName
      await definitions.objects.create(object);
      await definitions.objects.merge(object, { status: { conditions: [{ type: "Ready", ...condition }] } }, "status");
    }
    const project = manifest("Project", "shown", "shown", least.Project);
    await definitions.objects.merge(project, { status: { ref: "abcdefghijklmnopqrst", state: "COMING_UP" } }, "status");
  });

  test("get baas lists every kind with Ready and reason", async () => {
    const output = succeeded(await definitions.kubectl(["get", "baas", "-n", "shown"]));
    for (const plural of Object.values(plurals)) {
      const kind = plural === "clusterconnections" ? "clusterconnection" : plural.replace(/e?s$/, "");
      expect(output).toMatch(new RegExp(`${kind}(e?s)?\\.baas\\.dev/shown +False +Provisioning `));
    }
  });

  test("get bproj shows ref, state and age", async () => {
    const [header, row] = succeeded(await definitions.kubectl(["get", "bproj", "-n", "shown"])).split("\n");
    expect(header?.trim().split(/ {2,}/)).toEqual(["NAME", "READY", "REASON", "REF", "STATE", "AGE"]);
    expect(row?.trim().split(/ {2,}/)).toMatchObject([
      "shown",
      "False",
      "Provisioning",
      "abcdefghijklmnopqrst",
      "COMING_UP",
      expect.stringMatching(/^\d+[smh]/),
    ]);
  });

  test("get -o wide says what is the matter", async () => {
    expect(succeeded(await definitions.kubectl(["get", "bproj", "-n", "shown", "-o", "wide"]))).toContain("coming up");
  });

  test("get secret stays the core kind; ours is bsec", async () => {
    succeeded(await definitions.kubectl(["create", "secret", "generic", "core", "-n", "shown"]));
    expect(succeeded(await definitions.kubectl(["get", "secret", "-n", "shown", "-o", "name"])).trim()).toBe(
      "secret/core",
    );
    expect(succeeded(await definitions.kubectl(["get", "bsec", "-n", "shown", "-o", "name"])).trim()).toBe(
      "secret.baas.dev/shown",
    );
  });

  test.each(["bconn", "bcconn", "bproj", "bbr", "bfn", "bsec"])("knows the short name %s", async (short) => {
    expect(succeeded(await definitions.kubectl(["get", short, "-n", "shown", "-o", "name"])).trim()).toMatch(
      /\.baas\.dev\/shown$/,
    );
  });

  test.each([
    { field: "spec.projectRef.name=shop", kind: "bfn", found: ["edgefunction.baas.dev/shown"] },
    { field: "spec.projectRef.name=other", kind: "bfn", found: [] },
    { field: "spec.projectRef.name=shop", kind: "bbr", found: ["branch.baas.dev/shown"] },
    { field: "spec.projectRef.name=shop", kind: "bsec", found: ["secret.baas.dev/shown"] },
    { field: "spec.organization=acme", kind: "bproj", found: ["project.baas.dev/shown"] },
    { field: "status.ref=abcdefghijklmnopqrst", kind: "bproj", found: ["project.baas.dev/shown"] },
    { field: "status.ref=tsrqponmlkjihgfedcba", kind: "bproj", found: [] },
  ])("selects $kind by $field: $found", async ({ field, kind, found }) => {
    const output = succeeded(
      await definitions.kubectl(["get", kind, "-n", "shown", "--field-selector", field, "-o", "name"]),
    );
    expect(output.split("\n").filter((line) => line !== "")).toEqual(found);
  });

  test.each([
    { path: "projects.spec.organization", says: ["Slug of the organization", "not its display name"] },
    { path: "projects.spec.region.code", says: ["us-east-1", "sa-east-1"] },
    { path: "projects.spec.deletionPolicy", says: ["Retain leaves it", "Default: Retain.", "ENUM:"] },
    {
      path: "project.spec.auth.providers.github",
      says: [
        "Sign-in with GitHub",
        "clientSecret <Object> Secret of the client that is registered with GitHub",
        "Whether users can sign in with GitHub",
      ],
    },
    { path: "branches.spec.ttl", says: ["How long the branch lives"] },
    { path: "edgefunctions.spec.verifyJwt", says: ["Whether requests need a valid JSON Web Token"] },
    { path: "secrets.spec.from.keys.as", says: ["Name of the environment secret"] },
    { path: "clusterconnections.spec.allowedRefs", says: ["Existing projects that objects may take over"] },
    { path: "projects.status.underway.since", says: ["When it began"] },
    { path: "connections", says: ["Where the Management API is and whose credential is used"] },
  ])("explains $path", async ({ path, says }) => {
    const output = succeeded(
      await definitions.kubectl(["explain", path, "--api-version=baas.dev/v1alpha1"]),
    ).replaceAll(/\s+/g, " ");
    for (const words of says) expect(output).toContain(words);
  });

  test.each(Object.values(plurals))("explains every field of %s", async (plural) => {
    const parts = ["spec", "status"].map((part) => `${plural}.${part}`);
    const outputs = await Promise.all(
      parts.map((part) => definitions.kubectl(["explain", part, "--api-version=baas.dev/v1alpha1"])),
    );
    const text = outputs.map(succeeded).join("\n");
    expect(text.match(/^FIELDS:/gm)).toHaveLength(2);
    expect(text).not.toContain("<no description>");
  });
});
