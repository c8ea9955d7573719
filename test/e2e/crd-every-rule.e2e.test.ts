import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Broken, brokenSpecs } from "../support/crds/broken.ts";
import { isReadAsStored, refusal } from "../support/crds/refusal.ts";
import { type Definitions, startWithDefinitions } from "../support/crds/definitions.ts";
import { type KindName, least, manifest } from "../support/crds/manifest.ts";

/**
 * Every constraint of every definition, broken once: the apiserver refuses the object as it is applied, and names the field, and so does the operator's
 * own reading. What there is to be broken comes from the definitions, so that a field of tomorrow is tried without another line.
 */

let definitions: Definitions;

beforeAll(async () => {
  definitions = await startWithDefinitions();
});

afterAll(() => definitions[Symbol.asyncDispose]());

/** Requests at the same time. */
const WIDTH = 16;

/** What the operator takes all the same, though it is not among what is read as it was stored, or refuses without the field. */
function wronglyRead(kind: KindName, all: readonly Broken[]): readonly object[] {
  const isOfForm = ({ constraint }: Broken): boolean => /^(?:pattern|rule) /u.test(constraint);
  const read = all.filter((one) => !(isReadAsStored(one.path) && isOfForm(one)));
  const wrong = read.filter(({ path, spec }) => !refusal(kind, spec).includes(path.replaceAll("[0]", ".0")));
  return wrong.map(({ path, constraint }) => ({ path, constraint }));
}

/** What the apiserver did not refuse, or not with the field. */
async function wronglyTaken(kind: KindName, all: readonly Broken[]): Promise<readonly object[]> {
  const wrong: object[] = [];
  const left = all.values();
  const work = async (): Promise<void> => {
    for (const { path, constraint, spec, says } of left) {
      const { status, message } = await definitions.objects.tryCreate(manifest(kind, "candidate", "default", spec));
      if (status !== 422 || !message.includes(path) || !message.includes(says)) {
        wrong.push({ path, constraint, says, status, message });
      }
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, work));
  return wrong;
}

const kinds = Object.keys(least) as readonly KindName[]; // the keys of a record over KindName

describe.each(kinds)("a %s", (kind) => {
  test("is refused with the field named, whatever is wrong with it", async () => {
    const all = brokenSpecs(kind);
    expect(all.length).toBeGreaterThan(50);
    expect(await wronglyTaken(kind, all)).toEqual([]);
    expect(wronglyRead(kind, all)).toEqual([]);
  });
});
