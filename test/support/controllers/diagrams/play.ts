import type { ApiClient } from "../../../../src/api/client.ts";
import { type Logger, silentLogger } from "../../../../src/base/log.ts";
import type { Session } from "../../../../src/controllers/shared/sessions.ts";
import type { EmulatorOptions } from "../../../../src/emulator/emulator.ts";
import type { KubeObject } from "../../../../src/resources/meta.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../life.ts";
import { WholeOperator } from "../whole-operator.ts";
import { History, stateOf } from "./history.ts";

/** What a step of a scenario leaves in the history of the object that it is about. */
export interface Played {
  readonly what: string;
  /** the states that followed on each other, beginning with the one before the step; `gone` at the end */
  readonly path: readonly string[];
  /** Ready of each version */
  readonly ready: readonly string[];
}

const KINDS = {
  connections: "Connection",
  clusterconnections: "ClusterConnection",
  projects: "Project",
  branches: "Branch",
  edgefunctions: "EdgeFunction",
  secrets: "Secret",
  configmaps: "ConfigMap",
} as const;
type Plural = keyof typeof KINDS;
/** Longer than a drift interval, milliseconds: what is to be noticed was. */
const REST_MS = 1_300_000;

interface PlayOptions {
  readonly log?: Logger;
  readonly ownConnections?: boolean;
}

/** An object's place: those of the whole cluster have no namespace. */
function placeOf(plural: Plural): { readonly namespace?: string } {
  return plural === "clusterconnections" ? {} : { namespace: NAMESPACE };
}

/** A whole operator whose every word of an object is kept. */
export class Play implements AsyncDisposable {
  readonly theatre: Theatre;
  readonly history = new History();
  #operator: WholeOperator | undefined;
  #life: Life | undefined;
  readonly #log: Logger;

  private constructor(theatre: Theatre, log: Logger) {
    this.theatre = theatre;
    this.#log = log;
  }

  /**
   * @param options.log where each run is told; default: nowhere
   * @param options.ownConnections as of `openTheatre`
   */
  static async open(emulator: EmulatorOptions = {}, options: PlayOptions = {}): Promise<Play> {
    const { log = silentLogger, ownConnections = false } = options;
    const play = new Play(await openTheatre(emulator, { ownConnections }), log);
    await play.#begin();
    return play;
  }

  /** Events of the present life. */
  get events(): Life["events"] {
    return this.#life?.events ?? [];
  }

  /** A person's client, with the same account. */
  get client(): ApiClient {
    return this.#session.client;
  }

  /** The connection sets these policies from now on, as its controller would tell. */
  setDefaults(defaults: Session["defaults"]): void {
    this.#life?.environment.sessions.set({ ...this.#session, defaults });
  }

  get #session(): Session {
    const session = this.#life?.environment.sessions.get(`Connection/${NAMESPACE}/default`);
    if (session === undefined) throw new Error("the connection is closed");
    return session;
  }

  /** Applies an object of ours. */
  put(plural: Exclude<Plural, "configmaps">, name: string, spec: object, metadata: object = {}): void {
    const object = { apiVersion: "baas.dev/v1alpha1", kind: KINDS[plural] };
    this.theatre.kubernetes.put(plural, { ...object, metadata: { name, ...placeOf(plural), ...metadata }, spec });
  }

  /** Applies a core Secret or a ConfigMap. */
  putCore(plural: "secrets" | "configmaps", name: string, values: Readonly<Record<string, string>>): void {
    const data =
      plural === "configmaps"
        ? values
        : Object.fromEntries(
            Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
          );
    const metadata = { name, namespace: NAMESPACE };
    this.theatre.kubernetes.put(plural, { apiVersion: "v1", kind: KINDS[plural], metadata, data });
  }

  annotate(plural: Plural, name: string, annotations: Readonly<Record<string, string | undefined>>): void {
    const object = this.find(plural, name);
    if (object === undefined) throw new Error(`there is no ${name}`);
    const all = Object.entries({ ...object.metadata.annotations, ...annotations });
    const left = Object.fromEntries(all.filter(([, value]) => value !== undefined));
    this.theatre.kubernetes.put(plural, { ...object, metadata: { ...object.metadata, annotations: left } });
  }

  find(plural: Plural, name: string): KubeObject | undefined {
    return this.theatre.kubernetes.get(plural, placeOf(plural).namespace ?? "", name);
  }

  statusOf(plural: Plural, name: string): Readonly<Record<string, unknown>> {
    return (this.find(plural, name)?.["status"] ?? {}) as Readonly<Record<string, unknown>>;
  }

  /** Does something, lets it come to rest, and notes what was shown of an object meanwhile. */
  async step(
    about: { readonly kind: string; readonly name: string },
    what: string,
    act: () => unknown,
    restMs = REST_MS,
  ): Promise<Played> {
    const { kind, name } = about;
    const namespace = kind === "ClusterConnection" ? "" : NAMESPACE;
    const before = this.history.of(kind, name, namespace).length;
    await act();
    this.#operator?.look();
    await this.#operator?.advance(restMs);
    const versions = this.history.of(kind, name, namespace).slice(Math.max(0, before - 1));
    const states = [...(before === 0 ? ["-"] : []), ...versions.map(stateOf)];
    const path = states.filter((state, at) => at === 0 || state !== states[at - 1]);
    const end = this.history.isGone(kind, name, namespace) ? ["gone"] : [];
    const ready = versions.map((version) => stateOf(version).split(" ", 1)[0] ?? "");
    return { what, path: [...path, ...end], ready };
  }

  async restart(): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
    await this.#begin();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator?.[Symbol.asyncDispose]();
    await this.theatre[Symbol.asyncDispose]();
  }

  async #begin(): Promise<void> {
    const life = async (requests?: number): Promise<Life> => {
      const begun = await this.theatre.life(requests);
      this.history.follow(begun.stores.ours);
      this.#life = begun;
      return begun;
    };
    this.#operator = await WholeOperator.start({ ...this.theatre, life }, this.#log);
  }
}
