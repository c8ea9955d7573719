import { expect } from "vitest";
import { z } from "zod";
import { RELEASES_NAME, RETAINED } from "../../../src/controllers/shared/releases.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import { branchOf, remoteBranches } from "../stage/branches.ts";
import { coreSecret, functionOf, remoteFunctions, remoteSecrets, secretOf } from "../stage/functions.ts";
import type { Manifest, Room } from "../stage/room.ts";
import type { Stage } from "../stage/stage.ts";
import { type Held, held, type Leave, type Member } from "./model.ts";

/** The model's families in rooms of a real control plane. */

export const ours = "projects,branches,edgefunctions,secrets.baas.dev";

/** A policy that is left out is not written, and has its default. */
export interface Says extends Pick<Leave, "functionIn"> {
  readonly policies: Partial<Leave["policies"]>;
}

export function allSay(deletionPolicy: "Retain" | "Delete", functionIn: Leave["functionIn"] = "branch"): Says {
  return { policies: { project: deletionPolicy, branch: "Delete", function: "Delete", secret: "Delete" }, functionIn };
}

/** Objects by member, all but the credential. */
const objects: Readonly<Record<Exclude<Member, "token">, readonly [resource: string, name: string]>> = {
  project: ["project", "shop"],
  branch: ["branch", "preview"],
  function: ["edgefunction", "hello"],
  secret: ["secrets.baas.dev", "env"],
  connection: ["connection", "default"],
};

export function familyOf(room: Room, { policies, functionIn }: Says): readonly Manifest[] {
  const says = (kind: Held): Manifest => {
    const deletionPolicy = policies[kind];
    return deletionPolicy === undefined ? {} : { deletionPolicy };
  };
  const parent = functionIn === "branch" ? { projectRef: undefined, branchRef: { name: "preview" } } : {};
  return [
    room.project("shop", says("project")),
    branchOf(room, "shop", "preview", says("branch")),
    functionOf(room, "hello", { ...parent, ...says("function") }),
    coreSecret(room, "values", { A: "1" }),
    secretOf(room, "env", [{ secretRef: { name: "values" } }], says("secret")),
  ];
}

/** What is there of a family on the platform. */
export interface Remote {
  readonly room: Room;
  readonly ref: string;
  /** what the function lives in */
  readonly place: string;
}

export async function waitReady(room: Room, functionIn: Leave["functionIn"]): Promise<Remote> {
  await room.kubectl("wait", "--for=condition=Ready", ours, "--all", "--timeout=60s");
  const { ref } = await room.remoteProject("shop");
  const branch = (await remoteBranches(room, ref)).find(({ isDefault }) => !isDefault);
  return { room, ref, place: functionIn === "branch" ? (branch?.projectRef ?? "") : ref };
}

export async function settled(room: Room, says: Says): Promise<Remote> {
  await room.apply(familyOf(room, says));
  return waitReady(room, says.functionIn);
}

export async function remoteOf({ room, ref, place }: Remote): Promise<readonly Held[]> {
  const { projects } = await room.emulator.control.state.read({});
  const has = (wanted: string): boolean => projects.some((project) => project.ref === wanted);
  const there: Readonly<Record<Held, boolean>> = {
    project: has(ref),
    branch: (await remoteBranches(room, ref)).some(({ isDefault }) => !isDefault),
    function: has(place) && (await remoteFunctions(room, place)).length > 0,
    secret: has(ref) && Object.keys(await remoteSecrets(room, ref)).length > 0,
  };
  return held.filter((kind) => there[kind]);
}

/** Deletes one object, and waits until it is gone where nothing holds it. @param credential the Secrets of the Connection */
export async function remove(room: Room, member: Member, credential: readonly string[] = ["token"]): Promise<void> {
  const [resource, ...names] = member === "token" ? ["secret", ...credential] : objects[member];
  const isHeld = member === "connection" || member === "token";
  await room.kubectl("delete", resource, ...names, isHeld ? "--wait=false" : "--timeout=60s");
}

const linesSchema = z.object({ data: z.record(z.string(), z.string()) });
const lineSchema = z.object({ cause: z.string(), object: z.string(), remote: z.string() });

/** What the operator lists as left remotely. */
export async function listed(stage: Stage): Promise<readonly z.output<typeof lineSchema>[]> {
  const args = ["--namespace", stage.operator.release.namespace, "get", "configmap", RELEASES_NAME];
  const text = succeeded(await kubectl(stage.cluster, [...args, "--ignore-not-found", "--output=json"]));
  const { data } = text === "" ? { data: {} } : linesSchema.parse(JSON.parse(text));
  return Object.values(data).map((line) => lineSchema.parse(JSON.parse(line)));
}

/** Nothing stays on the platform but what is kept on purpose. */
export async function nothingReleased(stage: Stage): Promise<void> {
  expect((await listed(stage)).filter(({ cause }) => cause !== RETAINED)).toEqual([]);
}
