import type { z } from "zod";
import { actionCalls } from "./actions.ts";
import type { ControlCall, Implementations } from "./call.ts";
import { functionCalls } from "./functions.ts";
import { hostingCalls } from "./hosting.ts";
import { infrastructureCalls } from "./infrastructure.ts";
import { jitCalls } from "./jit.ts";
import { lifeCalls } from "./lives.ts";
import { oauthCalls } from "./oauth.ts";
import { requestCalls } from "./requests.ts";
import { rightsCalls } from "./rights.ts";
import { snippetCalls } from "./snippets.ts";
import { stateCalls } from "./state.ts";
import { thirdPartyAuthCalls } from "./third-party-auth.ts";

/**
 * src/emulator/control: how tests steer the emulator. Each file declares the calls of a few groups and does them; this one is the table of
 * all, from which the HTTP routes (`POST /_emulator/<group>.<verb>`), the in-process control and the client follow. None of it exists on
 * the real service.
 */

export const controlCalls = {
  ...stateCalls,
  ...requestCalls,
  ...rightsCalls,
  ...lifeCalls,
  ...functionCalls,
  ...infrastructureCalls,
  ...actionCalls,
  ...jitCalls,
  ...oauthCalls,
  ...thirdPartyAuthCalls,
  ...hostingCalls,
  ...snippetCalls,
} as const;

export type ControlCalls = typeof controlCalls;

/** The same table for those who walk through it. */
const groups: Readonly<Record<string, Readonly<Record<string, ControlCall>>>> = controlCalls;

type Invocation<C> = C extends { input: infer I extends z.ZodType; output: infer O extends z.ZodType }
  ? (
      ...input: Record<string, never> extends z.input<I> ? [input?: z.input<I>] : [input: z.input<I>]
    ) => Promise<z.output<O>>
  : never;

/** The control of a running emulator: `control.time.advance({ ms: 60_000 })`. The same in process and over HTTP. */
export type Control = {
  readonly [G in keyof ControlCalls]: { readonly [V in keyof ControlCalls[G]]: Invocation<ControlCalls[G][V]> };
};

export type ControlHandlers = Implementations<ControlCalls>;

/** Path prefix of the control calls; nothing of the Management API begins so. */
export const CONTROL_PATH = "/_emulator";

/** Every call by its name `group.verb`. */
export const callsByName: ReadonlyMap<string, ControlCall> = new Map(
  Object.entries(groups).flatMap(([group, verbs]) =>
    Object.entries(verbs).map(([verb, declared]): [string, ControlCall] => [`${group}.${verb}`, declared]),
  ),
);

/** A control whose calls go where `invoke` takes them. Outputs are checked against the table. */
export function controlBy(invoke: (name: string, input: unknown) => Promise<unknown>): Control {
  const made = Object.entries(groups).map(([group, verbs]) => [
    group,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, declared]) => [
        verb,
        async (input: unknown = {}) => declared.output.parse(await invoke(`${group}.${verb}`, input)),
      ]),
    ),
  ]);
  return Object.fromEntries(made) as Control; // built from the same table that the type is derived from
}
