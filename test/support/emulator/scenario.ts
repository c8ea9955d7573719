import { z } from "zod";
import { branchSchema } from "../../../src/api/contract/branches.ts";
import { projectSchema } from "../../../src/api/contract/projects.ts";
import { bodyAs, deployForm, type EmulatorUnderTest, type Received } from "./api.ts";

/** Steps that many tests of the emulator begin with. */

export const NEW_PROJECT = { db_pass: "correct horse", organization_slug: "acme" } as const;

/** Longer than any provisioning: what was begun is done. */
export const A_WHILE = 60_000;

/** Creates a project and lets it come up. @returns its ref */
export async function aProject({ call, clock }: EmulatorUnderTest, name = "shop"): Promise<string> {
  const { ref } = bodyAs(projectSchema, await call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name } }));
  clock.advance(A_WHILE);
  return ref;
}

/** Creates a branch and lets it come up; the first one of a project is its default branch. */
export async function aBranch(
  { call, clock }: EmulatorUnderTest,
  ref: string,
  name: string,
  more: object = {},
): Promise<z.output<typeof branchSchema>> {
  const made = await call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: name, ...more } });
  clock.advance(A_WHILE);
  return bodyAs(branchSchema, made);
}

/** Deploys a function of one file. */
export function deploy(
  { call }: EmulatorUnderTest,
  ref: string,
  slug: string,
  metadata: object = {},
): Promise<Received> {
  return call("POST", `/v1/projects/${ref}/functions/deploy?slug=${slug}`, {
    body: deployForm({ entrypoint_path: "index.ts", ...metadata }, { "index.ts": `export default "${slug}";` }),
  });
}

const messageBody = z.looseObject({ message: z.string() });

/** The server's words. */
export function message(received: Received): string {
  return bodyAs(messageBody, received).message;
}
