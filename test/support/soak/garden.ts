import type { Consent } from "./consents.ts";
import { DeclaredSettings } from "./declared-settings.ts";
import type { DriftPolicy } from "./drift-policy.ts";
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
  readonly driftPolicy: DriftPolicy;
}

/** What a Secret object declares. */
export interface DeclaredSecret {
  /** of the Kubernetes Secret behind it */
  readonly values: ReadonlyMap<string, string>;
  /** whether functions are deployed again when it has changed something */
  readonly redeploys: boolean;
  readonly driftPolicy: DriftPolicy;
}

/** What a Branch declares. */
export interface DeclaredBranch {
  /** of the branch */
  readonly name: string;
  readonly driftPolicy: DriftPolicy;
}

/** An EdgeFunction that observes a function of theirs. */
export interface Watcher {
  readonly slug: string;
  /** as it declares, which it compares and never writes */
  readonly verifyJwt: boolean;
}

/** A function that nobody puts right, as the platform has it; undefined: it is gone there. */
export type LeftFunction = FunctionState | undefined;

/** What the platform is to have of a project. */
export interface Place {
  readonly functions: Readonly<Record<string, { readonly sha256: string; readonly verifyJwt: boolean }>>;
  /** values, by name */
  readonly secrets: Readonly<Record<string, string>>;
  readonly branches: readonly string[];
}

/** What is asked of a Branch once. */
export interface BranchRequest {
  /** of the object */
  readonly name: string;
  readonly verb: "restart" | "reset" | "request-review";
  readonly id: string;
}

/** What acts for a garden, and how it is reached. */
interface Way {
  /** the user's token, or an app whose tokens expire and are replaced */
  readonly credential: "token" | "app";
  /** whether it is by the ClusterConnection, which outlasts its namespaces, and not by a Connection in each of them */
  readonly shared: boolean;
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
  /** by object name */
  readonly secrets = new Map<string, DeclaredSecret>();
  /** by object name */
  readonly branches = new Map<string, DeclaredBranch>();
  /** functions whose drift is left, since it is only reported, or not looked for */
  readonly drifted = new Map<string, LeftFunction>();
  /** the same of secrets, and of branches: what they are called there, or undefined where they are gone */
  readonly driftedSecrets = new Map<string, ReadonlyMap<string, string>>();
  readonly driftedBranches = new Map<string, string | undefined>();
  /** the same of the project's name */
  driftedName: string | undefined;
  /** functions and secrets whose objects only observe for now, as the platform has them */
  readonly observedFunctions = new Map<string, LeftFunction>();
  readonly observedSecrets = new Map<string, ReadonlyMap<string, string>>();
  /** what people put there that nobody declares */
  readonly theirFunctions = new Map<string, FunctionState>();
  readonly theirSecrets = new Map<string, string>();
  readonly theirBranches = new Set<string>();
  /** EdgeFunctions by name that ask for a slug of theirs, and must not get it */
  readonly thieves = new Map<string, string>();
  /** EdgeFunctions by name that observe one of theirs, and never touch it */
  readonly watchers = new Map<string, Watcher>();
  /** whether there was ever a branch: the first one brings the default one along */
  hasBranches = false;
  /** projects that were left to themselves, by name */
  readonly left = new Map<string, Place>();
  /** of the Project */
  readonly settings = new DeclaredSettings();
  /** how often the password of its database was replaced */
  passwords = 0;
  /** ids of the restarts that were asked for in this round */
  restarts: string[] = [];
  /** what was asked of branches in this round */
  branchRequests: BranchRequest[] = [];
  /** how often the token was replaced */
  tokens = 0;
  /** consents of the user to the app that acts for it, the one in use first; with a token that acts for it there are none */
  readonly consents: Consent[] = [];
  readonly credential: Way["credential"];
  readonly shared: boolean;
  /** whether there is the ClusterConnection, for a garden that is reached by it */
  isOpen = false;

  constructor(organization: string, { credential, shared }: Way) {
    this.organization = organization;
    this.credential = credential;
    this.shared = shared;
  }

  get namespace(): string {
    return `${this.organization}-${this.life}`;
  }

  /** Where the Secrets of the credential are. */
  get credentialNamespace(): string {
    return this.shared ? `credentials-of-${this.organization}` : this.namespace;
  }

  get token(): string {
    return `token-of-${this.organization}-${this.tokens}`;
  }

  /** The password of the project's database. */
  get password(): string {
    return `password-of-${this.organization}-${this.passwords}`;
  }

  /** What the platform is to call the project. */
  get calledNow(): string | undefined {
    return this.pausedAs ?? this.driftedName ?? this.projectName;
  }

  /** The consent that is in use. @throws Error where there is none */
  get consent(): Consent {
    const [consent] = this.consents;
    if (consent === undefined) throw new Error(`nobody consented in ${this.organization}`);
    return consent;
  }

  /** A project anew, with nothing in it. */
  found(name: string, driftPolicy: DriftPolicy): void {
    this.projectName = name;
    this.pausedAs = undefined;
    this.settings.begin(driftPolicy);
    this.forgetTheirs();
  }

  /** The Project is paused as it is, or goes on. */
  pause(paused: boolean): void {
    this.pausedAs = paused ? this.projectName : undefined;
    this.settings.pause(paused);
  }

  /** Everything in the namespace goes. @param kept the platform's side of it stays */
  leave(kept: boolean): void {
    const called = this.calledNow;
    if (kept && called !== undefined) this.left.set(called, this.#place());
    this.projectName = undefined;
    this.pausedAs = undefined;
    const declared = [this.functions, this.secrets, this.branches, this.thieves, this.watchers];
    for (const map of [...declared, this.observedFunctions, this.observedSecrets]) map.clear();
    this.settings.begin("Correct");
    this.forgetTheirs();
    this.life += 1;
  }

  /** The project is another one now: what people had in it is gone, and so is what its objects only observe. */
  forgetTheirs(): void {
    const drifted = [this.drifted, this.driftedSecrets, this.driftedBranches];
    for (const map of [...drifted, this.theirFunctions, this.theirSecrets]) map.clear();
    this.driftedName = undefined;
    for (const name of this.observedFunctions.keys()) this.observedFunctions.set(name, undefined);
    for (const name of this.observedSecrets.keys()) this.observedSecrets.set(name, new Map());
    this.settings.renew();
    this.theirBranches.clear();
    this.hasBranches = this.branches.size > 0;
  }

  /** A function as the platform is to have it, of those that an object declares; undefined: it has none. */
  functionNow(name: string): LeftFunction {
    if (this.observedFunctions.has(name)) return this.observedFunctions.get(name);
    return this.drifted.has(name) ? this.drifted.get(name) : this.functions.get(name);
  }

  /** The values of a Secret object as the platform is to have them. */
  secretNow(name: string): ReadonlyMap<string, string> {
    return (
      this.observedSecrets.get(name) ?? this.driftedSecrets.get(name) ?? this.secrets.get(name)?.values ?? new Map()
    );
  }

  /** What the platform is to call the branch of an object; undefined: it has none. */
  branchNow(name: string): string | undefined {
    return this.driftedBranches.has(name) ? this.driftedBranches.get(name) : this.branches.get(name)?.name;
  }

  /** Whether the project is not as declared, and left so. */
  get isDrifted(): boolean {
    return this.driftedName !== undefined || this.settings.isDrifted;
  }

  /** What the organization is to have, by the names of its projects. */
  expected(): Readonly<Record<string, Place>> {
    const called = this.calledNow;
    const own = called === undefined ? [] : [[called, this.#place()] as const];
    return Object.fromEntries([...this.left, ...own]);
  }

  #place(): Place {
    const own = [...this.functions.keys()].flatMap((name) => {
      const now = this.functionNow(name);
      return now === undefined ? [] : [[name, now] as const];
    });
    const functions = new Map<string, FunctionState>([...this.theirFunctions, ...own]);
    const values = [...this.secrets.keys()].flatMap((name) => [...this.secretNow(name)]);
    const declared = [...this.branches.keys()].flatMap((name) => this.branchNow(name) ?? []);
    const branches = [...(this.hasBranches ? ["main"] : []), ...declared, ...this.theirBranches];
    return {
      functions: Object.fromEntries(
        [...functions].map(([slug, { words, verifyJwt }]) => [slug, { sha256: sha256(sourceText(words)), verifyJwt }]),
      ),
      secrets: Object.fromEntries([...this.theirSecrets, ...values].map(([name, value]) => [name, sha256(value)])),
      branches: branches.toSorted(),
    };
  }
}
