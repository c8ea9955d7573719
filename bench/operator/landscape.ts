import { namespaceType, secretType } from "../../src/controllers/shared/core-types.ts";
import type { KubeClient, ObjectDraft } from "../../src/kube/client.ts";
import { branchKind } from "../../src/resources/branch/kind.ts";
import { connectionKind } from "../../src/resources/connection/kind.ts";
import { edgeFunctionKind } from "../../src/resources/edge-function/kind.ts";
import type { KubeObject, ResourceType } from "../../src/resources/meta.ts";
import { projectKind } from "../../src/resources/project/kind.ts";
import { secretKind } from "../../src/resources/secret/kind.ts";

/** Many teams with Projects, and what lives in these. */

/** A namespace with an account and an organization of its own, all of one name. */
export interface Team {
  readonly name: string;
  readonly token: string;
  readonly projects: number;
}

/** Functions of each project, beside one Branch and one Secret. */
const FUNCTIONS = 7;
/** Objects of a project, itself included. */
export const OBJECTS_PER_PROJECT = 1 + FUNCTIONS + 1 + 1;

export const managedTypes: readonly ResourceType[] = [projectKind, branchKind, edgeFunctionKind, secretKind].map(
  ({ type }) => type,
);

export function teamsOf(count: number, projects: number): readonly Team[] {
  return Array.from({ length: count }, (_, n) => ({ name: `team-${n}`, token: `token-of-team-${n}`, projects }));
}

/**
 * Ten projects of an account, since of one the platform takes 120 requests a minute, of which each project needs two for its creation: nothing but
 * that would be measured.
 */
const PROJECTS_OF_TEAM = 10;

/** As many teams as so many projects need. */
export function teamsOfProjects(projects: number): readonly Team[] {
  const teams = teamsOf(Math.ceil(projects / PROJECTS_OF_TEAM), PROJECTS_OF_TEAM);
  const left = projects % PROJECTS_OF_TEAM;
  return left === 0 ? teams : teams.map((team, n) => (n === teams.length - 1 ? { ...team, projects: left } : team));
}

interface Draft {
  readonly type: ResourceType;
  readonly object: ObjectDraft;
}

function draft(type: ResourceType, place: { readonly namespace?: string; readonly name: string }, rest: object): Draft {
  const apiVersion = type.group === "" ? type.version : `${type.group}/${type.version}`;
  return { type, object: { apiVersion, kind: type.kind, metadata: place, ...rest } };
}

export function functionDraft(namespace: string, project: string, name: string): ObjectDraft {
  const spec = { projectRef: { name: project }, source: { inline: { files: { "index.ts": sourceOf(name) } } } };
  return draft(edgeFunctionKind.type, { namespace, name }, { spec }).object;
}

/** A function as small ones are: half a kilobyte. */
function sourceOf(name: string): string {
  return `Deno.serve(() => new Response(${JSON.stringify(name)}));\n${"// what it does, in a few words\n".repeat(15)}`;
}

/** What a team needs before its projects. */
function roomOf({ name, token }: Team, platform: string): readonly Draft[] {
  const inRoom = (type: ResourceType, object: string, rest: object): Draft =>
    draft(type, { namespace: name, name: object }, rest);
  return [
    draft(namespaceType, { name }, {}),
    inRoom(secretType, "token", { stringData: { token } }),
    inRoom(secretType, "values", { stringData: { API_KEY: "value of a key", OTHER_KEY: "value of another key" } }),
    inRoom(connectionKind.type, "default", { spec: { baseUrl: platform, token: { secretRef: { name: "token" } } } }),
  ];
}

function projectOf({ name: namespace }: Team, n: number): readonly Draft[] {
  const project = `project-${n}`;
  const projectRef = { name: project };
  const child = (type: ResourceType, name: string, spec: object): Draft =>
    draft(type, { namespace, name: `${project}-${name}` }, { spec: { projectRef, ...spec } });
  return [
    draft(projectKind.type, { namespace, name: project }, { spec: { organization: namespace } }),
    child(branchKind.type, "preview", {}),
    child(secretKind.type, "values", { from: [{ secretRef: { name: "values" } }] }),
    ...Array.from({ length: FUNCTIONS }, (_, index) => ({
      type: edgeFunctionKind.type,
      object: functionDraft(namespace, project, `${project}-function-${index}`),
    })),
  ];
}

/** Requests at once that create objects. */
const AT_ONCE = 32;

interface Where {
  /** base URL of the Management API */
  readonly platform: string;
  readonly signal: AbortSignal;
}

/** Creates everything of the teams, as somebody who applies a large repository. */
export async function putLandscape(kube: KubeClient, teams: readonly Team[], where: Where): Promise<void> {
  for (const team of teams) await putRoom(kube, team, where);
  const projects = teams.flatMap((team) => Array.from({ length: team.projects }, (_, n) => projectOf(team, n)));
  await createAll(kube, projects.flat(), where.signal);
}

/** Creates the Projects of a team and nothing in them. */
export async function putProjects(kube: KubeClient, team: Team, where: Where): Promise<void> {
  await putRoom(kube, team, where);
  const projects = Array.from({ length: team.projects }, (_, n) => projectOf(team, n).slice(0, 1));
  await createAll(kube, projects.flat(), where.signal);
}

async function putRoom(kube: KubeClient, team: Team, { platform, signal }: Where): Promise<void> {
  const [namespace, ...rest] = roomOf(team, platform);
  if (namespace !== undefined) await createAll(kube, [namespace], signal);
  await createAll(kube, rest, signal);
}

async function createAll(kube: KubeClient, drafts: readonly Draft[], signal: AbortSignal): Promise<void> {
  const left = drafts.values();
  const worker = async (): Promise<void> => {
    for (const { type, object } of left) await kube.create(type, object, { signal });
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly observedGeneration?: number;
}

/** Whether it says Ready of what is declared now. */
export function isReady({ metadata, status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly Condition[] };
  return conditions.some(
    ({ type, status: value, observedGeneration }) =>
      type === "Ready" && value === "True" && observedGeneration === metadata.generation,
  );
}

/** How many objects say Ready, asked of the apiserver. */
export async function countReady(kube: KubeClient, signal: AbortSignal): Promise<number> {
  let ready = 0;
  for (const type of managedTypes) {
    for await (const { items } of kube.list(type, { signal })) ready += items.filter(isReady).length;
  }
  return ready;
}
