import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { annotations, parseOwnership } from "../../resources/annotations.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import { edgeFunctionKind } from "../../resources/edge-function/kind.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { secretKind } from "../../resources/secret/kind.ts";
import { apiVersionOf, type ResourceType } from "../../resources/meta.ts";

/** engine.md §4: after a creation the identity stands as annotation and in status. Not at the next look: at once, wherever a life ended before. */

let theatre: Theatre;

const timings = { creatingBranchMs: 0, runningMigrationsMs: 0, bundleMs: 0 };

beforeEach(async () => {
  theatre = await openTheatre({ timings });
});

afterEach(async () => {
  await theatre[Symbol.asyncDispose]();
});

const inShop = { projectRef: { name: "shop" } };
const source = { inline: { files: { "index.ts": "Deno.serve(() => new Response());" } } };
const kinds = [
  { type: projectKind.type, name: "shop", spec: { organization: "acme" } },
  { type: branchKind.type, name: "preview", spec: inShop },
  { type: edgeFunctionKind.type, name: "hello", spec: { ...inShop, source } },
  { type: secretKind.type, name: "env", spec: { ...inShop, from: [{ secretRef: { name: "values" } }] } },
] as const;

function put({ type, name, spec }: { type: ResourceType; name: string; spec: object }): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(type.plural, { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec });
}

/** A life with everything that the kind needs, and none of the kind. */
async function founded(type: (typeof kinds)[number]["type"]): Promise<Life> {
  theatre.kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "values", namespace: NAMESPACE },
    data: { A: Buffer.from("1").toString("base64") },
  });
  const life = await theatre.life();
  if (type === projectKind.type) return life;
  put(kinds[0]);
  await life.settle("Project", "shop");
  return life;
}

async function anotherTheatre(): Promise<void> {
  await theatre[Symbol.asyncDispose]();
  theatre = await openTheatre({ timings });
}

/** The ref that the annotation of an object records for it. */
function notedRef(plural: string, name: string): string | undefined {
  const { metadata } = theatre.kubernetes.get(plural, NAMESPACE, name) ?? {};
  const noted = parseOwnership(metadata?.annotations?.[annotations.ref] ?? "");
  return noted?.object === `${NAMESPACE}/${name}` ? noted.ref : undefined;
}

describe("the identity of what was created", () => {
  it.each(kinds)(
    "stands as annotation once a $type.kind is settled, whatever request its first life ended at",
    async (of) => {
      const { type, name } = of;
      let whole = Infinity;
      for (let survived = 1; survived < whole; survived += 1) {
        await founded(type);
        put(of);
        const first = await theatre.life(survived);
        await first.settle(type.kind, name);
        if (!first.dead) whole = survived;
        const last = await theatre.life();
        expect(await last.settle(type.kind, name)).toMatchObject({ kind: "done" });
        expect(notedRef(type.plural, name), `died after ${survived} requests`).toMatch(/^[a-z]{20}$/u);
        await anotherTheatre();
      }
      expect(whole).toBeGreaterThan(4);
    },
  );

  it.each([
    { of: { type: projectKind.type, name: "shop", spec: { organization: "acme" } } },
    { of: { type: branchKind.type, name: "preview", spec: { ...inShop, persistent: true } } },
  ])(
    "is that of the new $of.type.kind, once one that was gone was made anew as people asked, whatever request its life ended at",
    async ({ of }) => {
      const { type, name } = of;
      let whole = Infinity;
      for (let survived = 1; survived < whole; survived += 1) {
        const before = await founded(branchKind.type);
        put(of);
        await before.settle(type.kind, name);
        const gone = notedRef(type.plural, name) ?? "";
        await theatre.emulator.control.projects.remove({ ref: gone });
        const object = theatre.kubernetes.get(type.plural, NAMESPACE, name);
        if (object === undefined) throw new Error("it is not there");
        const { metadata } = object;
        const asked = { ...metadata.annotations, [annotations.recreate]: gone };
        theatre.kubernetes.put(type.plural, { ...object, metadata: { ...metadata, annotations: asked } });
        await theatre.pass(600_001);
        const life = await theatre.life(survived);
        await life.settle(type.kind, name);
        if (!life.dead) whole = survived;
        const last = await theatre.life();
        expect(await last.settle(type.kind, name), `died after ${survived} requests`).toMatchObject({ kind: "done" });
        const { projects, branches } = await theatre.emulator.control.state.read({});
        const made =
          type === projectKind.type
            ? projects.map(({ ref }) => ref)
            : branches.filter(({ isDefault }) => !isDefault).map(({ projectRef }) => projectRef);
        expect(made, `died after ${survived} requests`).toEqual([notedRef(type.plural, name)]);
        expect(made).not.toEqual([gone]);
        await anotherTheatre();
      }
      expect(whole).toBeGreaterThan(4);
    },
  );
});
