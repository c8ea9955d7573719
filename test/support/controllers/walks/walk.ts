import fc from "fast-check";
import { expect } from "vitest";
import type { ApiClient } from "../../../../src/api/client.ts";
import { findCondition } from "../../../../src/controllers/shared/conditions.ts";
import type { AnyKind } from "../../../../src/resources/kind.ts";
import type { KubeObject } from "../../../../src/resources/meta.ts";
import type { ArtifactServer } from "../../artifacts/server.ts";
import { awaitsProject, type Life, NAMESPACE, type Theatre } from "../life.ts";

/**
 * test/support/controllers/walks: objects of each kind under whatever specs and whatever hands on the platform, and what must be true each time
 * they have come to rest (engine.md §6). This file: the walk and its laws; beside it, what each kind declares, suffers and shows.
 */

/** What a look at the platform tells of one object. */
export interface Seen {
  /** fields that a plan would write now */
  readonly planned: readonly string[];
  /** the remote fields that a spec may declare, by whatever names */
  readonly fields: Readonly<Record<string, unknown>>;
  /** something declared is to be done once the project runs */
  readonly waits?: boolean;
}

/** The place of a walk, and its object. */
export interface Walker {
  readonly theatre: Theatre;
  readonly life: Life;
  /** a person's, with the same account */
  readonly client: ApiClient;
  /** where artifacts are published */
  readonly artifacts: ArtifactServer;
  readonly name: string;
  /** ref of the project `shop` */
  readonly parentRef: string;
  /** ref of the remote project or branch that the object has, or is in */
  readonly ref: () => string;
}

/** One kind on a walk. */
export interface Walked<Spec, Hand> {
  readonly kind: AnyKind & { readonly parse: (object: unknown) => { readonly ok: boolean } };
  readonly specs: fc.Arbitrary<Spec>;
  /** what somebody does on the platform, or to what the spec refers to */
  readonly hands: fc.Arbitrary<Hand>;
  /** puts there what the spec refers to; default: it refers to nothing that it could change */
  readonly supply?: (walker: Walker, spec: Spec) => Promise<void>;
  /** the manifest's spec */
  readonly manifest: (spec: Spec, name: string) => object;
  readonly act: (walker: Walker, hand: Hand) => Promise<void>;
  readonly look: (walker: Walker, spec: Spec, object: KubeObject) => Promise<Seen>;
  /** what the remote fields must be at rest, where they were `before` when the object was looked at */
  readonly expected: (spec: Spec, before: Seen["fields"]) => Seen["fields"];
}

type Step<Spec, Hand> = { readonly declare: Spec } | { readonly hand: Hand };

/** A first spec, and what happens then. */
export interface Walk<Spec, Hand> {
  readonly first: Spec;
  readonly steps: readonly Step<Spec, Hand>[];
}

export function walks<Spec, Hand>({ specs, hands }: Walked<Spec, Hand>, most: number): fc.Arbitrary<Walk<Spec, Hand>> {
  const step = fc.oneof(
    specs.map((declare): Step<Spec, Hand> => ({ declare })),
    hands.map((hand): Step<Spec, Hand> => ({ hand })),
  );
  return fc.record({ first: specs, steps: fc.array(step, { minLength: 1, maxLength: most }) });
}

/** Longer than budgets, shared lists and drift intervals last, milliseconds. */
const LATER_MS = 600_001;

/** Puts the object there, lets it come to rest after each step, and looks whether the laws hold. */
export async function walk<Spec extends object, Hand>(
  walked: Walked<Spec, Hand>,
  walker: Walker,
  { first, steps }: Walk<Spec, Hand>,
): Promise<void> {
  let spec = first;
  await declare(walked, walker, spec);
  await rest(walked, walker);
  for (const step of steps) {
    await walker.theatre.pass(LATER_MS);
    if ("hand" in step) await walked.act(walker, step.hand);
    else await declare(walked, walker, (spec = step.declare));
    const before = await walked.look(walker, spec, objectOf(walked, walker));
    await rest(walked, walker);
    await requireLaws(walked, walker, { spec, before });
  }
}

async function declare<Spec, Hand>(
  { kind, manifest, supply }: Walked<Spec, Hand>,
  walker: Walker,
  spec: Spec,
): Promise<void> {
  const { theatre, name } = walker;
  await supply?.(walker, spec);
  const metadata = { name, namespace: NAMESPACE };
  const apiVersion = `${kind.type.group}/${kind.type.version}`;
  const object = { apiVersion, kind: kind.type.kind, metadata, spec: manifest(spec, name) };
  const read = kind.parse({ ...object, metadata: { ...metadata, uid: "uid", resourceVersion: "1" } });
  expect(read, `the generated spec is one that the apiserver takes: ${JSON.stringify(object.spec)}`).toMatchObject({
    ok: true,
  });
  theatre.kubernetes.put(kind.type.plural, object);
}

function objectOf<Spec, Hand>({ kind }: Walked<Spec, Hand>, { theatre, name }: Walker): KubeObject {
  const object = theatre.kubernetes.get(kind.type.plural, NAMESPACE, name);
  if (object === undefined) throw new Error(`there is no ${kind.type.kind} ${name}`);
  return object;
}

async function rest<Spec, Hand>({ kind }: Walked<Spec, Hand>, { life, name }: Walker): Promise<void> {
  const outcome = await life.settle(kind.type.kind, name);
  const isAtRest = outcome.kind === "done" || awaitsProject(outcome);
  expect(isAtRest, `at rest: ${JSON.stringify(outcome)}`).toBe(true);
}

async function requireLaws<Spec, Hand>(
  walked: Walked<Spec, Hand>,
  walker: Walker,
  { spec, before }: { readonly spec: Spec; readonly before: Seen },
): Promise<void> {
  const { theatre, life, name } = walker;
  const object = objectOf(walked, walker);
  const seen = await walked.look(walker, spec, object);
  expect(seen.planned, "what was applied, observed again, asks for nothing").toEqual([]);
  expect(seen.fields, "declared fields are as declared, others as they were").toEqual(
    walked.expected(spec, before.fields),
  );
  const { conditions = [] } = (object["status"] ?? {}) as { conditions?: Parameters<typeof findCondition>[0] };
  expect(findCondition(conditions, "Ready")).toMatchObject({
    status: seen.waits === true ? "Unknown" : "True",
    observedGeneration: object.metadata.generation,
  });
  const { last } = await theatre.emulator.control.log.read({});
  await theatre.pass(LATER_MS);
  expect(await life.run(walked.kind.type.kind, name, "drift")).toMatchObject({
    kind: seen.waits === true ? "waiting" : "done",
  });
  const { entries } = await theatre.emulator.control.log.read({ after: last });
  expect(
    entries.filter(({ method }) => method !== "GET"),
    "a drift check writes nothing remotely",
  ).toEqual([]);
  expect(objectOf(walked, walker).metadata.resourceVersion, "nor to the object").toBe(object.metadata.resourceVersion);
}
