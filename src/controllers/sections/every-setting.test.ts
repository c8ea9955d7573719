import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { leavesOf } from "../../../test/support/sections/leaves.ts";
import { branchLevers, levers } from "../../../test/support/sections/levers.ts";
import { settingRequests } from "../../../test/support/sections/setting-levers.ts";
import { authConfigRows } from "../../api/contract/auth-config-fields.ts";
import { operations } from "../../api/contract/contract.ts";
import { authSettings } from "../../resources/settings/auth/auth.ts";
import { settingsOf } from "../../resources/settings/setting.ts";
import { projectSettingsFields } from "../../resources/settings/settings.ts";
import { sections } from "./sections.ts";

/** That every-setting.loopback.test.ts plays everything that a project can be configured to be, and that a request takes whatever a spec may say. */

/** What has no step of its own here, and why. */
const APART: Readonly<Record<string, string>> = {
  "dataApi.enabled": "another word for schemas: data-api.loopback.test.ts",
  "database.settingsMode": "says how other settings are written: database-settings.loopback.test.ts",
  "database.settingsRestart": "says when the database is restarted: database-settings.loopback.test.ts",
  "database.networkRestrictions.showBans":
    "shows what is read, and writes nothing: network-restrictions.loopback.test.ts",
  "database.webhooksEnabled": "nothing tells whether they are there, so that nothing is seen or repaired",
  "disk.sizeGb": "no disk shrinks, and a larger one is no drift",
  encryptionRootKey: "compared, and written only as an annotation asks: encryption-root-key.loopback.test.ts",
};

/** Dotted paths of everything that a schema's members can be declared as; a setting is one, whatever its value is made of. */
function pathsOf(shape: Readonly<Record<string, unknown>>, prefix = ""): readonly string[] {
  const settings = new Set(settingsOf(z.object(shape as z.ZodRawShape)).map(({ path }) => path)); // of zod's own shapes
  return Object.entries(shape).flatMap(([name, member]) => {
    const inner: unknown = member instanceof z.ZodOptional ? member.unwrap() : member;
    const below = inner instanceof z.ZodObject && !settings.has(name);
    return below ? pathsOf(inner.shape, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}

/** What requests of sections can carry and no setting moves, and why. */
const UNMOVED: Readonly<Record<string, string>> = {
  "disk.update attributes.size_gb": "disk.sizeGb, below",
  "networkRestrictions.update remove.dbAllowedCidrs": "Additive adds alone, and Exclusive replaces the lists",
  "networkRestrictions.update remove.dbAllowedCidrsV6": "as dbAllowedCidrs",
  "postgresConfig.replace restart_database": "database.settingsRestart",
};

const isAuth = (path: string): boolean => path.startsWith("auth.");
const sorted = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted();

describe("a step for each", () => {
  it("section of a Branch, which takes all but those of a project alone", () => {
    const ofBranches = new Set(branchLevers.map(({ section }) => section));
    expect([...new Set(levers.map(({ section }) => section)).difference(ofBranches)]).toEqual(["branching"]);
  });

  it("member of the spec's sections, those of the closed list aside", () => {
    const all = [...pathsOf(projectSettingsFields), "instanceSize"].filter((path) => !isAuth(path));
    expect(sorted([...levers.map(({ path }) => path), ...Object.keys(APART)])).toEqual(all.toSorted());
  });

  it("field of every request of a section, those of the closed list aside", () => {
    const used = new Set(sections.flatMap((section) => section.operations));
    const all = operations
      .filter(({ id }) => used.has(id) && !id.startsWith("authConfig."))
      .flatMap(({ id, body }) =>
        body?.encoding === "json" ? leavesOf(body.schema).map((leaf) => `${id} ${leaf}`) : [],
      );
    expect(sorted([...levers.flatMap(({ moves }) => moves), ...Object.keys(UNMOVED)])).toEqual(sorted(all));
  });

  it("call that a step costs, of an operation that its section declares", () => {
    const declared = new Map(sections.map(({ name, operations: ids }) => [name, new Set(ids)]));
    const others = levers.flatMap(({ path, section, costs }) =>
      [...costs.set, ...costs.look, ...costs.repair].flatMap((id) =>
        declared.get(section)?.has(id) === true ? [] : [`${path} ${id}`],
      ),
    );
    expect(others).toEqual([]);
  });

  it("setting of auth is a field of the contract, each of which is proven in its own test", () => {
    const fields = new Set<string>(authConfigRows.map(([wire]) => wire));
    const settings = settingsOf(authSettings);
    expect(settings.length).toBeGreaterThan(200);
    expect(settings.filter(({ wire }) => !fields.has(wire))).toEqual([]);
  });
});

describe.each(settingRequests)("whatever spec.$at is declared as", (setting) => {
  it("is taken by the request that carries it", () => {
    fc.assert(
      fc.property(setting.values, (declared) => {
        expect(setting.request(declared).error).toBeUndefined();
      }),
      { numRuns: 50 },
    );
  });
});
