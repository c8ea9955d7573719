import { z } from "zod";
import { type FluxKind, type FluxState, READY } from "../artifacts/flux.ts";
import { ArtifactServer, type Published } from "../artifacts/server.ts";
import { putFluxSource } from "./flux-source.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "./life.ts";
import { inShop } from "./redeploy-bench.ts";
import { AT_ONCE } from "./shop.ts";
import { WholeOperator } from "./whole-operator.ts";

/** Functions of a project whose sources are artifacts of Flux: a whole operator, an apiserver that keeps objects, and a server of artifacts. */
export class FluxBench implements AsyncDisposable {
  readonly theatre: Theatre;
  readonly server: ArtifactServer;
  #operator: WholeOperator;
  #life: Life;

  private constructor(theatre: Theatre, server: ArtifactServer, parts: { life: Life; operator: WholeOperator }) {
    this.theatre = theatre;
    this.server = server;
    this.#operator = parts.operator;
    this.#life = parts.life;
  }

  static async open(): Promise<FluxBench> {
    const theatre = await openTheatre(AT_ONCE);
    const server = await ArtifactServer.start();
    const metadata = { name: "shop", namespace: NAMESPACE };
    const spec = { organization: "acme" };
    theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
    const bench = new FluxBench(theatre, server, await begun(theatre));
    await bench.rest();
    return bench;
  }

  /** Another life of the operator, which knows nothing of the one before. */
  async begin(): Promise<void> {
    await this.#operator[Symbol.asyncDispose]();
    const { life, operator } = await begun(this.theatre);
    this.#life = life;
    this.#operator = operator;
    await this.rest();
  }

  get life(): Life {
    return this.#life;
  }

  /** Does something, and lets it come to rest. */
  async rest(act: () => unknown = () => undefined, ms = 8000): Promise<void> {
    await act();
    this.#operator.look();
    await this.#operator.advance(ms);
  }

  /** Applies a function whose source is an artifact. */
  fn(name: string, ref: object, spec: object = {}): void {
    this.theatre.kubernetes.put("edgefunctions", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "EdgeFunction",
      metadata: { name, namespace: NAMESPACE },
      spec: { ...inShop, source: { artifactRef: { kind: "GitRepository", name: "app", ...ref } }, ...spec },
    });
  }

  /** Applies a source object with a status, as the source-controller leaves it. */
  source(state: FluxState, kind: FluxKind = "GitRepository", name = "app"): Promise<void> {
    return putFluxSource(this.theatre, this.#life, { kind, name, state });
  }

  /** The source-controller publishes these files and is Ready. */
  async publish(files: Readonly<Record<string, string>>): Promise<Published> {
    const artifact = this.server.publish(files);
    await this.source({ artifact, ready: READY });
    return artifact;
  }

  status(name: string): Readonly<Record<string, unknown>> {
    const object = this.theatre.kubernetes.get("edgefunctions", NAMESPACE, name);
    return z.record(z.string(), z.unknown()).parse(object?.["status"] ?? {});
  }

  /** The condition Ready, as `False Reason: message`. */
  ready(name: string): string {
    const schema = z.array(z.object({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() }));
    const found = schema.parse(this.status(name)["conditions"] ?? []).find(({ type }) => type === "Ready");
    return found === undefined ? "none" : `${found.status} ${found.reason}: ${found.message}`;
  }

  /** Writes to functions since the log was cleared last, and clears it. */
  async writes(): Promise<readonly string[]> {
    const { log } = this.theatre.emulator.control;
    const { entries } = await log.read({});
    await log.clear();
    return entries.flatMap(({ method, operation }) =>
      method !== "GET" && operation?.startsWith("functions.") === true ? [operation] : [],
    );
  }

  /** The deployed files of a function, by path, as their digests. */
  async deployed(slug: string): Promise<readonly string[]> {
    const { projects } = await this.theatre.emulator.control.state.read({});
    const found = projects.flatMap(({ functions }) => functions).find((one) => one.slug === slug);
    return (found?.files ?? []).map(({ path }) => path);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator[Symbol.asyncDispose]();
    await this.theatre[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }
}

async function begun(theatre: Theatre): Promise<{ life: Life; operator: WholeOperator }> {
  const life = await theatre.life();
  return { life, operator: await WholeOperator.start({ ...theatre, life: () => Promise.resolve(life) }) };
}
