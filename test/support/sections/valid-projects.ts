import type fc from "fast-check";
import { projectSpec } from "../../../src/resources/project/spec.ts";
import { valueAt } from "../../../src/resources/settings/setting.ts";
import { VALUES } from "./declared.ts";
import { type Spec, specsOf } from "./whole-spec.ts";

/** Specs of Projects that a platform can carry out, drawn from the schema of the kind. */

/** What is not drawn, and why. */
export const NOT_DRAWN: Readonly<Record<string, string>> = {
  organization: "the one that there is",
  ref: "takes over another project",
  region: "where it is made is nothing that can be edited",
  highAvailability: "as region",
  templateUrl: "as region",
  databasePassword: "a Secret that stands for no setting: project's own tests",
  state: "a paused project has no sections",
  connectionRef: "the one that there is",
  adoptionPolicy: "nothing is there to adopt",
  driftPolicy: "others than Correct do not converge",
  managementPolicy: "as driftPolicy",
  writeConnectionSecretToRef: "controllers/outputs",
  writeConnectionConfigMapToRef: "as writeConnectionSecretToRef",
};

const given: Spec = {
  ...Object.fromEntries(Object.keys(NOT_DRAWN).map((name) => [name, undefined])),
  organization: "acme",
};

/** Whatever the schema accepts. */
const accepted = specsOf(projectSpec, given);

type Members = Readonly<Record<string, unknown>>;

function part(spec: Spec, name: string): Members {
  const found = spec[name];
  return typeof found === "object" && found !== null ? { ...found } : {};
}

const SMALL = new Set<unknown>([undefined, "nano", "micro"]);
const SMTP = { host: "mail.test", port: 25, user: "shop", adminEmail: "shop@mail.test" };

/** What the platform wants beside what is declared: the rules that no schema can know. */
function coherent(spec: Spec): Spec {
  const { version: _upgraded, ...database } = part(spec, "database");
  const addons = part(spec, "addons");
  const isNamed = valueAt(spec, "customHostname.hostname") !== undefined;
  const vanity = valueAt(spec, "vanitySubdomain.name") === undefined || !isNamed;
  const { vanitySubdomain, ...rest } = spec;
  return {
    ...rest,
    ...(spec["database"] === undefined ? {} : { database }),
    // One of the two.
    ...(vanitySubdomain !== undefined && vanity ? { vanitySubdomain } : {}),
    // Some fields of auth need a mail server.
    ...(spec["auth"] === undefined ? {} : { auth: withMailServer(part(spec, "auth")) }),
    ...(isNamed || spec["addons"] !== undefined
      ? { addons: isNamed ? { ...addons, customDomain: true } : addons }
      : {}),
    ...sizeOf(spec["instanceSize"], addons["pitr"]),
  };
}

/** The project has the size micro, from which there is no way back to nano, and point-in-time recovery needs a larger one. */
function sizeOf(size: unknown, pitr: unknown): Spec {
  if (pitr !== undefined && pitr !== "Off" && SMALL.has(size)) return { instanceSize: "small" };
  return size === "nano" ? { instanceSize: "micro" } : {};
}

function withMailServer(auth: Members): Members {
  const password = { secretKeyRef: { name: VALUES, key: "password" } };
  return { ...auth, smtp: { ...part(auth, "smtp"), ...SMTP, password } };
}

export const validProjects: fc.Arbitrary<Spec> = accepted.map(coherent);

/** Names of keys of Secrets and ConfigMaps that a spec is made of. */
export function keysOf(spec: unknown): readonly string[] {
  if (typeof spec !== "object" || spec === null) return [];
  return Object.entries(spec).flatMap(([name, value]: [string, unknown]) => {
    const key = name === "secretKeyRef" || name === "configMapKeyRef" ? valueAt(value, "key") : undefined;
    return typeof key === "string" ? [key] : keysOf(value);
  });
}
