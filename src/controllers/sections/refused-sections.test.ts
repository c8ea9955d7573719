import { describe, expect, it } from "vitest";
import { branchKind } from "../../resources/branch/kind.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { authSettings } from "../../resources/settings/auth/auth.ts";
import { sectionAt } from "../../resources/settings/settings.ts";
import { declaredSettings, declaring } from "../../../test/support/sections/declared.ts";
import { postgresSettings } from "../../resources/settings/postgres-settings.ts";
import { realtimeSettings } from "../../resources/settings/realtime.ts";
import { storageSettings } from "../../resources/settings/storage.ts";
import { sections } from "./sections.ts";

/** What is wrong of a section is that section's alone: the rest of the spec is read (read-spec.ts). */

const metadata = { name: "shop", namespace: "ns", uid: "u-1", resourceVersion: "7", generation: 2 };

function readProject(spec: object): ReturnType<typeof projectKind.parse> {
  return projectKind.parse({
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata,
    spec: { organization: "acme", ...spec },
  });
}

const names = sections.map(({ name }) => name).filter((name) => name !== "instanceSize");

describe("what is wrong", () => {
  it.each(names)("of %s belongs to it, and is left out alone", (name) => {
    expect(sectionAt(name.split("."))).toBe(name);
    // Of a type that no member has.
    const read = readProject({ ...declaring([[name, [[1]]]]), deletionPolicy: "Delete", ref: "abcdefghijklmnopqrst" });
    expect(read).toMatchObject({
      ok: true,
      object: { spec: { deletionPolicy: "Delete", ref: "abcdefghijklmnopqrst" } },
    });
    expect(read.ok ? [...(read.object.refused?.keys() ?? [])] : []).toEqual([name]);
  });

  it("of a size that a project is made with is wrong of the whole project", () => {
    expect(readProject({ instanceSize: "huge" })).toMatchObject({ ok: false });
  });

  it("beside what belongs to no section is told with it", () => {
    const read = readProject({ storage: { fileSizeLimit: "1Ti" }, templateUrl: "none", database: { version: 3 } });
    const paths = read.ok ? [] : read.issues.map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["spec.database.version", "spec.storage.fileSizeLimit", "spec.templateUrl"]);
  });

  it("of how settings are written is wrong of the settings, and nothing is written another way", () => {
    const read = readProject({
      database: { settings: { workMem: "64MB" }, settingsMode: "Overwrite", ssl: { enforced: true } },
    });
    expect(read.ok && read.object.spec.database).toEqual({ ssl: { enforced: true } });
    expect(read.ok && [...(read.object.refused?.keys() ?? [])]).toEqual(["database.settings"]);
    const alone = readProject({ database: { settingsMode: "Replace", jitAccess: "Enabled" } });
    expect(alone.ok && alone.object.spec.database).toEqual({ jitAccess: "Enabled" });
  });

  it("of two sections together is wrong of the one that the rule names", () => {
    const read = readProject({ addons: { pitr: "7d" }, instanceSize: "micro", storage: {} });
    expect(read.ok && [...(read.object.refused?.keys() ?? [])]).toEqual(["addons.pitr"]);
    expect(read.ok && read.object.spec).toMatchObject({ instanceSize: "micro", storage: {} });
  });

  it("of a Branch is so, too", () => {
    const spec = { projectRef: { name: "shop" }, realtime: { maxPayloadSize: "50Ki" }, deletionPolicy: "Delete" };
    const read = branchKind.parse({ apiVersion: "baas.dev/v1alpha1", kind: "Branch", metadata, spec });
    expect(read).toMatchObject({ ok: true, object: { spec: { deletionPolicy: "Delete" } } });
    expect(read.ok && [...(read.object.refused?.keys() ?? [])]).toEqual(["realtime"]);
  });
});

const SETTINGS = [
  ["auth", authSettings],
  ["database.settings", postgresSettings],
  ["realtime", realtimeSettings],
  ["storage", storageSettings],
] as const;

describe.each(SETTINGS)("a setting of %s", (section, schema) => {
  it.each(declaredSettings(schema))("is named where its value is none: $path", ({ path, schema: member }) => {
    const wrong = [2 ** 40, 2 ** 60, "~", "x".repeat(20_000), [[1]]].filter(
      (value) => !member.safeParse(value).success,
    );
    expect(wrong).not.toEqual([]);
    for (const value of wrong) {
      const read = readProject(declaring([[`${section}.${path}`, value]]));
      expect(read.ok && [...(read.object.refused?.keys() ?? [])]).toEqual([section]);
      const found = read.ok ? (read.object.refused?.get(section) ?? []) : [];
      const named = found.filter((issue) => issue.path.startsWith(`spec.${section}.${path}`) && issue.message !== "");
      expect(named).not.toEqual([]);
    }
  });
});
