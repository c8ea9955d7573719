import { z } from "zod";
import type { ApiClient } from "../../../src/api/client.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "./life.ts";
import { WholeOperator } from "./whole-operator.ts";

/** Longer than all that is waited for after a deployment in doubt, and than two drift intervals, milliseconds. */
const REST_MS = 1_500_000;
const KINDS = { projects: "Project", branches: "Branch", edgefunctions: "EdgeFunction", secrets: "Secret" } as const;
export type Plural = keyof typeof KINDS;

/** A request that was to change an environment or a function: its operation, and the slug of a function. */
export type Write = readonly [operation: string, slug: string];

export const inShop = { projectRef: { name: "shop" } } as const;

export function inline(text: string): object {
  return { source: { inline: { files: { "index.ts": text } } } };
}

/** The spec of a Secret object that takes all of a Kubernetes Secret and has functions deployed again. */
export function redeploying(name: string, parent: object = inShop): object {
  return { ...parent, from: [{ secretRef: { name } }], redeployOnSecretChange: true };
}

export function deployed(...slugs: readonly string[]): readonly Write[] {
  return slugs.map((slug) => ["functions.deploy", slug]);
}

/** A project whose functions read an environment that Secret objects make; lives of the whole operator, one after the other. */
export class RedeployBench implements AsyncDisposable {
  readonly theatre: Theatre;
  #operator: WholeOperator | undefined;
  #life: Life | undefined;

  private constructor(theatre: Theatre) {
    this.theatre = theatre;
  }

  /** The functions `one` and `two`, and the Secret object `env` of the Kubernetes Secret `values`, at rest. */
  static async open(): Promise<RedeployBench> {
    const bench = new RedeployBench(await openTheatre({ timings: { bundleMs: 0, creatingBranchMs: 0 } }));
    bench.values("values", { A: "1", B: "1" });
    bench.put("projects", "shop", { organization: "acme" });
    bench.put("edgefunctions", "one", { ...inShop, ...inline("1") });
    bench.put("edgefunctions", "two", { ...inShop, ...inline("2") });
    bench.put("secrets", "env", redeploying("values"));
    await bench.begin();
    await bench.rest();
    return bench;
  }

  get life(): Life {
    if (this.#life === undefined) throw new Error("no life has begun");
    return this.#life;
  }

  /** A person's client, with the same account. */
  get client(): ApiClient {
    return this.life.client;
  }

  get ref(): string {
    return z.object({ ref: z.string() }).parse(this.status("projects", "shop")).ref;
  }

  /** Another life, which ends after so many requests. */
  async begin(requests?: number): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
    const life = await this.theatre.life(requests);
    this.#life = life;
    this.#operator = await WholeOperator.start({ ...this.theatre, life: () => Promise.resolve(life) });
  }

  /** Does something, and lets it come to rest. */
  async rest(act: () => unknown = () => undefined, restMs = REST_MS): Promise<void> {
    await act();
    this.#operator?.look();
    await this.#operator?.advance(restMs);
  }

  /** What something makes the operator, or whoever does it, write to the platform until it rests. */
  async after(act: () => unknown): Promise<readonly Write[]> {
    const since = await this.last();
    await this.rest(act);
    return this.writes(since);
  }

  /** Applies an object of ours. */
  put(plural: Plural, name: string, spec: object, metadata: object = {}): void {
    const object = { apiVersion: "baas.dev/v1alpha1", kind: KINDS[plural] };
    this.theatre.kubernetes.put(plural, { ...object, metadata: { name, namespace: NAMESPACE, ...metadata }, spec });
  }

  /** Somebody takes away the status of an object. */
  async wipeStatus(plural: Plural, name: string): Promise<void> {
    const type = { group: "baas.dev", version: "v1alpha1", kind: KINDS[plural], plural, namespaced: true };
    const options = { subresource: "status", signal: new AbortController().signal } as const;
    await this.life.environment.kube.patchMerge(type, { namespace: NAMESPACE, name }, { status: null }, options);
  }

  /** An object is lost, with nothing done for its going, and comes back from a backup that has no status. */
  restore(plural: Plural, name: string): void {
    const { kubernetes } = this.theatre;
    const { spec, metadata } = z
      .looseObject({ spec: z.looseObject({}), metadata: z.looseObject({}) })
      .parse(this.find(plural, name));
    this.put(plural, name, spec, { finalizers: [] });
    kubernetes.delete(plural, NAMESPACE, name);
    this.put(plural, name, spec, { annotations: metadata["annotations"] });
  }

  /** Applies a Kubernetes Secret. */
  values(name: string, given: Readonly<Record<string, string>>, metadata: object = {}): void {
    const data = Object.entries(given).map(([key, value]) => [key, Buffer.from(value).toString("base64")] as const);
    this.theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: NAMESPACE, ...metadata },
      data: Object.fromEntries(data),
    });
  }

  /** Gives `values` another value: one request to the platform, and one deployment of each function. */
  rotate(value = "2"): void {
    this.values("values", { A: value, B: "1" });
  }

  find(plural: Plural, name: string): KubeObject {
    const found = this.theatre.kubernetes.get(plural, NAMESPACE, name);
    if (found === undefined) throw new Error(`there is no ${name}`);
    return found;
  }

  status(plural: Plural, name: string): Readonly<Record<string, unknown>> {
    return z.record(z.string(), z.unknown()).parse(this.find(plural, name)["status"]);
  }

  /** Conditions of an object, as `Ready=True`. */
  conditions(plural: Plural, name: string): readonly string[] {
    const schema = z.array(z.object({ type: z.string(), status: z.string() }));
    return schema.parse(this.status(plural, name)["conditions"]).map(({ type, status }) => `${type}=${status}`);
  }

  /** Where the platform's log ends now. */
  async last(): Promise<number> {
    return (await this.theatre.emulator.control.log.read({})).last;
  }

  /** Writes to environments and functions since then, in order; deployments that follow on each other by slug. */
  async writes(since: number): Promise<readonly Write[]> {
    const { entries } = await this.theatre.emulator.control.log.read({ after: since });
    const runs: Write[][] = [];
    for (const { operation, query } of entries) {
      const write = writeOf(operation ?? "", query);
      if (write === undefined) continue;
      const run = runs.at(-1);
      if (run?.[0]?.[0] === write[0]) run.push(write);
      else runs.push([write]);
    }
    return runs.flatMap((run) => run.toSorted(([, a], [, b]) => (a < b ? -1 : 1)));
  }

  /** How often each function of the project was deployed, as its version tells. */
  async versions(): Promise<Readonly<Record<string, number>>> {
    const { projects } = await this.theatre.emulator.control.state.read({});
    const { functions = [] } = projects.find(({ ref }) => ref === this.ref) ?? {};
    return Object.fromEntries(functions.map(({ slug, version }) => [slug, version]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
    await this.theatre[Symbol.asyncDispose]();
  }
}

function writeOf(operation: string, query: unknown): Write | undefined {
  switch (operation) {
    case "functions.deploy":
      return [operation, z.object({ slug: z.string() }).parse(query).slug];
    case "secrets.create":
    case "secrets.delete":
    case "functions.update":
      return [operation, ""];
    default:
      return undefined;
  }
}
