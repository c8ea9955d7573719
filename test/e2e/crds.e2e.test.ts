import { readdir } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { badCases, unknownCases } from "../support/crds/bad-input.ts";
import type { Definitions } from "../support/crds/definitions.ts";
import { parsers, startWithDefinitions } from "../support/crds/definitions.ts";
import { readingOf } from "../support/crds/refusal.ts";
import { manifest, stream } from "../support/crds/manifest.ts";
import type { Manifest } from "../support/crds/manifest.ts";
import { validCases } from "../support/crds/valid.ts";
import type { RunResult } from "../support/programs/run.ts";
import { succeeded } from "../support/programs/run.ts";

/** The definitions in crds/ against a real kube-apiserver: it takes them, accepts what it should, and refuses what it should. */

let definitions: Definitions;

beforeAll(async () => {
  definitions = await startWithDefinitions();
});

afterAll(() => definitions[Symbol.asyncDispose]());

describe("the apiserver takes the definitions", () => {
  test("all of them, by client-side apply, without a warning about schema or cost", () => {
    expect(definitions.installed.code).toBe(0);
    expect(definitions.installed.stderr).toBe("");
  });

  test("and finds nothing wrong with their names or schemas", async () => {
    const list = z.object({
      items: z.array(
        z.object({
          metadata: z.object({ name: z.string() }),
          status: z.object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })) }),
        }),
      ),
    });
    const { items } = list.parse(JSON.parse(succeeded(await definitions.kubectl(["get", "crd", "-o", "json"]))));
    expect(items).toHaveLength((await readdir("crds")).length);
    const conditions = items.map(({ status }) =>
      Object.fromEntries(status.conditions.map(({ type, status: is }) => [type, is])),
    );
    expect(conditions).toEqual(items.map(() => ({ NamesAccepted: "True", Established: "True" })));
  });

  test("and applying them again changes nothing", async () => {
    const again = succeeded(await definitions.kubectl(["apply", "-f", "crds/"]));
    expect(
      again
        .trim()
        .split("\n")
        .filter((line) => !line.endsWith(" unchanged")),
    ).toEqual([]);
  });
});

describe("good input", () => {
  beforeAll(() => definitions.namespace("good"));

  test.each(validCases)("$kind $name is accepted, and read by the operator: $why", async ({ kind, name, spec }) => {
    const answer = await definitions.objects.create(manifest(kind, name, "good", spec));
    expect(answer).toMatchObject({ status: 201, warnings: [], message: "" });
    const result = parsers[kind].parse(answer.object);
    expect(result.ok ? "" : result.message).toBe("");
    // What the apiserver fills in is what the operator would have filled in.
    expect(result.ok && JSON.parse(JSON.stringify(result.object.spec))).toMatchObject(answer.object.spec ?? {});
  });
});

/** Whether an object is on the server. */
async function exists(object: Manifest): Promise<boolean> {
  return (await definitions.objects.get(object)).status === 200;
}

describe("bad input", () => {
  const bad = badCases.map((item) => ({ ...item, object: manifest(item.kind, item.name, "bad", item.spec) }));
  const said = new Map<string, readonly [RunResult, RunResult]>();

  beforeAll(async () => {
    await definitions.namespace("bad");
    for (const kind of new Set(bad.map((item) => item.kind))) {
      const text = stream(bad.filter((item) => item.kind === kind).map(({ object }) => object));
      const apply = definitions.kubectl(["apply", "-f", "-"], text);
      const serverSide = definitions.kubectl(["apply", "--server-side", "-f", "-"], text);
      said.set(kind, await Promise.all([apply, serverSide]));
    }
  });

  /** What kubectl said of one object of its kind: the line that names it. */
  function lines(kind: string, name: string): readonly string[] {
    const names = [`"${name}" is invalid`, `/${name}; baas.dev`];
    return (said.get(kind) ?? []).map(
      ({ stderr }) => stderr.split("\n").find((line) => names.some((words) => line.includes(words))) ?? "nothing",
    );
  }

  test.each(bad)(
    "$kind $name is refused by every way to apply it: $why",
    async ({ kind, name, says, serverSide, object }) => {
      const answer = await definitions.objects.create(object);
      expect(answer).toMatchObject({ status: 422, message: expect.stringContaining(says) });
      const expected = [says, serverSide ?? says].map((words): unknown => expect.stringContaining(words));
      expect(lines(kind, name)).toEqual(expected);
      expect(await exists(object)).toBe(false);
    },
  );

  test.each(bad.filter(({ inProcess }) => inProcess))(
    "$kind $name gets the same words from the operator's own reading",
    ({ object, says }) => {
      expect(readingOf(object)).toContain(says);
    },
  );

  test.each(bad.filter(({ inProcess }) => !inProcess))(
    "$kind $name would not pass the operator's own reading either, unless it may have been stored before",
    ({ object, isStored = false }) => {
      expect(readingOf(object) === "").toBe(isStored);
    },
  );
});

describe("a field that no kind has", () => {
  beforeAll(() => definitions.namespace("unknown"));

  test.each(unknownCases)(
    "$field ($why): refused by kubectl, left out with a warning by a plain POST",
    async ({ kind, name, spec, field }) => {
      const object = manifest(kind, name, "unknown", spec);
      const text = stream([object]);
      const applied = await definitions.kubectl(["apply", "-f", "-"], text);
      expect(applied).toMatchObject({ code: 1, stderr: expect.stringContaining(`unknown field "${field}"`) });
      const serverSide = await definitions.kubectl(["apply", "--server-side", "-f", "-"], text);
      expect(serverSide).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`${field}: field not declared in schema`),
      });
      expect(await exists(object)).toBe(false);

      const posted = await definitions.objects.create(object);
      expect(posted).toMatchObject({
        status: 201,
        warnings: [expect.stringContaining(`unknown field \\"${field}\\"`)],
      });
      expect(JSON.stringify((await definitions.objects.get(object)).object)).not.toContain("hunter2");
    },
  );
});
