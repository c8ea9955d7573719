import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { kinds } from "../../src/resources/kinds.ts";
import { annotationsOf } from "../../src/resources/known-annotations.ts";
import type { Manifest as Rendered } from "../chart/render.ts";
import { ofKind, render } from "../chart/render.ts";
import type { Definitions } from "../support/crds/definitions.ts";
import { startWithDefinitions } from "../support/crds/definitions.ts";
import { manifest } from "../support/crds/manifest.ts";
import { validCases } from "../support/crds/valid.ts";
import { succeeded } from "../support/programs/run.ts";
import { eventually } from "../support/stage/eventually.ts";

/** The chart's admission policy on a real kube-apiserver: what kubectl prints when an annotation of ours is applied that does nothing. */

const namespace = "annotated";

let definitions: Definitions;

beforeAll(async () => {
  definitions = await startWithDefinitions();
  await definitions.namespace(namespace);
  const rendered = await render();
  const policies: readonly Rendered[] = [
    ...ofKind(rendered, "ValidatingAdmissionPolicy"),
    ...ofKind(rendered, "ValidatingAdmissionPolicyBinding"),
  ];
  for (const policy of policies) succeeded(await definitions.kubectl(["apply", "-f", "-"], JSON.stringify(policy)));
  // The apiserver enforces a policy once its own watch told it of it.
  await eventually("a warning", async () => (await warned("Project", { "baas.dev/x": "1" })) || undefined);
});

afterAll(() => definitions[Symbol.asyncDispose]());

/** What kubectl says beside what it does. */
async function warned(kind: string, annotations: Readonly<Record<string, string>>): Promise<string> {
  const valid = validCases.find((one) => one.kind === kind);
  if (valid === undefined) throw new Error(`no valid ${kind}`);
  const { metadata, ...object } = manifest(valid.kind, valid.name, namespace, valid.spec);
  const annotated = JSON.stringify({ ...object, metadata: { ...metadata, annotations } });
  const result = await definitions.kubectl(["apply", "--dry-run=server", "-f", "-"], annotated);
  expect(result.code).toBe(0);
  return result.stderr;
}

describe.each(kinds.map(({ type }) => type.kind))("of an annotation on a %s", (kind) => {
  it("that is mistyped, kubectl tells that it does nothing, and which ones do", async () => {
    const words = await warned(kind, { "baas.dev/restrat": "1" });
    expect(words).toContain(
      `baas.dev/restrat does nothing here: objects of kind ${kind} know ${annotationsOf(kind).join(", ")}`,
    );
  });

  it("that is for another kind, kubectl tells the same", async () => {
    const other = annotationsOf(kind === "Branch" ? "Project" : "Branch").find(
      (name) => !annotationsOf(kind).includes(name),
    );
    expect(await warned(kind, { [other ?? ""]: "1" })).toContain(`${other} does nothing here`);
  });

  it("that does something, or is not ours, it says nothing", async () => {
    const names = [...annotationsOf(kind), "example.com/restrat", "kubectl.kubernetes.io/restrat"];
    expect(await warned(kind, Object.fromEntries(names.map((name) => [name, "1"])))).toBe("");
    expect(await warned(kind, {})).toBe("");
  });
});

it("tells who sets it alone: neither who writes something else, as the operator does, nor who takes it away", async () => {
  const target = ["connection", "default", `--namespace=${namespace}`];
  const object = manifest(
    "Connection",
    "default",
    namespace,
    validCases.find(({ kind }) => kind === "Connection")?.spec ?? {},
  );
  succeeded(await definitions.kubectl(["apply", "-f", "-"], JSON.stringify(object)));
  const words = async (...args: readonly string[]): Promise<string> => {
    const result = await definitions.kubectl([...args.slice(0, 1), ...target, "--overwrite", ...args.slice(1)]);
    expect(result.code).toBe(0);
    return result.stderr;
  };
  expect(await words("annotate", "baas.dev/restrat=1")).toContain("baas.dev/restrat does nothing here");
  expect(await words("label", "team=platform")).toBe("");
  expect(await words("annotate", "baas.dev/reconcile-at=now")).toBe("");
  expect(await words("annotate", "baas.dev/restrat=2")).toContain("baas.dev/restrat does nothing here");
  expect(await words("annotate", "baas.dev/restrat-")).toBe("");
});
