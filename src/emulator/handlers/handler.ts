import type { z } from "zod";
import type { Contract } from "../../api/contract/contract.ts";
import type { BodySpec, Operation } from "../../api/contract/operation.ts";
import type { Caller } from "../access.ts";
import type { BasicCredentials } from "../access/basic.ts";
import type { Reply } from "../http/answer.ts";
import type { StoredFile } from "../functions/function-state.ts";

type BodyOutput<B extends BodySpec> = B extends { encoding: "multipart"; metadata: infer M extends z.ZodType }
  ? { readonly metadata: z.output<M>; readonly files: readonly StoredFile[] }
  : B extends { encoding: "bundle-or-json"; schema: infer S extends z.ZodType }
    ? z.output<S> | Uint8Array
    : B extends { schema: infer S extends z.ZodType }
      ? z.output<S>
      : never;

/** A request that passed the limits, the rights and the contract's schemas. */
export interface HandlerRequest<O extends Operation> {
  readonly params: Readonly<z.output<O["params"]>>;
  readonly query: Readonly<z.output<O["query"]>>;
  readonly body: O extends { body: infer B extends BodySpec } ? BodyOutput<B> : undefined;
  /** undefined only where the operation takes no token and none came */
  readonly caller: O extends { readonly access: "public" } ? Caller | undefined : Caller;
  /** user and password of a Basic Authorization header, as OAuth clients send one */
  readonly basic: BasicCredentials | undefined;
  /** where the request comes from */
  readonly address: string;
  /** the Accept header, lower case */
  readonly accept: string;
  /** called once the SQL of the body comes to the database: what logs show of it ran */
  readonly onSql: () => void;
}

/** What one operation does. Refuses by throwing ApiFailure; any other error is a fault of the emulator and answers 500. */
export type Handler<O extends Operation> = (request: HandlerRequest<O>) => Reply<O> | Promise<Reply<O>>;

/** The handlers of a section: one for every operation, or it is a type error. */
export type SectionHandlers<S extends keyof Contract> = {
  readonly [V in keyof Contract[S]]: Contract[S][V] extends infer O extends Operation ? Handler<O> : never;
};

/** The handlers of the whole contract. */
export type Handlers = { readonly [S in keyof Contract]: SectionHandlers<S> };
