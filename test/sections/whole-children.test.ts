import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { edgeFunctionSpec } from "../../src/resources/edge-function/spec.ts";
import { secretSpec } from "../../src/resources/secret/spec.ts";
import { NAMESPACE } from "../support/controllers/life.ts";
import { VALUES } from "../support/sections/declared.ts";
import { NOTHING_UNDRAWN, undrawn } from "../support/sections/undrawn.ts";
import { openSectionStage } from "../support/sections/stage.ts";
import { NOT_DRAWN_OF_CHILDREN, validFunctions, validSecrets } from "../support/sections/valid-children.ts";
import { writing } from "../support/sections/writing.ts";
import { seedFrom } from "../support/seed.ts";

/**
 * Whole EdgeFunctions and Secrets that chance declares, of whatever the schema of the kind accepts, but for what is not drawn (NOT_DRAWN_OF_CHILDREN): each
 * converges, and is then left alone. `SPEC_SEED=<seed of a failure>` declares those again, `SPECS=200` more of them.
 */

const seed = seedFrom("SPEC_SEED");
const COUNT = Number(process.env["SPECS"] ?? 12);

const KINDS = [
  { kind: "EdgeFunction", plural: "edgefunctions", schema: edgeFunctionSpec, valid: validFunctions },
  { kind: "Secret", plural: "secrets", schema: secretSpec, valid: validSecrets },
] as const;

const pairs = KINDS.flatMap(({ kind, plural, valid }) =>
  fc
    .sample(fc.tuple(valid, valid), { numRuns: COUNT, seed })
    .map(([spec, next], index) => ({ kind, plural, index, spec, next })),
);

it.each(KINDS)("declares whatever the schema of a $kind has", ({ kind, schema, valid }) => {
  expect(undrawn({ schema, notDrawn: NOT_DRAWN_OF_CHILDREN[kind], valid })).toEqual(NOTHING_UNDRAWN);
});

describe(`SPEC_SEED=${seed}`, () => {
  it.each(pairs)(
    "$kind $index converges and then plans nothing, and so does an edit of it",
    async ({ kind, plural, spec, next }) => {
      await using stage = await openSectionStage();
      stage.putSecret(VALUES, { ALPHA: "a", BETA: "b", GAMMA: "c" });
      stage.putConfigMap(VALUES, { main: "// main", "index.ts": "// index", "deno.json": "{}" });
      const slug = "slug" in spec ? { slug: spec["slug"] } : {};
      const edited = Object.fromEntries(Object.entries(next).filter(([name]) => name !== "slug"));
      for (const declared of [spec, { ...edited, ...slug }]) {
        const metadata = { name: "child", namespace: NAMESPACE };
        stage.theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec: declared });
        const outcome = await stage.life.settle(kind, "child");
        expect({ outcome, declared }).toEqual({ outcome: expect.objectContaining({ kind: "done" }), declared });
        for (let look = 0; look < 2; look += 1) {
          await stage.theatre.pass(60_001);
          await stage.calls();
          expect(await stage.life.run(kind, "child", "drift")).toMatchObject({ kind: "done" });
          expect((await stage.calls()).filter((id) => writing.has(id))).toEqual([]);
        }
      }
    },
  );
});
