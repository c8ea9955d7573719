import { randomUUID } from "node:crypto";
import { FormData, request } from "undici";
import type { SeedInput } from "../../../src/emulator/state/seed.ts";
import { annotations } from "../../../src/resources/annotations.ts";
import { type KubeObject, kubeObjectSchema } from "../../../src/resources/meta.ts";
import type { Theatre } from "../controllers/life.ts";
import { unready } from "../controllers/shop.ts";
import { WholeOperator } from "../controllers/whole-operator.ts";
import { type Leave, type Member, members } from "./model.ts";

/** Families as the operator itself left one at rest: that one is made by it, the others are copies with names, refs and uids of their own. */

const NAME = "shop";
const SLUG = "hello";
const VALUE = "VALUE";
const PREVIEW = "preview";
const FILES = { "index.ts": "Deno.serve(() => new Response('hello'));" };
const TIMEOUT = "15m";

export const plurals: Readonly<Record<Member, string>> = {
  project: "projects",
  branch: "branches",
  function: "edgefunctions",
  secret: "secrets",
  connection: "connections",
  token: "secrets",
};
const kinds: Readonly<Record<Member, string>> = {
  project: "Project",
  branch: "Branch",
  function: "EdgeFunction",
  secret: "Secret",
  connection: "Connection",
  token: "Secret",
};

/** Names of the objects: those of the members, but that a Connection of this name needs no mention. */
export const names: Readonly<Record<Member, string>> = {
  project: "project",
  branch: "branch",
  function: "function",
  secret: "secret",
  connection: "default",
  token: "token",
};

/** One family: a namespace, an account and an organization that have its name. */
export interface Family {
  readonly namespace: string;
  readonly leave: Leave;
  readonly ref: string;
  readonly account: string;
}

function tokenOf(namespace: string): string {
  return `token-of-${namespace}`;
}

/** Puts another token of the same account into a family's Secret. */
export async function rotateToken({ kubernetes, emulator }: Theatre, { namespace }: Family): Promise<void> {
  const token = `${tokenOf(namespace)}-rotated`;
  await emulator.control.tokens.add({ token, user: namespace });
  const metadata = { namespace, name: names.token };
  kubernetes.put(plurals.token, { apiVersion: "v1", kind: "Secret", metadata, data: { token: base64(token) } });
}

/** A ref of twenty letters, another for each number. */
function refOf(index: number): string {
  const letters = index
    .toString(26)
    .split("")
    .map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
  return `family${letters.join("").padStart(14, "a")}`;
}

type Seed = Required<Pick<SeedInput, "users" | "tokens" | "organizations">>;

function accounts(list: readonly Pick<Family, "namespace" | "account">[]): Seed {
  return {
    users: list.map(({ namespace, account }) => ({ username: namespace, id: account })),
    tokens: list.map(({ namespace }) => ({ token: tokenOf(namespace), user: namespace })),
    organizations: list.map(({ namespace }) => {
      return { slug: namespace, plan: "enterprise", members: { [namespace]: "Owner" } };
    }),
  };
}

function remotes(families: readonly Family[]): NonNullable<SeedInput["projects"]> {
  return families.map(({ namespace, ref, leave }) => ({
    name: NAME,
    organization: namespace,
    ref,
    secrets: { [VALUE]: "value" },
    branches: [{ name: "main" }, { name: PREVIEW }],
    functions: leave.functionIn === "project" ? [{ slug: SLUG, files: FILES }] : [],
  }));
}

/** The preview branch of each project. */
async function previews({
  emulator,
}: Theatre): Promise<ReadonlyMap<string, { readonly ref: string; readonly id: string }>> {
  const { branches } = await emulator.control.state.read();
  const found = branches.filter(({ isDefault }) => !isDefault);
  return new Map(found.map(({ parentRef, projectRef: ref, id }) => [parentRef, { ref, id }]));
}

async function deploy({ emulator }: Theatre, namespace: string, ref: string): Promise<void> {
  const form = new FormData();
  form.append("metadata", JSON.stringify({ entrypoint_path: "index.ts" }));
  form.append("file", new Blob([FILES["index.ts"]]), "index.ts");
  const answer = await request(`${emulator.url}/v1/projects/${ref}/functions/deploy?slug=${SLUG}`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokenOf(namespace)}` },
    body: form,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 201) throw new Error(`deploy: ${answer.statusCode} ${text}`);
}

function putNamespace({ kubernetes }: Theatre, name: string): void {
  const metadata = { name, finalizers: ["kubernetes"] };
  kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata });
}

function putFirst(theatre: Theatre, namespace: string, functionIn: Leave["functionIn"]): void {
  const { kubernetes, emulator } = theatre;
  putNamespace(theatre, namespace);
  const put = (member: Member, body: object): void => {
    const apiVersion = member === "token" ? "v1" : "baas.dev/v1alpha1";
    const metadata = { namespace, name: names[member] };
    kubernetes.put(plurals[member], { apiVersion, kind: kinds[member], metadata, ...body });
  };
  put("token", { stringData: { token: tokenOf(namespace) } });
  put("connection", { spec: { baseUrl: emulator.url, token: { secretRef: { name: names.token } } } });
  const values = { namespace, name: "values" };
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: values, stringData: { [VALUE]: "value" } });
  // Whatever is looked at within an hour is looked at because of a deletion.
  const common = { deletionTimeout: TIMEOUT, driftInterval: "24h" };
  const projectRef = { name: names.project };
  const parent = functionIn === "project" ? { projectRef } : { branchRef: { name: names.branch } };
  put("project", { spec: { ...common, organization: namespace, name: NAME } });
  put("branch", { spec: { ...common, projectRef, name: PREVIEW } });
  put("function", { spec: { ...common, ...parent, slug: SLUG, source: { inline: { files: FILES } } } });
  put("secret", { spec: { ...common, projectRef, from: [{ secretRef: { name: "values" } }] } });
}

/** A family as the operator left it at rest. */
interface First {
  readonly account: string;
  readonly ref: string;
  readonly branch: { readonly ref: string; readonly id: string };
  readonly objects: readonly KubeObject[];
}

/** Has the operator make the family that others are copies of. */
async function makeFirst(theatre: Theatre, functionIn: Leave["functionIn"]): Promise<First> {
  const namespace = firstOf(functionIn);
  const account = randomUUID();
  await theatre.emulator.control.state.seed(accounts([{ namespace, account }]));
  putFirst(theatre, namespace, functionIn);
  await using operator = await WholeOperator.start(theatre);
  operator.look();
  const objects = (): readonly KubeObject[] => {
    const all = [...new Set(Object.values(plurals))].flatMap((plural) => theatre.kubernetes.list(plural));
    return all.filter(({ metadata }) => metadata.namespace === namespace);
  };
  const guarded = (): boolean =>
    objects().every(({ metadata }) => metadata.name !== names.token || metadata.finalizers !== undefined);
  await operator.advanceUntil(() => unready(theatre).length === 0 && guarded());
  const { projects } = await theatre.emulator.control.state.read();
  const ref = projects.find((project) => project.organization === namespace && project.name === NAME)?.ref ?? "";
  const branch = (await previews(theatre)).get(ref);
  if (branch === undefined) throw new Error("the first family has no branch");
  return { account, ref, branch, objects: objects() };
}

function firstOf(functionIn: Leave["functionIn"]): string {
  return `first-with-function-in-${functionIn}`;
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

/** The object of a first family as it would be in another one. */
function copyOf(object: KubeObject, words: ReadonlyMap<string, string>): KubeObject {
  let text = JSON.stringify(object);
  for (const [word, other] of words) text = text.replaceAll(word, other);
  return kubeObjectSchema.parse(JSON.parse(text));
}

/** Puts families into a theatre, at rest but that no operator lives. */
export async function settle(theatre: Theatre, leaves: readonly Leave[]): Promise<readonly Family[]> {
  const firsts = { project: await makeFirst(theatre, "project"), branch: await makeFirst(theatre, "branch") };
  const families = leaves.map((leave, index) => {
    return { namespace: `family-${index}`, leave, ref: refOf(index), account: randomUUID() };
  });
  await theatre.emulator.control.state.seed({ ...accounts(families), projects: remotes(families) });
  const branches = await previews(theatre);
  for (const { namespace, leave, ref, account } of families) {
    const first = firsts[leave.functionIn];
    const branch = branches.get(ref);
    if (branch === undefined) throw new Error(`${namespace} has no branch`);
    if (leave.functionIn === "branch") await deploy(theatre, namespace, branch.ref);
    const firstName = firstOf(leave.functionIn);
    const words = new Map([
      [base64(tokenOf(firstName)), base64(tokenOf(namespace))],
      [firstName, namespace],
      [first.account, account],
      [first.branch.ref, branch.ref],
      [first.branch.id, branch.id],
      [first.ref, ref],
      ...first.objects.map(({ metadata }) => [metadata.uid, randomUUID()] as const),
    ]);
    putNamespace(theatre, namespace);
    for (const object of first.objects) putCopy(theatre, copyOf(object, words), leave);
  }
  return families;
}

function putCopy({ kubernetes }: Theatre, copy: KubeObject, { policies, paused }: Leave): void {
  const member = members.find((candidate) => kinds[candidate] === copy.kind);
  if (member === undefined) throw new RangeError(`no member of kind ${copy.kind}`);
  if (copy.apiVersion === "v1" || member === "connection" || member === "token") {
    kubernetes.put(plurals[member], copy);
    return;
  }
  const spec = { ...(copy["spec"] as object), deletionPolicy: policies[member] }; // an object of ours has one
  const pause = paused ? { [annotations.paused]: "true" } : {};
  const metadata = { ...copy.metadata, annotations: { ...copy.metadata.annotations, ...pause } };
  kubernetes.put(plurals[member], { ...copy, metadata, spec });
}
