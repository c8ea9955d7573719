import type { z } from "zod";

/**
 * src/api/contract: the Management API as data. Every operation of the catalogue is declared exactly once; the typed client, the
 * emulator's routes, the OpenAPI document and the operations reference are derived from the declarations. Nothing here does I/O.
 *
 * Requests are declared strictly (an unknown key is an error before anything is sent). Responses are declared tolerantly: extra
 * fields are kept, enums are open, since "clients must stay tolerant" (facts.md, head).
 */

export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Bytes that are read while they are sent, from the beginning at each sending, and never held whole. A Blob is one, so that
 * `await fs.openAsBlob(path)` uploads a file.
 */
export interface UploadSource {
  /** how many bytes `stream` gives */
  readonly size: number;
  stream(): AsyncIterable<Uint8Array>;
}

/** One file of a multipart upload. `path` travels as the part's filename. */
export interface UploadFile {
  readonly path: string;
  readonly content: string | Uint8Array | UploadSource;
}

/**
 * A JSON body that is sent as it is, made of what an answer told. For requests that replace a whole of which a newer service may know more than the
 * contract: a body that leaves that out would take it away.
 */
export class Verbatim {
  readonly value: Readonly<Record<string, unknown>>;

  constructor(value: Readonly<Record<string, unknown>>) {
    this.value = value;
  }
}

/** How a request body is written on the wire. */
export type BodySpec =
  /**
   * `orForm`: written as JSON; servers also take a form (RFC 7009 §2.1 has one where the catalogue names no encoding). `verbatim`: a caller may give a
   * Verbatim instead of what the schema asks for
   */
  | { readonly encoding: "json"; readonly schema: z.ZodType; readonly orForm?: true; readonly verbatim?: true }
  | { readonly encoding: "form"; readonly schema: z.ZodType }
  /** multipart/form-data with one `metadata` field (JSON) and repeated `file` parts (facts.md §2, function deploy) */
  | { readonly encoding: "multipart"; readonly metadata: z.ZodType }
  /** the body is either a bundle sent as it is, or JSON (facts.md §2, function create/patch (old)) */
  | { readonly encoding: "bundle-or-json"; readonly mediaType: string; readonly schema: z.ZodType };

/** What a successful answer carries. */
export type ResponseSpec =
  | { readonly kind: "json"; readonly status: number; readonly schema: z.ZodType }
  /**
   * nothing that a caller would read: any body but a page of HTML is accepted and ignored, also none (facts.md, head: "clients accept either").
   * `body`: what servers send all the same, a catalogue's `{}` or what facts.md §5 has in its place ("Success bodies"); absent: no body
   */
  | { readonly kind: "empty"; readonly status: number; readonly body?: Readonly<Record<string, string>> }
  /** a caller that does not ask for a form may be given a bundle of that type instead (facts.md §2, function body GET) */
  | {
      readonly kind: "multipart";
      readonly status: number;
      readonly metadata: z.ZodType;
      readonly bundleMediaType?: string;
    }
  /** text for people or for another program, in no form that the catalogue shows (a diff, logs) */
  | { readonly kind: "text"; readonly status: number }
  /** no body; a count in the header X-Total-Count (facts.md §6.11) */
  | { readonly kind: "count"; readonly status: number };

/**
 * What a request counts against beside its identity (facts.md, "Scope of a request").
 * - `project`: `{ref}` of the path; `organization`: `{slug}` of the path; `bodyOrganization`: organization_slug of the body
 * - `branchParent`: the project that the branch belongs to; `identity`: the identity alone
 */
export type LimitScope = "project" | "organization" | "bodyOrganization" | "branchParent" | "identity";

/** A further window that requests of a class pass beside the standard one (behaviour.md, "Endpoint exceptions"). */
export interface LimitClass {
  readonly name: string;
  readonly windows: readonly { readonly requests: number; readonly windowMs: number }[];
}

/** The limit that every request passes: 120 per minute, identity and scope (behaviour.md, "Standard rate limit"). */
export const STANDARD_LIMIT: LimitClass = {
  name: "standard",
  windows: [{ requests: 120, windowMs: 60_000 }],
};

export type Stability = "stable" | "beta" | "alpha" | "experimental";

/**
 * What a client may do after an answer that does not tell whether the request took effect.
 * - `read`: changes nothing, may be sent again after any failure
 * - `idempotent`: a second one has no further effect, may be sent again
 * - `once`: sent again only when the failure proves that nothing happened (engine.md §4)
 */
export type RetrySafety = "read" | "idempotent" | "once";

/** Permissions of a fine-grained token in disjunctive form: any one of the lists, each of them whole (facts.md §6.10). */
export type Permissions = readonly (readonly string[])[];

/** All of the named permissions. */
export const allOf = (...names: readonly string[]): Permissions => [names];
/** Any one of the named permissions. */
export const anyOf = (...names: readonly string[]): Permissions => names.map((name) => [name]);
/** The catalogue lists none. */
export const NO_PERMISSIONS: Permissions = [];

export type Plan = "free" | "pro" | "team" | "enterprise" | "platform";

/**
 * How a list is read on, page by page. `items` names the field of the answer that holds the items; absent: the answer is their list.
 * - `offset`: query `offset`; `pagination.count` of the answer, where it has one, tells how many there are
 * - `links`: `links.next` of the answer holds the next `page[after]` (behaviour.md, cursor-paginated envelope)
 * - `cursor`: `cursor` of the answer is the next query `cursor`
 */
export interface Pagination {
  readonly by: "offset" | "links" | "cursor";
  readonly items?: string;
}

/** One operation of the Management API. */
export interface Operation {
  /** `section.verb`; also the client's method path */
  readonly id: string;
  readonly summary: string;
  readonly method: Method;
  /** path template with `{name}` parameters */
  readonly path: string;
  readonly params: z.ZodObject;
  readonly query: z.ZodObject;
  readonly body?: BodySpec;
  readonly success: ResponseSpec;
  /** absent: the answer is all there is */
  readonly pagination?: Pagination;
  /** documented failure statuses, the section-5 rows of facts.md included */
  readonly errors: readonly number[];
  /** those of them whose body may be the words alone, as a JSON string (facts.md §5, "ssl enforcement unsupported") */
  readonly bareErrors?: readonly number[];
  /** OAuth scopes, all required; empty when the catalogue lists none */
  readonly scopes: readonly string[];
  readonly permissions: Permissions;
  /** what a fine-grained token needs besides to be shown the secrets of the answer; absent: it shows none, or all (facts.md §3 and §6.9) */
  readonly secretPermission?: string;
  /** plans that may call it; absent: all */
  readonly plans?: readonly Plan[];
  /** OAuth apps that may call it: those that the platform registered as partners (facts.md §2, migrations), or none; absent: see `isOpenToApps` */
  readonly apps?: "partner" | "none";
  readonly limitScope: LimitScope;
  /** further limit beside STANDARD_LIMIT */
  readonly limitClass?: LimitClass;
  readonly stability: Stability;
  /** "will be removed"; another operation or none takes its place (behaviour.md, Versioning 2 and 4) */
  readonly deprecated?: true;
  /** asks for no token: the OAuth endpoints, and what somebody who is no user yet accepts an invitation with */
  readonly access?: "public";
  /** whoever would like to see a page is sent on to one with 303, which is outside the contract (facts.md §6.14) */
  readonly browser?: "sent on";
  readonly retry: RetrySafety;
}

/**
 * Whether the token of an app may call it at all. A token is "limited to approved scopes" (behaviour.md, Authentication 2), and what no scope covers
 * nobody approved: such an operation is open to apps where it only reads, as the profile, and closed where it changes something, as add-ons that cost money.
 */
export function isOpenToApps({ apps, scopes, retry }: Pick<Operation, "apps" | "scopes" | "retry">): boolean {
  return apps !== "none" && (scopes.length > 0 || retry === "read");
}

/** Declares an operation and keeps its literal types, from which the client is typed. */
export function operation<const O extends Operation>(declaration: O): O {
  return declaration;
}

type BodyInput<B extends BodySpec> = B extends { encoding: "multipart"; metadata: infer M extends z.ZodType }
  ? { readonly metadata: z.input<M>; readonly files: readonly UploadFile[] }
  : B extends { encoding: "bundle-or-json"; schema: infer S extends z.ZodType }
    ? z.input<S> | Uint8Array | UploadSource
    : B extends { verbatim: true; schema: infer S extends z.ZodType }
      ? z.input<S> | Verbatim
      : B extends { schema: infer S extends z.ZodType }
        ? z.input<S>
        : never;

/** A strict object without fields has the type Record<string, never>, which would turn every other field into never. */
type ParametersInput<S extends z.ZodObject> = keyof S["shape"] extends never
  ? Readonly<Record<never, never>>
  : Readonly<z.input<S>>;

/**
 * What a caller gives: path and query parameters flat, and `body` where the operation has one. Inferred and mapped to be an object type of its
 * own: compilers name any other one by all of the operation in each error.
 */
export type OperationInput<O extends Operation> =
  InputParts<O> extends infer Parts ? { [Name in keyof Parts]: Parts[Name] } : never;

type InputParts<O extends Operation> = ParametersInput<O["params"]> &
  ParametersInput<O["query"]> &
  (O extends { body: infer B extends BodySpec } ? BodyParameter<BodyInput<B>> : unknown);

/** One in which nothing is required may be left out, as on the wire. */
type BodyParameter<B> = Record<never, never> extends B ? { readonly body?: B } : { readonly body: B };

/** What a successful call gives. */
export type OperationOutput<O extends Operation> = O["success"] extends {
  kind: "json";
  schema: infer S extends z.ZodType;
}
  ? z.output<S>
  : O["success"] extends { kind: "multipart"; metadata: infer M extends z.ZodType }
    ? {
        readonly metadata: z.output<M>;
        readonly files: readonly { readonly path: string; readonly content: Uint8Array }[];
      }
    : O["success"] extends { kind: "count" }
      ? { readonly count: number }
      : O["success"] extends { kind: "text" }
        ? string
        : undefined;
