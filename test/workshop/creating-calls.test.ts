import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/**
 * Who makes things on the platform (engine.md §4): a call of the client that makes something where it was not goes through create-once. Each is named here with
 * why it may, so that one of a later kind, or a second one of this, has to be judged.
 */

const controllers = fileURLToPath(new URL("../../src/controllers", import.meta.url));

/** By the file, below src/controllers. */
const allowed: Readonly<Record<string, string>> = {
  "branch/create.ts branches.create": "create-once",
  "branch/default-branch.ts branches.create": "create-once",
  "edge-function/apply.ts functions.deploy": "create-once, by claim.ts; where it exists already an update",
  "project/create.ts projects.create": "create-once",
  "project/transfer.ts transfers.create": "a request that is recorded before it is sent and looked for by its record",
  "secret/apply.ts secrets.create": "sets values: the same ones twice are the same",
};

/** `client.projects.create(`, on one line or broken before a dot, as "projects.create". */
const CALL = /\b(?<group>\w+)\s*\??\.\s*(?<verb>create\w*|deploy\w*)\s*\(/gu;
/** Of Kubernetes, of the language, and of create-once itself, which calls what it was given. */
const OTHERS = /^(?:kube|Object|request)\./u;

/** The creating calls in a text, but for comments. */
function creatingCalls(text: string): readonly string[] {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gmu, "");
  const found = [...code.matchAll(CALL)].map(({ groups }) => `${groups?.["group"]}.${groups?.["verb"]}`);
  return [...new Set(found)].filter((call) => !OTHERS.test(call));
}

it("nothing is made on the platform but by the calls that are named here", () => {
  const files = globSync(join(controllers, "**/*.ts")).filter((path) => !path.endsWith(".test.ts"));
  const calls = files.flatMap((path) =>
    creatingCalls(readFileSync(path, "utf8")).map((call) => `${relative(controllers, path)} ${call}`),
  );
  expect(calls.toSorted()).toEqual(Object.keys(allowed).toSorted());
});

it.each(["branch/create.ts", "branch/default-branch.ts", "edge-function/claim.ts", "project/create.ts"])(
  "%s goes through create-once",
  (path) => {
    expect(readFileSync(join(controllers, path), "utf8")).toMatch(/\bcreateOnce(?:<[^>]*>)?\(/u);
  },
);

it.each([
  ["client.widgets.create({ ref, body }, run.call)", ["widgets.create"]],
  ["session.client.widgets\n  .createMany(input)", ["widgets.createMany"]],
  ["const { functions } = client; functions.deploy(input);", ["functions.deploy"]],
  ["environment.kube.create(type, draft)", []],
  ["// client.widgets.create(x)\n/** widgets.create() */", []],
])("finds the calls of a text: %s", (text, calls) => {
  expect(creatingCalls(text)).toEqual(calls);
});
