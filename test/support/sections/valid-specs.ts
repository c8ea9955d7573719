import type fc from "fast-check";
import type { z } from "zod";
import { branchSpec } from "../../../src/resources/branch/spec.ts";
import { projectSpec } from "../../../src/resources/project/spec.ts";
import { valueAt } from "../../../src/resources/settings/setting.ts";
import { VALUES } from "./declared.ts";
import { type Spec, specsOf } from "./whole-spec.ts";

/** Specs that a platform can carry out, drawn from the schema of the kind. */

type Reasons = Readonly<Record<string, string>>;

/** Of either kind. */
const OF_BOTH = {
  connectionRef: "the one that there is",
  managementPolicy: "under Observe nothing converges",
  writeConnectionSecretToRef: "controllers/outputs",
  writeConnectionConfigMapToRef: "as writeConnectionSecretToRef",
} as const satisfies Reasons;

/** What is not drawn of a Project, and why. */
export const NOT_DRAWN_OF_PROJECTS: Reasons = {
  ...OF_BOTH,
  organization: "the one that there is",
  ref: "takes over another project",
  region: "where it is made is nothing that can be edited",
  highAvailability: "as region",
  templateUrl: "as region",
  "database.version": "an upgrade, which takes its time: the project's own tests",
  databasePassword: "a Secret that stands for no setting: project's own tests",
  state: "a paused project has no sections",
};

/** The same of a Branch. */
export const NOT_DRAWN_OF_BRANCHES: Reasons = {
  ...OF_BOTH,
  projectRef: "the one that there is",
  region: "where it is made is nothing that can be edited",
  postgresEngine: "as region",
  releaseChannel: "as region",
  withData: "as region",
  ttl: "an expired branch has no sections",
  notifyUrl: "its pattern takes texts that are no URL, which end as terminal",
};

/** Whatever the schema accepts of what is drawn. */
function accepted(schema: z.ZodObject, notDrawn: Reasons, given: Spec): fc.Arbitrary<Spec> {
  return specsOf(schema, { ...Object.fromEntries(Object.keys(notDrawn).map((name) => [name, undefined])), ...given });
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

export const validProjects: fc.Arbitrary<Spec> = accepted(projectSpec, NOT_DRAWN_OF_PROJECTS, {
  organization: "acme",
}).map(coherent);

export const validBranches: fc.Arbitrary<Spec> = accepted(branchSpec, NOT_DRAWN_OF_BRANCHES, {
  projectRef: { name: "shop" },
}).map(coherent);

/** Names of keys of Secrets and ConfigMaps that a spec is made of. */
export function keysOf(spec: unknown): readonly string[] {
  if (typeof spec !== "object" || spec === null) return [];
  return Object.entries(spec).flatMap(([name, value]: [string, unknown]) => {
    const key = name === "secretKeyRef" || name === "configMapKeyRef" ? valueAt(value, "key") : undefined;
    return typeof key === "string" ? [key] : keysOf(value);
  });
}
