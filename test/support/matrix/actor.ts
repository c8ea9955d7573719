import { type Case, goesOn, type Happening, type Rest } from "./disturbances.ts";
import type { Declared, Family, Member, Stage } from "./family.ts";
import { remoteOf } from "./family.ts";
import { configurationFaults } from "./configuration.ts";
import { adopt, askForLook, COPY_SUFFIX } from "./meddling.ts";
import { isReady, type Seen, stalledFor } from "./seen.ts";
import { type Configurable, configurable, isAsked } from "./specs.ts";
import { type Faults, faultsOf, type Picture, remoteFaults } from "./verdict.ts";
import type { World } from "./world.ts";

/** Reasons by which an object says that what is there is not its own (engine.md §4). */
const NOT_ITS_OWN: ReadonlySet<string> = new Set(["Conflict", "OwnedElsewhere"]);

function isRefused(object: Seen | undefined): boolean {
  return object !== undefined && NOT_ITS_OWN.has(stalledFor(object) ?? "");
}

/** What is made in a stage, of what can be asked for something. */
const MADE_IN: Readonly<Partial<Record<Stage, string>>> = { found: "Project", fill: "Branch" };

/** One family on its way through the stages. */
export class Actor {
  readonly family: Family;
  readonly recording: Record<Stage, readonly string[]> = { found: [], fill: [], update: [], empty: [], remove: [] };
  readonly unreached: Stage[] = [];
  readonly faults: string[] = [];
  /** for how many of its objects a key waited when an operator was asked to end */
  waiting = 0;
  /** the present one */
  stage: Stage = "found";
  /** what happens in it */
  happening: Happening | undefined;
  /** what comes of it */
  rest: Rest = "as declared";
  /** resolves when people have done what they do in the present stage */
  acted: Promise<void> = Promise.resolve();
  /** nothing more is played of it */
  over = false;
  #declares: (declared: Declared) => Declared = (declared) => declared;
  /** as it was when the stage began */
  #before = this.#declares;
  /** kinds of which one was meddled with while it was made, and not edited since */
  readonly #metWhileMade = new Set<string>();
  /** whether an object lost its record on the way */
  #isRestored = false;
  /** what was done to bring the object that was disturbed to rest */
  #helped = false;
  /** whether the platform had what was left alone, before it was */
  #had: boolean | undefined;
  readonly #world: World;

  constructor(world: World, family: Family) {
    this.#world = world;
    this.family = family;
  }

  /** @param stage what it does replaces what was declared apart from it */
  begin(stage: Stage, one: Case | undefined): void {
    const happening = one?.disturbance.at(this.#world, this.family, one.point);
    this.stage = stage;
    this.happening = happening;
    this.rest = one?.disturbance.rest ?? "as declared";
    this.#isRestored ||= this.rest === "adopted";
    if (stage === "update") this.#metWhileMade.clear();
    const kind = happening?.member.type.kind;
    if (kind !== undefined && kind === MADE_IN[stage]) this.#metWhileMade.add(kind);
    this.#helped = false;
    const before = stage === "update" ? (declared: Declared): Declared => declared : this.#declares;
    this.#before = before;
    const declares = happening?.declares;
    this.#declares = declares === undefined ? before : (declared) => declares(before(declared));
  }

  /** Its point does not come: nothing has happened. */
  passOver(): void {
    this.unreached.push(this.stage);
    this.happening = undefined;
    this.rest = "as declared";
    this.#declares = this.#before;
  }

  /** What is wrong still, and what people do about it: adopt, or delete. @param planned what the stage alone declares */
  async look(planned: Declared, picture: Picture): Promise<Faults> {
    const declared = this.#declares(planned);
    const { happening, rest } = this;
    if (happening === undefined) return faultsOf(this.family, declared, picture);
    const { member } = happening;
    switch (rest) {
      case "as declared":
        return faultsOf(this.family, declared, picture);
      case "gone":
        return this.#gone(member, declared, picture);
      case "one of two":
        return this.#oneOfTwo(member, declared, picture);
      case "adopted":
        if (!this.#helped && isRefused(this.#object(member, picture))) {
          this.#helped = true;
          const ref = member.type.kind === "Project" ? this.#projectRef(picture) : undefined;
          await adopt(this.#world.kube, this.family, member, ref);
        }
        return faultsOf(this.family, declared, picture);
      case "left alone":
        return this.#leftAlone(member, declared, picture);
      default:
        return rest satisfies never;
    }
  }

  /** What is wrong still with what its Project configures, and its Branch. */
  async lookAtConfiguration(planned: Declared, picture: Picture): Promise<Faults> {
    if (!goesOn(this.rest)) return [];
    const { form } = this.family;
    const there = configurable.filter((kind) => isAsked(kind, form) && this.#declares(planned).editions.has(kind));
    const faults = there.map((kind) => this.#lookAtConfigurationOf(kind, picture));
    return (await Promise.all(faults)).flat();
  }

  async #lookAtConfigurationOf(kind: Configurable, picture: Picture): Promise<Faults> {
    const { namespace, written, asked } = this.family;
    const object = picture.objects.find((one) => one.kind === kind && one.metadata.namespace === namespace);
    const { ref } = object?.status ?? {};
    if (object === undefined || ref === undefined) return [`there is no ${kind} with a ref`];
    const { kube, emulator } = this.#world;
    return configurationFaults(kube, object, {
      namespace,
      kind,
      url: emulator.url,
      ref,
      edition: written[kind],
      values: written.values,
      asked: asked[kind].at(-1),
      atFirstSight: this.#metWhileMade.has(kind),
      restored: this.#isRestored,
    });
  }

  /** Asks for a look at all objects. */
  askForLook(planned: Declared): Promise<void> {
    return askForLook(this.#world.kube, this.family, this.#declares(planned).editions);
  }

  #object({ type, name }: Member, { objects }: Picture, suffix = ""): Seen | undefined {
    return objects.find(
      ({ kind, metadata }) =>
        kind === type.kind && metadata.namespace === this.family.namespace && metadata.name === `${name}${suffix}`,
    );
  }

  #projectRef({ state }: Picture): string | undefined {
    const { namespace, foreign } = this.family;
    return state.projects.find(
      ({ organization, branchOf, ref }) =>
        organization === namespace && branchOf === undefined && !foreign.includes(ref),
    )?.ref;
  }

  #gone(member: Member, declared: Declared, picture: Picture): Faults {
    const left =
      this.#object(member, picture) === undefined ? [] : [`${member.type.kind} ${member.name} is there still`];
    // Children without their Project wait for another one.
    if (member.type.kind === "Project") return [...left, ...remoteFaults(this.family, declared, picture.state)];
    return [...left, ...faultsOf(this.family, declared, picture)];
  }

  #oneOfTwo(member: Member, declared: Declared, picture: Picture): Faults {
    const two = ["", COPY_SUFFIX].map((suffix) => this.#object(member, picture, suffix));
    const there = two.filter((object) => object !== undefined);
    if (there.length < 2) return faultsOf(this.family, declared, picture);
    const remote = remoteFaults(this.family, declared, picture.state);
    const [one, other] = there.map((object) => (isReady(object) ? "Ready" : isRefused(object) ? "refused" : "neither"));
    const told = new Set([one, other]);
    return told.has("Ready") && told.has("refused")
      ? remote
      : [...remote, `of two ${member.type.kind}s one is ${one}, the other ${other}`];
  }

  async #leftAlone(member: Member, declared: Declared, picture: Picture): Promise<Faults> {
    const object = this.#object(member, picture);
    if (!this.#helped && object !== undefined && isRefused(object)) {
      this.#helped = true;
      this.#had = this.#has(member, picture);
      await this.family.delete(member);
      return ["being left alone"];
    }
    if (!this.#helped) return faultsOf(this.family, declared, picture);
    if (object !== undefined) return [`${member.type.kind} ${member.name} is there still`];
    return this.#has(member, picture) === this.#had ? [] : [`${member.type.kind} ${member.name} took its thing along`];
  }

  /** Whether the platform has what the object stands for. */
  #has({ type }: Member, { state }: Picture): boolean {
    const [shop] = Object.values(remoteOf(state, this.family));
    if (shop === undefined) return false;
    switch (type.kind) {
      case "Project":
        return true;
      case "Branch":
        return shop.branches.some((name) => name.startsWith("preview") && name !== "preview-2");
      case "EdgeFunction":
        return "hello" in shop.functions;
      default:
        return "KEPT" in shop.secrets;
    }
  }

  /** What is there although all objects were deleted; a project that was left alone may be. */
  leftovers(picture: Picture): Faults {
    const left = this.#helped && this.rest === "left alone" && this.happening?.member.type.kind === "Project";
    const faults = faultsOf(this.family, { editions: new Map(), joined: true }, picture);
    return left ? faults.filter((fault) => !fault.startsWith("the platform has")) : faults;
  }
}
