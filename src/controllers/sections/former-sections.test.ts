import { describe, expect, it } from "vitest";
import { projectKind } from "../../resources/project/kind.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { entriesNow } from "./former-sections.ts";
import { digestOf } from "./memory.ts";
import { sectionsOf } from "./refused-sections.ts";
import { sections } from "./sections.ts";

/** Something in every section. Never changed: what follows was recorded of it. */
const SPEC = {
  organization: "acme",
  addons: { ipv4: true, customDomain: true, pitr: "Days7" },
  branching: "Enabled",
  legacyApiKeysEnabled: false,
  auth: { passwords: { minLength: 12 } },
  database: {
    settings: { maxConnections: 120 },
    pooler: { poolMode: "Session" },
    ssl: { enforced: true },
    networkRestrictions: { allowedCidrs: ["203.0.113.0/24"] },
    backups: { scheduleFor: "03:00:00" },
    webhooksEnabled: true,
    jitAccess: "Enabled",
  },
  dataApi: { maxRows: 77 },
  realtime: { maxConcurrentUsers: 77 },
  storage: { fileSizeLimit: "10Mi" },
  disk: { sizeGb: 20 },
  customHostname: { hostname: "api.example.com" },
  vanitySubdomain: { absent: true }, // beside a hostname there is no name
  encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } },
  instanceSize: "medium",
};

const OTHERS = {
  branching: "847ced6ca02b7849",
  legacyApiKeysEnabled: "fcbcf165908dd18a",
  auth: "6a330b0970f61891",
  "database.pooler": "539547d30f424a49",
  dataApi: "0fefcbe0fdfee900",
  realtime: "2ea4a27eb958c424",
  storage: "6b51ede3187a087c",
  disk: "812b70ed19a5086c",
  customHostname: "b9d8ad598c2a3ffd",
  vanitySubdomain: "4173fe75856a5108",
  "database.jitAccess": "847ced6ca02b7849",
  "database.webhooksEnabled": "b5bea41b6c623f7c",
  "database.backups": "cd32c727b9549a42",
  "database.networkRestrictions": "33bf5b2a4c42fa6f",
  encryptionRootKey: "0e6ff9f35b06ca86",
  "database.settings": "f5c9bc55d3e07527",
  "database.ssl": "6902228f2036d83e",
  instanceSize: "60d4c90eee5e731d",
};

/**
 * The names of sections and the digests that versions of this program recorded once SPEC was in force. Cases are added and never changed: a section that is
 * renamed or divided says what it was (`formerly`), or an upgrade takes for an edit what the drift policy leaves; a digest that would be another one is the
 * same mistake.
 */
const RECORDED = [
  { cut: "with one section of all add-ons", applied: { ...OTHERS, addons: "92f6f8a487025206" } },
  {
    cut: "with a section for each add-on",
    applied: {
      ...OTHERS,
      "addons.pitr": "154cafdb22624960",
      "addons.ipv4": "b5bea41b6c623f7c",
      "addons.customDomain": "b5bea41b6c623f7c",
    },
  },
];

function read(given: object): Extract<ReturnType<typeof projectKind.parse>, { readonly ok: true }>["object"] {
  const parsed = projectKind.parse({
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: "test", uid: "1", resourceVersion: "1" },
    spec: given,
  });
  if (!parsed.ok) throw new TypeError(parsed.message);
  return parsed.object;
}

const { spec } = read(SPEC);

function entriesOf(applied: Readonly<Record<string, string>>): readonly SectionEntry[] {
  return Object.entries(applied).map(([name, digest]): SectionEntry => ({ name, state: "InSync", applied: digest }));
}

describe("what an older version left in force", () => {
  it("is known of every section", () => {
    expect(sections.filter((section) => section.declared(spec) === undefined)).toEqual([]);
  });

  it.each(RECORDED)("$cut is in force, and nothing else is told of", ({ applied }) => {
    const entries = entriesNow(entriesOf(applied), sections, spec);
    expect(Object.fromEntries(entries.map((entry) => [entry.name, entry.applied]))).toEqual(
      Object.fromEntries(sections.map((section) => [section.name, digestOf(section.declared(spec))])),
    );
  });

  it("is in force still beside what was part of it and cannot be read now, of which that says nothing", () => {
    const object = read({ ...SPEC, addons: { ...SPEC.addons, pitr: "Days9" } });
    const stored = entriesOf({ addons: "92f6f8a487025206" });
    const entries = entriesNow(stored, sectionsOf(object), object.spec);
    expect(Object.fromEntries(entries.map(({ name, applied }) => [name, applied]))).toEqual({
      "addons.customDomain": "b5bea41b6c623f7c",
      "addons.ipv4": "b5bea41b6c623f7c",
    });
  });

  it("says nothing of a section that has an entry of its own", () => {
    const own: SectionEntry = { name: "addons.pitr", state: "Failed" };
    const entries = entriesNow([own, ...entriesOf({ addons: "92f6f8a487025206" })], sections, spec);
    expect(entries.filter(({ name }) => name === own.name)).toEqual([own]);
  });
});
