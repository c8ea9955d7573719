import type { Consent } from "./consents.ts";
import { sourceText, sha256 } from "../stage/functions.ts";

/** What a function is, as far as it is compared. */
export interface FunctionState {
  readonly words: string;
  readonly verifyJwt: boolean;
}

/** What an EdgeFunction declares. */
export interface DeclaredFunction extends FunctionState {
  /** whether its source is in a ConfigMap */
  readonly inConfigMap: boolean;
  /** whether drift is only reported */
  readonly reports: boolean;
}

/** What the platform is to have of a project. */
export interface Place {
  readonly functions: Readonly<Record<string, { readonly sha256: string; readonly verifyJwt: boolean }>>;
  /** values, by name */
  readonly secrets: Readonly<Record<string, string>>;
  readonly branches: readonly string[];
}

/**
 * The model of one namespace and its organization: what is declared in the cluster, what people did on the platform that is theirs to do, and
 * from both what should be there when all is at rest. Pure: nothing is asked, and nothing here knows how it comes about.
 */
export class Garden {
  readonly organization: string;
  /** rises when all of it went */
  life = 0;
  /** the Project's own name; undefined while there is none */
  projectName: string | undefined;
  /** what the project was called when the Project was paused, and is while that lasts; undefined while it is not */
  pausedAs: string | undefined;
  /** by object name, which is the slug */
  readonly functions = new Map<string, DeclaredFunction>();
  /** by object name: the values of the Kubernetes Secret behind it */
  readonly secrets = new Map<string, ReadonlyMap<string, string>>();
  /** names of branches by object name */
  readonly branches = new Map<string, string>();
  /** functions of which drift is reported and left */
  readonly drifted = new Map<string, FunctionState>();
  /** what people put there that nobody declares */
  readonly theirFunctions = new Map<string, FunctionState>();
  readonly theirSecrets = new Map<string, string>();
  readonly theirBranches = new Set<string>();
  /** EdgeFunctions by name that ask for a slug of theirs, and must not get it */
  readonly thieves = new Map<string, string>();
  /** whether there was ever a branch: the first one brings the default one along */
  hasBranches = false;
  /** projects that were left to themselves, by name */
  readonly left = new Map<string, Place>();
  /** how often the token was replaced */
  tokens = 0;
  /** consents of the user to the app that acts for it, the one in use first; with a token that acts for it there are none */
  readonly consents: Consent[] = [];
  /** what acts for it: the user's token, or an app whose tokens expire and are replaced */
  readonly credential: "token" | "app";

  constructor(organization: string, credential: "token" | "app") {
    this.organization = organization;
    this.credential = credential;
  }

  get namespace(): string {
    return `${this.organization}-${this.life}`;
  }

  get token(): string {
    return `token-of-${this.organization}-${this.tokens}`;
  }

  /** What the platform is to call the project. */
  get calledNow(): string | undefined {
    return this.pausedAs ?? this.projectName;
  }

  /** The consent that is in use. @throws Error where there is none */
  get consent(): Consent {
    const [consent] = this.consents;
    if (consent === undefined) throw new Error(`nobody consented in ${this.organization}`);
    return consent;
  }

  /** A project anew, with nothing in it. */
  found(name: string): void {
    this.projectName = name;
    this.pausedAs = undefined;
    this.forgetTheirs();
  }

  /** Everything in the namespace goes. @param kept the platform's side of it stays */
  leave(kept: boolean): void {
    const called = this.calledNow;
    if (kept && called !== undefined) this.left.set(called, this.#place());
    this.projectName = undefined;
    this.pausedAs = undefined;
    for (const map of [this.functions, this.secrets, this.branches, this.thieves]) map.clear();
    this.forgetTheirs();
    this.life += 1;
  }

  /** The project is another one now: what people had in it is gone. */
  forgetTheirs(): void {
    for (const map of [this.drifted, this.theirFunctions, this.theirSecrets]) map.clear();
    this.theirBranches.clear();
    this.hasBranches = this.branches.size > 0;
  }

  /** What the organization is to have, by the names of its projects. */
  expected(): Readonly<Record<string, Place>> {
    const called = this.calledNow;
    const own = called === undefined ? [] : [[called, this.#place()] as const];
    return Object.fromEntries([...this.left, ...own]);
  }

  #place(): Place {
    const functions = new Map<string, FunctionState>([...this.theirFunctions, ...this.functions, ...this.drifted]);
    const declared = [...this.secrets.values()].flatMap((values) => [...values]);
    const branches = [...(this.hasBranches ? ["main"] : []), ...this.branches.values(), ...this.theirBranches];
    return {
      functions: Object.fromEntries(
        [...functions].map(([slug, { words, verifyJwt }]) => [slug, { sha256: sha256(sourceText(words)), verifyJwt }]),
      ),
      secrets: Object.fromEntries([...this.theirSecrets, ...declared].map(([name, value]) => [name, sha256(value)])),
      branches: branches.toSorted(),
    };
  }
}
