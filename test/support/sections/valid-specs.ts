import fc from "fast-check";
import type { z } from "zod";
import { branchSpec } from "../../../src/resources/branch/spec.ts";
import { projectSpec } from "../../../src/resources/project/spec.ts";
import { configMapVariables, type OutputVariable, secretVariables } from "../../../src/resources/outputs/variables.ts";
import { valueAt } from "../../../src/resources/settings/setting.ts";
import { VALUES } from "./declared.ts";
import { type Spec, specsOf } from "./whole-spec.ts";

/** Specs that a platform can carry out, drawn from the schema of the kind. */

/** Of what is not drawn: why, and the test that has it. */
interface Elsewhere {
  readonly because: string;
  /** path from the root */
  readonly test: string;
}

export type NotDrawn = Readonly<Record<string, Elsewhere>>;

/** What is not drawn of a Project. */
export const NOT_DRAWN_OF_PROJECTS: NotDrawn = {
  ref: {
    because: "takes over a project that is there before this one",
    test: "src/controllers/project/identity.test.ts",
  },
};

/** The same of a Branch. */
export const NOT_DRAWN_OF_BRANCHES: NotDrawn = {
  "projectRef.ref": {
    because: "is refused beside the name of the project",
    test: "src/resources/references.test.ts",
  },
  connectionRef: {
    because: "is refused beside the name of a Project",
    test: "src/resources/references.test.ts",
  },
  withData: {
    because: "needs point-in-time recovery of its project before the branch is made",
    test: "test/e2e/branch.e2e.test.ts",
  },
};

/** Keys of an output, with and without a value of their own. */
function keysOutOf(names: readonly OutputVariable[]): fc.Arbitrary<readonly object[]> {
  const value = fc.constantFrom(...names).map((name) => `$(${name})?sslmode=require`);
  const entry = fc.record({ key: fc.constantFrom(...names), value }, { requiredKeys: ["key"] });
  return fc.uniqueArray(entry, { minLength: 1, maxLength: 8, selector: ({ key }) => key });
}

/** Of either kind, what is declared so alone: a value that the stage has, or one of several of which the others are no converging. */
const OF_BOTH = {
  // Under Observe nothing is written.
  managementPolicy: fc.constant("Manage"),
  writeConnectionSecretToRef: fc.record(
    { name: fc.constant("connection"), keys: keysOutOf(secretVariables), includeServiceKey: fc.boolean() },
    { requiredKeys: ["name"] },
  ),
  writeConnectionConfigMapToRef: fc.record(
    { name: fc.constant("addresses"), keys: keysOutOf(configMapVariables) },
    { requiredKeys: ["name"] },
  ),
} as const;

const PASSWORD = { name: VALUES, key: "databasePassword" };

const OF_PROJECTS = {
  ...OF_BOTH,
  // Its pattern takes texts that are no URL, which end as terminal.
  templateUrl: fc.constantFrom("https://github.com/acme/shop", "http://templates.example.com:8080/a?b=c"),
  connectionRef: fc.record(
    { name: fc.constant("default"), kind: fc.constant("Connection") },
    { requiredKeys: ["name"] },
  ),
  // A paused one has no sections.
  state: fc.constant("Running"),
  databasePassword: fc.oneof(
    fc.constant({ secretKeyRef: PASSWORD }),
    fc.constant({ generate: { secretName: "generated" } }),
  ),
} as const;

const OF_BRANCHES = {
  ...OF_BOTH,
  // An older one has no just-in-time access.
  postgresEngine: fc.constantFrom("17", "17-oriole"),
  // Of one that expires nothing is left.
  ttl: fc.constantFrom("720h", "8760h"),
} as const;

/** Members that are fixed once it is made: they are declared from the first. */
export const MADE_OF_PROJECTS: readonly string[] = ["region", "highAvailability", "templateUrl"];
export const MADE_OF_BRANCHES: readonly string[] = ["region", "postgresEngine", "releaseChannel"];

interface Drawing {
  readonly notDrawn: NotDrawn;
  /** what is declared always */
  readonly given: Spec;
  /** what is declared or not */
  readonly own: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

/** Whatever the schema accepts of what is drawn. */
export function accepted(schema: z.ZodObject, { notDrawn, given, own }: Drawing): fc.Arbitrary<Spec> {
  const left = Object.fromEntries([...Object.keys(notDrawn), ...Object.keys(own)].map((name) => [name, undefined]));
  return fc
    .tuple(specsOf(schema, { ...left, ...given }), fc.record(own, { requiredKeys: [] }))
    .map(([drawn, mine]) => ({ ...drawn, ...mine }))
    .filter((spec) => schema.safeParse(spec).success);
}

type Members = Readonly<Record<string, unknown>>;

function part(spec: Spec, name: string): Members {
  const found = spec[name];
  return typeof found === "object" && found !== null ? { ...found } : {};
}

/** Of what is created so alone: each spec is declared of what there is, and from its size no request leads to them (addons.loopback.test.ts has both). */
const SMALLEST = new Set<unknown>(["pico", "nano"]);
const SMALL = new Set<unknown>([...SMALLEST, undefined, "micro"]);
const SMTP = { host: "mail.test", port: 25, user: "shop", adminEmail: "shop@mail.test" };

/** What the platform wants beside what is declared: the rules that no schema can know. */
function coherent(spec: Spec): Spec {
  const addons = part(spec, "addons");
  const isNamed = valueAt(spec, "customHostname.hostname") !== undefined;
  return {
    ...spec,
    // Some fields of auth need a mail server.
    ...(spec["auth"] === undefined ? {} : { auth: withMailServer(part(spec, "auth")) }),
    ...(isNamed || spec["addons"] !== undefined
      ? { addons: isNamed ? { ...addons, customDomain: true } : addons }
      : {}),
    ...sizeOf(spec["instanceSize"], addons["pitr"]),
  };
}

/** It has the size micro, and point-in-time recovery needs a larger one. */
function sizeOf(size: unknown, pitr: unknown): Spec {
  if (pitr !== undefined && pitr !== "Off" && SMALL.has(size)) return { instanceSize: "small" };
  return SMALLEST.has(size) ? { instanceSize: "micro" } : {};
}

function withMailServer(auth: Members): Members {
  const password = { secretKeyRef: { name: VALUES, key: "password" } };
  return { ...auth, smtp: { ...part(auth, "smtp"), ...SMTP, password } };
}

export const validProjects: fc.Arbitrary<Spec> = accepted(projectSpec, {
  notDrawn: NOT_DRAWN_OF_PROJECTS,
  // A newer version of the database is an upgrade.
  given: { organization: "acme", "database.version": "17" },
  own: OF_PROJECTS,
}).map(coherent);

export const validBranches: fc.Arbitrary<Spec> = accepted(branchSpec, {
  notDrawn: NOT_DRAWN_OF_BRANCHES,
  given: { projectRef: { name: "shop" } },
  own: OF_BRANCHES,
}).map(coherent);

/** Names of keys of Secrets and ConfigMaps that a spec is made of. */
export function keysOf(spec: unknown): readonly string[] {
  if (typeof spec !== "object" || spec === null) return [];
  return Object.entries(spec).flatMap(([name, value]: [string, unknown]) => {
    const key = name === "secretKeyRef" || name === "configMapKeyRef" ? valueAt(value, "key") : undefined;
    return typeof key === "string" ? [key] : keysOf(value);
  });
}
