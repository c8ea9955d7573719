import { z } from "zod";
import type { Emulator } from "../../../src/emulator/emulator.ts";
import type { ProjectView } from "../../../src/emulator/control/views.ts";
import { conditionSchema } from "../../../src/resources/meta.ts";
import { kubectl, type Target } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import { eventually } from "./eventually.ts";
import { annotate, applyAll, coreSecret, look, ourType } from "./objects.ts";

/** An object as tests look at it. */
const objectSchema = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string(),
    generation: z.number().default(0),
    resourceVersion: z.string(),
    finalizers: z.array(z.string()).default([]),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  status: z
    .looseObject({ conditions: z.array(conditionSchema).default([]), observedGeneration: z.number().default(-1) })
    .default({ conditions: [], observedGeneration: -1 }),
});
export type SeenObject = z.output<typeof objectSchema>;

/** A Secret of Kubernetes as tests look at it. */
const secretSchema = z.object({
  type: z.string(),
  metadata: z.object({
    uid: z.string(),
    finalizers: z.array(z.string()).default([]),
    ownerReferences: z.array(z.object({ kind: z.string(), name: z.string() })).default([]),
  }),
  data: z.record(z.string(), z.string()).default({}),
});
type SeenSecret = z.output<typeof secretSchema>;

/** Any manifest. */
export type Manifest = Readonly<Record<string, unknown>>;

interface RoomOptions {
  readonly cluster: Target;
  readonly emulator: Emulator;
  readonly namespace: string;
  readonly token: string;
}

/** The status of a condition, or undefined where there is none. */
export function conditionOf(object: SeenObject, type: string): SeenObject["status"]["conditions"][number] | undefined {
  return object.status.conditions.find((condition) => condition.type === type);
}

/** One test's own part of a stage: a namespace with a Connection, and an organization of the same name that its token owns. */
export class Room {
  readonly cluster: Target;
  readonly emulator: Emulator;
  readonly namespace: string;
  readonly token: string;

  constructor({ cluster, emulator, namespace, token }: RoomOptions) {
    this.cluster = cluster;
    this.emulator = emulator;
    this.namespace = namespace;
    this.token = token;
  }

  /** The room's Connection and the Secret with its token. */
  connection(token: string = this.token): readonly Manifest[] {
    return [
      this.manifest("v1", "Secret", "token", { stringData: { token } }),
      this.ours("Connection", "default", {
        baseUrl: this.emulator.url,
        token: { secretRef: { name: "token" } },
      }),
    ];
  }

  manifest(apiVersion: string, kind: string, name: string, rest: Manifest): Manifest {
    return { apiVersion, kind, metadata: { name, namespace: this.namespace }, ...rest };
  }

  ours(kind: string, name: string, spec: Manifest): Manifest {
    return this.manifest("baas.dev/v1alpha1", kind, name, { spec });
  }

  /** A Project of the room's organization. */
  project(name: string, spec: Manifest = {}): Manifest {
    return this.ours("Project", name, { organization: this.namespace, region: { code: "us-east-1" }, ...spec });
  }

  async apply(manifests: Manifest | readonly Manifest[]): Promise<void> {
    await applyAll(this.cluster, Array.isArray(manifests) ? manifests : [manifests]);
  }

  /** Runs kubectl in the room's namespace. */
  async kubectl(...args: readonly string[]): Promise<string> {
    return succeeded(await kubectl(this.cluster, ["--namespace", this.namespace, ...args]));
  }

  /** The object of ours, or undefined when there is none. */
  async find(kind: string, name: string): Promise<SeenObject | undefined> {
    const found = await look(this.cluster, ourType(kind), { namespace: this.namespace, name });
    return found === undefined ? undefined : objectSchema.parse(found);
  }

  async get(kind: string, name: string): Promise<SeenObject> {
    const object = await this.find(kind, name);
    if (object === undefined) throw new Error(`there is no ${kind} ${name}`);
    return object;
  }

  /** The Secret of Kubernetes, or undefined when there is none. */
  async secret(name: string): Promise<SeenSecret | undefined> {
    const found = await look(this.cluster, coreSecret, { namespace: this.namespace, name });
    return found === undefined ? undefined : secretSchema.parse(found);
  }

  /** Waits until an object is as `holds` says. */
  async until(
    kind: string,
    name: string,
    holds: (object: SeenObject) => boolean,
    withinMs?: number,
  ): Promise<SeenObject> {
    let last: SeenObject | undefined;
    return eventually(
      () => `${kind} ${name} as expected; it is ${JSON.stringify(last?.status, null, 1)}`,
      async () => {
        last = await this.find(kind, name);
        return last !== undefined && holds(last) ? last : undefined;
      },
      withinMs,
    );
  }

  /** Waits until an object is Ready at its present generation. */
  ready(kind: string, name: string, withinMs?: number): Promise<SeenObject> {
    return this.until(
      kind,
      name,
      (object) => {
        const ready = conditionOf(object, "Ready");
        return ready?.status === "True" && ready.observedGeneration === object.metadata.generation;
      },
      withinMs,
    );
  }

  /** Waits until an object is Stalled for a reason. */
  stalled(kind: string, name: string, reason: string): Promise<SeenObject> {
    return this.until(kind, name, (object) => {
      const stalled = conditionOf(object, "Stalled");
      return stalled?.status === "True" && stalled.reason === reason;
    });
  }

  /** Waits until an object is gone. */
  async gone(kind: string, name: string, withinMs?: number): Promise<void> {
    const isGone = async (): Promise<true | undefined> =>
      (await this.find(kind, name)) === undefined ? true : undefined;
    await eventually(`${kind} ${name} is gone`, isGone, withinMs);
  }

  /** Asks for one reconcile now, and waits until it was made. */
  async reconcile(kind: string, name: string): Promise<SeenObject> {
    const mark = `at-${process.hrtime.bigint()}`;
    const id = { namespace: this.namespace, name };
    await annotate(this.cluster, ourType(kind), id, { "baas.dev/reconcile-at": mark });
    return this.until(kind, name, ({ status }) => status["lastHandledReconcileAt"] === mark);
  }

  /** The remote projects of the room's organization. */
  async projects(): Promise<readonly ProjectView[]> {
    const { projects } = await this.emulator.control.state.read({});
    return projects.filter(({ organization, branchOf }) => organization === this.namespace && branchOf === undefined);
  }

  /** The only remote project of that name. */
  async remoteProject(name: string): Promise<ProjectView> {
    const [project, ...more] = (await this.projects()).filter((candidate) => candidate.name === name);
    if (project === undefined || more.length > 0) {
      throw new Error(`${more.length + (project ? 1 : 0)} projects named ${name}`);
    }
    return project;
  }

  /** Writes that the room's account has asked the platform for, as `operation status`, oldest first. */
  async writes(after = 0): Promise<readonly string[]> {
    const { entries } = await this.emulator.control.log.read({ after });
    const account = await this.account();
    return entries
      .filter((entry) => entry.method !== "GET" && entry.identity === `user:${account}`)
      .map(({ operation, status }) => `${operation ?? "unknown"} ${status ?? "lost"}`);
  }

  /** How far the request log has come. */
  async lastRequest(): Promise<number> {
    return (await this.emulator.control.log.read({})).last;
  }

  /** The id of the room's account. */
  async account(): Promise<string> {
    const { users } = await this.emulator.control.state.read({});
    const user = users.find(({ username }) => username === `user-of-${this.namespace}`);
    if (user === undefined) throw new Error("the room has no account");
    return user.id;
  }
}
