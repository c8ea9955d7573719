import { branchKind } from "../../../src/resources/branch/kind.ts";
import { projectKind } from "../../../src/resources/project/kind.ts";
import { requestAnnotation } from "../../../src/resources/requests.ts";
import { type Life, NAMESPACE, type Theatre } from "./life.ts";

/** Objects of which something is asked by annotations, and what came of it. */

type AskedKind = "Project" | "Branch";

const PLURALS = { Project: "projects", Branch: "branches" } as const;

/** A Project whose project outlives it. */
export const SHOP = { organization: "acme", deletionPolicy: "Retain" } as const;

/** Objects in a theatre, what is asked of them, and what was asked of the platform. */
export class Asked {
  readonly #theatre: Theatre | (() => Theatre);

  /** @param theatre or which it is now: a file may have one for each of its tests */
  constructor(theatre: Theatre | (() => Theatre)) {
    this.#theatre = theatre;
  }

  get theatre(): Theatre {
    return typeof this.#theatre === "function" ? this.#theatre() : this.#theatre;
  }

  /** As kubectl apply: without annotations those that stand stay. */
  put(kind: AskedKind, name: string, spec: object, annotations?: object): void {
    const before = this.theatre.kubernetes.get(PLURALS[kind], NAMESPACE, name)?.metadata.annotations;
    const metadata = { name, namespace: NAMESPACE, annotations: { ...before, ...annotations } };
    this.theatre.kubernetes.put(PLURALS[kind], { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
  }

  /** A life in which the Project `shop` is at rest. */
  async withShop(spec: object = {}): Promise<Life> {
    this.put("Project", "shop", { ...SHOP, ...spec });
    const life = await this.theatre.life();
    const { kind } = await life.settle("Project", "shop");
    if (kind !== "done") throw new Error(`the Project shop ends ${kind}`);
    return life;
  }

  /** A life in which the Branch `preview` of the Project `shop` is at rest. */
  async withPreview(spec: object = {}): Promise<Life> {
    const life = await this.withShop();
    this.put("Branch", "preview", { projectRef: { name: "shop" }, ...spec });
    const { kind } = await life.settle("Branch", "preview");
    if (kind !== "done") throw new Error(`the Branch preview ends ${kind}`);
    return life;
  }

  /** Asks for what takes its time, which begins. */
  async begin(life: Life, kind: AskedKind, name: string, verb: string): Promise<void> {
    this.ask(kind, name, verb, "1");
    await life.run(kind, name);
    const state = this.requests(kind, name, verb).at(-1)?.state;
    if (state !== "Running") throw new Error(`the ${verb} is ${state ?? "not recorded"}`);
  }

  /** Ref of the project of `shop`. */
  shopRef(): string {
    return this.project("shop").ref ?? "";
  }

  /** As kubectl annotate; undefined takes the annotation away. */
  ask(kind: AskedKind, name: string, verb: string, request: string | undefined): void {
    const object = this.theatre.kubernetes.get(PLURALS[kind], NAMESPACE, name);
    if (object === undefined) throw new Error(`there is no ${kind} ${name}`);
    const { [requestAnnotation(verb)]: _, ...others } = object.metadata.annotations ?? {};
    const annotations = request === undefined ? others : { ...others, [requestAnnotation(verb)]: request };
    this.theatre.kubernetes.put(PLURALS[kind], { ...object, metadata: { ...object.metadata, annotations } });
  }

  project(name: string): ReturnType<typeof projectKind.parseStatus> {
    return projectKind.parseStatus(this.theatre.kubernetes.get("projects", NAMESPACE, name));
  }

  branch(name: string): ReturnType<typeof branchKind.parseStatus> {
    return branchKind.parseStatus(this.theatre.kubernetes.get("branches", NAMESPACE, name));
  }

  /** The requests of a verb, oldest first, as the status tells them. */
  requests(kind: AskedKind, name: string, verb: string) {
    const { requests = [] } = kind === "Project" ? this.project(name) : this.branch(name);
    return requests.filter((record) => record.verb === verb);
  }

  condition(kind: AskedKind, name: string, type: string): object | undefined {
    const { conditions } = kind === "Project" ? this.project(name) : this.branch(name);
    return conditions.find((condition) => condition.type === type);
  }

  /** How often an operation was asked for. */
  async calls(operation: string): Promise<number> {
    return (await this.theatre.emulator.control.log.read({ operation })).entries.length;
  }

  /** Runs an object until nothing that was asked of it is under way any more. */
  async settle(life: Life, kind: AskedKind, name: string): Promise<void> {
    for (let run = 0; run < 100 && !life.dead; run += 1) {
      await life.settle(kind, name);
      const { requests = [] } = kind === "Project" ? this.project(name) : this.branch(name);
      if (!requests.some(({ state }) => ["Waiting", "Sending", "Running"].includes(state))) return;
      await this.theatre.pass(2000);
    }
  }
}
