import { z } from "zod";
import { REVEAL_PERMISSION } from "../../../src/api/contract/api-keys.ts";
import { operations } from "../../../src/api/contract/contract.ts";
import { findCondition } from "../../../src/controllers/shared/conditions.ts";
import { branchKind } from "../../../src/resources/branch/kind.ts";
import type { Condition } from "../../../src/resources/meta.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { type Life, NAMESPACE, type Theatre } from "./life.ts";

/** Outputs of a Project `shop` or a Branch `preview`, as tests ask for them and look at them. */

const secretSchema = z.looseObject({
  type: z.string().optional(),
  metadata: z.looseObject({ resourceVersion: z.string(), uid: z.string() }),
  data: z.record(z.string(), z.string()).default({}),
});

export function applyProject({ kubernetes }: Theatre, spec: object): void {
  const metadata = { name: "shop", namespace: NAMESPACE };
  const whole = { organization: "acme", ...spec };
  kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec: whole });
}

export function applyBranch({ kubernetes }: Theatre, spec: object): void {
  const metadata = { name: "preview", namespace: NAMESPACE };
  const whole = { projectRef: { name: "shop" }, ...spec };
  kubernetes.put("branches", { apiVersion: "baas.dev/v1alpha1", kind: "Branch", metadata, spec: whole });
}

/** What the tests of a file act on. */
export interface Acting {
  readonly theatre: Theatre;
  readonly life: Life;
}

/** Declares Project `shop` and runs until it is so. @throws Error when it ends otherwise */
export async function settledProject({ theatre, life }: Acting, spec: object): Promise<void> {
  applyProject(theatre, spec);
  const { kind } = await life.settle("Project", "shop");
  if (kind !== "done") throw new Error(`the Project came to ${kind}`);
}

/** The next drift check of Project `shop`. @throws Error when it does not end well */
export async function lookedAgain({ theatre, life }: Acting): Promise<void> {
  await theatre.pass(600_000);
  const { kind } = await life.run("Project", "shop", "drift");
  if (kind !== "done") throw new Error(`the look came to ${kind}`);
}

/** What a Secret holds, decoded; undefined where there is none. */
export function secretData({ kubernetes }: Theatre, name: string): Readonly<Record<string, string>> | undefined {
  const found = kubernetes.get("secrets", NAMESPACE, name);
  if (found === undefined) return undefined;
  const { data } = secretSchema.parse(found);
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64").toString()]));
}

/** What a ConfigMap holds; undefined where there is none. */
export function configMapData({ kubernetes }: Theatre, name: string): Readonly<Record<string, string>> | undefined {
  const found = kubernetes.get("configmaps", NAMESPACE, name);
  return found === undefined ? undefined : z.looseObject({ data: z.record(z.string(), z.string()) }).parse(found).data;
}

export function projectStatus({ kubernetes }: Theatre): ReturnType<typeof projectKind.parseStatus> {
  return projectKind.parseStatus(kubernetes.get("projects", NAMESPACE, "shop"));
}

export function branchStatus({ kubernetes }: Theatre): ReturnType<typeof branchKind.parseStatus> {
  return branchKind.parseStatus(kubernetes.get("branches", NAMESPACE, "preview"));
}

export function projectCondition(theatre: Theatre, type: string): Condition | undefined {
  return findCondition(projectStatus(theatre).conditions, type);
}

/** Lets the platform list these keys. @param count how many times; null: from now on */
export async function listedKeys({ emulator }: Theatre, body: unknown, count: number | null): Promise<void> {
  await emulator.control.faults.add({ operation: "apiKeys.list", count, fault: { kind: "status", status: 200, body } });
}

/** Lets the token of the connection have every permission but these. */
export async function permitAllBut({ emulator }: Theatre, ...permissions: readonly string[]): Promise<void> {
  const { tokens } = emulator.control;
  await tokens.revoke({ token: "token" });
  const every = new Set([...operations.flatMap((one) => one.permissions.flat()), REVEAL_PERMISSION]);
  const left = [...every].filter((name) => !permissions.includes(name));
  await tokens.add({ token: "token", user: "owner", permissions: left });
}
