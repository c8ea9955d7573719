import type { StateView } from "../../../src/emulator/control/views.ts";
import { namespaceType, secretType } from "../../../src/controllers/shared/core-types.ts";
import type { ObjectDraft } from "../../../src/kube/client.ts";
import { branchKind } from "../../../src/resources/branch/kind.ts";
import { clusterConnectionKind, connectionKind } from "../../../src/resources/connection/kind.ts";
import { edgeFunctionKind } from "../../../src/resources/edge-function/kind.ts";
import { apiVersionOf, type ResourceType } from "../../../src/resources/meta.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { secretKind } from "../../../src/resources/secret/kind.ts";
import { digests, sha256, sourceText } from "../stage/functions.ts";
import { deleteIfThere } from "./delete-if-there.ts";
import { createRepository, publish } from "./repository.ts";
import { humanOf, tokenOf } from "./requests.ts";
import {
  askedWith,
  type Configurable,
  type Edition,
  editOf,
  type Form,
  isAsked,
  nameIn,
  specOf,
  valuesIn,
} from "./specs.ts";
import type { World } from "./world.ts";

/** An object of a family by its kind and name. */
export interface Member {
  readonly type: ResourceType;
  readonly name: string;
}

/** What people do with a family, one after the other. */
export const stages = ["found", "fill", "update", "empty", "remove"] as const;
export type Stage = (typeof stages)[number];

const project: Member = { type: projectKind.type, name: "shop" };
const branch: Member = { type: branchKind.type, name: "preview" };
const edgeFunction: Member = { type: edgeFunctionKind.type, name: "hello" };
const secret: Member = { type: secretKind.type, name: "env" };
const children: readonly Member[] = [branch, edgeFunction, secret];

/** What the children need, in families of either form. */
export const founderKinds: readonly ResourceType[] = [connectionKind.type, clusterConnectionKind.type, project.type];
export const kinds: readonly ResourceType[] = [...founderKinds, ...children.map(({ type }) => type)];

/** What the platform has of a family, in a form to be compared. */
export type Remote = Readonly<
  Record<
    string,
    {
      readonly functions: Readonly<Record<string, string>>;
      readonly secrets: Readonly<Record<string, string>>;
      readonly branches: readonly string[];
    }
  >
>;

/** What somebody else has in the family's project, by names that are nearly the same. */
const theirs = {
  functions: { "hello-2": sha256(sourceText("theirs")) },
  secrets: { KEPT_TOO: "theirs" },
  branch: "preview-2",
};

/** What is declared: the kinds that are there, each in its edition, and whether somebody else's things are in the project. */
export interface Declared {
  readonly editions: ReadonlyMap<string, Edition>;
  readonly joined: boolean;
}

/** What the platform is to have. */
export function expectedRemote({ editions, joined }: Declared): Remote {
  const of = (kind: string): Edition | undefined => editions.get(kind);
  const [shop, preview, hello, env] = [of("Project"), of("Branch"), of("EdgeFunction"), of("Secret")];
  if (shop === undefined) return {};
  const branches = [...(preview === undefined ? [] : [nameIn("preview", preview)]), ...(joined ? [theirs.branch] : [])];
  return {
    [nameIn("shop", shop)]: {
      functions: {
        ...(hello === undefined ? {} : { hello: sha256(sourceText(hello)) }),
        ...(joined ? theirs.functions : {}),
      },
      secrets: {
        ...(env === undefined ? {} : digests(valuesIn(env))),
        ...(joined ? digests(theirs.secrets) : {}),
      },
      branches: branches.toSorted(),
    },
  };
}

/** What the platform has of an organization, but for the projects that are somebody else's, and for default branches: nobody declares one. */
export function remoteOf({ projects, branches }: StateView, { namespace, foreign }: Family): Remote {
  const own = projects.filter(
    ({ organization, branchOf, ref, status }) =>
      organization === namespace && branchOf === undefined && !foreign.includes(ref) && status !== "REMOVED",
  );
  return Object.fromEntries(
    own.map(({ name, ref, functions, secrets }) => [
      name,
      {
        functions: Object.fromEntries(functions.map(({ slug, files }) => [slug, files[0]?.sha256 ?? ""])),
        secrets: Object.fromEntries(secrets.filter(({ platform }) => !platform).map((one) => [one.name, one.digest])),
        branches: branches
          .filter(({ parentRef, isDefault }) => parentRef === ref && !isDefault)
          .map((one) => one.name)
          .toSorted(),
      },
    ]),
  );
}

/** Objects of the kinds of its form in a namespace and an organization of their own, with somebody else's things of nearly the same names beside. */
export class Family {
  readonly namespace: string;
  readonly form: Form;
  readonly platformUrl: string;
  /** what the children need */
  readonly founders: readonly Member[];
  readonly members: readonly Member[];
  readonly #world: World;
  /** refs of projects that are somebody else's, those of branches included */
  foreign: readonly string[] = [];
  /** `foreignIn` as it was before anything happened */
  foreignBefore: readonly unknown[] = [];
  account = "";
  /** editions of what is configured, and of the values that secrets come from, as they were last written */
  written: Readonly<Record<Configurable | "values", Edition>> = { Project: "first", Branch: "first", values: "first" };
  /** ids with which each was asked for what is done once: another one each time, since one that was used is not asked with again */
  asked: Readonly<Record<Configurable, readonly string[]>> = { Project: [], Branch: [] };

  constructor(world: World, namespace: string, form: Form) {
    this.#world = world;
    this.namespace = namespace;
    this.form = form;
    this.platformUrl = world.platformUrl;
    const connection: Member =
      form === "full"
        ? { type: clusterConnectionKind.type, name: namespace }
        : { type: connectionKind.type, name: "default" };
    this.founders = [connection, project];
    this.members = [...this.founders, ...children];
  }

  /** The organization with what is somebody else's, and an empty namespace. */
  async prepare(): Promise<void> {
    const { emulator, kube } = this.#world;
    const { namespace } = this;
    const user = `user-of-${namespace}`;
    const human = humanOf(namespace);
    const hers = {
      functions: [{ slug: "hello", files: { "index.ts": sourceText("theirs") } }],
      secrets: valuesIn("first"),
    };
    const branches = [{ name: "main" }, { name: "preview" }];
    await emulator.control.state.seed({
      users: [{ username: user }, { username: human }],
      tokens: [
        { token: tokenOf(namespace), user },
        { token: human, user: human },
      ],
      organizations: [
        { slug: namespace, plan: "enterprise", members: { [user]: "Owner", [human]: "Owner" } },
        { slug: `${namespace}-other`, plan: "enterprise", members: { [user]: "Owner" } },
      ],
      projects: [
        { name: "shop-2", organization: namespace, branches, ...hers },
        { name: "shop", organization: `${namespace}-other`, branches, ...hers },
      ],
    });
    const state = await emulator.control.state.read({});
    this.foreign = state.projects
      .filter(({ organization }) => organization === namespace || organization === `${namespace}-other`)
      .map(({ ref }) => ref);
    this.foreignBefore = this.foreignIn(state);
    this.account = state.users.find(({ username }) => username === user)?.id ?? "";
    await kube.create(namespaceType, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  }

  /** What is somebody else's, whole. */
  foreignIn({ projects, branches }: StateView): readonly unknown[] {
    return [
      ...projects.filter(({ ref }) => this.foreign.includes(ref)),
      ...branches.filter(({ parentRef }) => this.foreign.includes(parentRef)),
    ];
  }

  /** Does what people do in a stage. */
  async act(stage: Stage): Promise<void> {
    const { kube } = this.#world;
    switch (stage) {
      case "found":
        await this.#secrets();
        if (this.form === "full") await createRepository(this.#world, this.namespace);
        for (const member of this.founders) await kube.create(member.type, this.manifest(member));
        return;
      case "fill":
        for (const member of children) await kube.create(member.type, this.manifest(member));
        return;
      case "update":
        for (const member of this.members) await this.edit(member, "second");
        return;
      case "empty":
        for (const member of children) await this.delete(member);
        return;
      case "remove":
        for (const member of this.founders.toReversed()) await this.delete(member);
        return;
      default:
        stage satisfies never;
    }
  }

  async #secrets(): Promise<void> {
    const { kube } = this.#world;
    const core = (name: string, stringData: object): ObjectDraft => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: this.namespace },
      stringData,
    });
    await kube.create(secretType, core("token", { token: tokenOf(this.namespace) }));
    await kube.create(secretType, core("values", valuesIn("first")));
  }

  manifest(member: Member): ObjectDraft {
    const { type, name } = member;
    const metadata = type.namespaced ? { name, namespace: this.namespace } : { name };
    return { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec: specOf(type.kind, this) };
  }

  /** Edits an object, or for the Secret what it refers to. */
  async edit({ type, name }: Member, edition: Edition): Promise<void> {
    const { kube } = this.#world;
    const { namespace } = this;
    const spec = editOf(type.kind, edition, this.form);
    const { kind } = type;
    const asks = isAsked(kind, this.form);
    const id = asks ? `${edition}-${this.asked[kind].length}` : "";
    const metadata = asks ? { annotations: askedWith(kind, id) } : {};
    if (spec !== undefined) await kube.patchMerge(type, { namespace, name }, { metadata, spec });
    if (asks) {
      this.written = { ...this.written, [kind]: edition };
      this.asked = { ...this.asked, [kind]: [...this.asked[kind], id] };
    }
    if (kind === "EdgeFunction" && this.form === "full") await publish(this.#world, this.namespace, edition);
    if (kind !== "Secret") return;
    const values = Object.entries(valuesIn(edition)).map(([key, value]) => [
      key,
      Buffer.from(value).toString("base64"),
    ]);
    const data = { DROPPED: null, ...Object.fromEntries(values) };
    await kube.patchMerge(secretType, { namespace, name: "values" }, { data });
    this.written = { ...this.written, values: edition };
  }

  async delete({ type, name }: Member): Promise<void> {
    await deleteIfThere(this.#world.kube, type, { namespace: this.namespace, name });
  }

  /** Deletes every object, children first, those that nobody planned included. */
  async deleteAll(): Promise<void> {
    for (const member of this.members.toReversed()) {
      const { type } = member;
      const { items } = type.namespaced
        ? await this.#world.kube.listPage(type, { namespace: this.namespace })
        : { items: [{ metadata: { name: member.name } }] };
      for (const { metadata } of items) await this.delete({ type, name: metadata.name });
    }
  }

  /** Somebody else puts things of nearly the same names into the family's own project. */
  async join(ref: string): Promise<void> {
    const { emulator } = this.#world;
    const headers = { authorization: `Bearer ${humanOf(this.namespace)}` };
    const json = { ...headers, "content-type": "application/json" };
    const url = `${emulator.url}/v1/projects/${ref}`;
    const form = new FormData();
    form.append("metadata", JSON.stringify({ entrypoint_path: "index.ts" }));
    form.append("file", new Blob([sourceText("theirs")]), "index.ts");
    const secrets = Object.entries(theirs.secrets).map(([name, value]) => ({ name, value }));
    const answers = await Promise.all([
      fetch(`${url}/functions/deploy?slug=hello-2`, { method: "POST", headers, body: form }),
      fetch(`${url}/secrets`, { method: "POST", headers: json, body: JSON.stringify(secrets) }),
      fetch(`${url}/branches`, { method: "POST", headers: json, body: JSON.stringify({ branch_name: theirs.branch }) }),
    ]);
    const refused = answers.find(({ status }) => status !== 201);
    if (refused !== undefined) throw new Error(`${refused.url}: ${refused.status} ${await refused.text()}`);
  }
}
