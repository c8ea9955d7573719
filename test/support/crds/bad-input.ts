import { authCases } from "./bad-auth.ts";
import type { BadCase } from "./bad-case.ts";
import { branchCases, functionCases, secretCases } from "./bad-children.ts";
import { connectionCases } from "./bad-connection.ts";
import { databaseCases } from "./bad-database.ts";
import { outputCases } from "./bad-outputs.ts";
import { projectCases } from "./bad-project.ts";
import type { KindName, Spec } from "./manifest.ts";
import { least } from "./manifest.ts";

/** Every object that must be refused. */
export const badCases: readonly BadCase[] = [
  ...projectCases,
  ...authCases,
  ...outputCases,
  ...databaseCases,
  ...branchCases,
  ...functionCases,
  ...secretCases,
  ...connectionCases,
];

/** Fields that no kind has: secrets written out, and slips of the pen. */
export interface UnknownCase {
  readonly kind: KindName;
  readonly name: string;
  readonly why: string;
  readonly spec: Spec;
  /** Path of the field that is not known. */
  readonly field: string;
}

export const unknownCases: readonly UnknownCase[] = [
  {
    kind: "Project",
    name: "unknown-setting",
    why: "[K-19] a setting of the database by its own name",
    spec: { ...least.Project, database: { settings: { max_connections: 50 } } },
    field: "spec.database.settings.max_connections",
  },
  {
    kind: "Branch",
    name: "unknown-branching",
    why: "preview branching, which is the project's",
    spec: { ...least.Branch, branching: "Enabled" },
    field: "spec.branching",
  },
  {
    kind: "Branch",
    name: "unknown-version",
    why: "a version of the database, which is the project's",
    spec: { ...least.Branch, database: { version: "17" } },
    field: "spec.database.version",
  },
  {
    kind: "Project",
    name: "unknown-password",
    why: "a password written out",
    spec: { ...least.Project, databasePassword: { secretKeyRef: { name: "db" }, value: "hunter2" } },
    field: "spec.databasePassword.value",
  },
  {
    kind: "Project",
    name: "unknown-typo",
    why: "a slip of the pen",
    spec: { ...least.Project, deletionPolcy: "Delete" },
    field: "spec.deletionPolcy",
  },
  {
    kind: "Secret",
    name: "unknown-value",
    why: "a value written out",
    spec: { ...least.Secret, from: [{ secretRef: { name: "app" }, value: "hunter2" }] },
    field: "spec.from[0].value",
  },
  {
    kind: "Connection",
    name: "unknown-token",
    why: "a token written out",
    spec: { ...least.Connection, token: { secretRef: { name: "t" }, value: "hunter2" } },
    field: "spec.token.value",
  },
  {
    kind: "EdgeFunction",
    name: "unknown-env",
    why: "an environment, which is a Secret's business",
    spec: { ...least.EdgeFunction, env: { A: "b" } },
    field: "spec.env",
  },
];
