/** What looks look for, and may not find. */
export type Sought =
  | { readonly kind: "project"; readonly ref: string }
  /** @property id tells it best: its ref is forgotten first, and records written long ago have no id */
  | { readonly kind: "branch"; readonly ref: string; readonly id?: string | undefined }
  /** what a request was to make whose answer was lost */
  | { readonly kind: "intended"; readonly what: "project" | "branch"; readonly name: string }
  | { readonly kind: "function"; readonly ref: string; readonly slug: string }
  | { readonly kind: "secrets"; readonly ref: string; readonly names: readonly string[] }
  | { readonly kind: "actionRun"; readonly id: string }
  /** what a request was asked of, which answered 404 */
  | { readonly kind: "request"; readonly verb: string; readonly request: string }
  | { readonly kind: "hostname"; readonly hostname: string }
  /** what a section is about, of which the platform says that there is none */
  | { readonly kind: "section"; readonly ref: string; readonly name: string };

/** A branch, as a list or a record has it. */
interface BranchFacts {
  readonly ref: string;
  readonly id?: string | undefined;
}

export function soughtBranch({ ref, id }: BranchFacts): Extract<Sought, { readonly kind: "branch" }> {
  return { kind: "branch", ref, id };
}

/** Tells one from all others that an object looks for. */
export function soughtKey(sought: Sought): string {
  return JSON.stringify([sought.kind, ...identityOf(sought)]);
}

function identityOf(sought: Sought): readonly string[] {
  switch (sought.kind) {
    case "project":
      return [sought.ref];
    case "branch":
      return sought.id === undefined ? ["ref", sought.ref] : ["id", sought.id];
    case "intended":
      return [sought.what, sought.name];
    case "function":
      return [sought.ref, sought.slug];
    case "secrets":
      return [sought.ref, ...sought.names];
    case "actionRun":
      return [sought.id];
    case "request":
      return [sought.verb, sought.request];
    case "hostname":
      return [sought.hostname];
    case "section":
      return [sought.ref, sought.name];
    default:
      return sought satisfies never;
  }
}

/** For people: "project abcdefghijklmnopqrst". */
export function nameOf(sought: Sought): string {
  switch (sought.kind) {
    case "project":
      return `project ${sought.ref}`;
    case "branch":
      return `branch ${sought.ref}`;
    case "intended":
      return `${sought.what} ${sought.name}`;
    case "function":
      return `function ${sought.slug} of ${sought.ref}`;
    case "secrets":
      return `secrets ${sought.names.join(", ")} of ${sought.ref}`;
    case "actionRun":
      return `action run ${sought.id}`;
    case "request":
      return `${sought.verb} ${sought.request}`;
    case "hostname":
      return `hostname ${sought.hostname}`;
    case "section":
      return `${sought.name} of ${sought.ref}`;
    default:
      return sought satisfies never;
  }
}
