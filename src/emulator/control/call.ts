import { z } from "zod";

/** How a control call is declared. The calls stand in calls.ts and, for larger groups, in a file of their group beside it. */
export interface ControlCall {
  readonly summary: string;
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

/** Declares a call and keeps its literal types, from which the control and its client are typed. */
export function call<const C extends ControlCall>(declaration: C): C {
  return declaration;
}

/** What does a call, on inputs that its schema accepted. Whatever a call that is only `done` returns is answered to nobody. */
export type Implementation<C> = C extends { input: infer I extends z.ZodType; output: infer O extends z.ZodType }
  ? (input: z.output<I>) => typeof done extends O ? void : z.output<O>
  : never;

/** What does the calls of several groups. */
export type Implementations<G> = {
  readonly [N in keyof G]: { readonly [V in keyof G[N]]: Implementation<G[N][V]> };
};

/** The input of a call that takes none. */
export const nothing = z.strictObject({});
/** The output of a call that only does what it is asked. */
export const done = z.object({});
