import { errorFacts } from "../base/error-facts.ts";

/** Why a manager ended: the first thing that made it stop, whatever else failed on the way down. */
export type Exit =
  /** Asked to, by its signal. `clean`: every run ended by itself in time. */
  | { readonly kind: "stopped"; readonly clean: boolean }
  | { readonly kind: "leaseLost"; readonly error: unknown }
  /** These caches were not in sync in time. */
  | { readonly kind: "syncTimeout"; readonly sources: readonly string[] }
  /** Something that must not fail or end did: a source, a start task, the lease client. */
  | { readonly kind: "failed"; readonly what: string; readonly error: unknown };

/** The process's exit code: 0 only for a stop that was asked for. */
export function exitCode(exit: Exit): number {
  return exit.kind === "stopped" ? 0 : 1;
}

/** One sentence for people, with what to look at. */
export function exitMessage(exit: Exit): string {
  switch (exit.kind) {
    case "stopped":
      return exit.clean ? "stopped" : "stopped; runs that did not end in time were cut off";
    case "leaseLost":
      return `leadership lost: ${errorFacts(exit.error).message}`;
    case "syncTimeout":
      return `no first list in time of: ${exit.sources.join(", ")}; see the log for what the apiserver answered`;
    case "failed":
      return `${exit.what} failed: ${errorFacts(exit.error).message}`;
    default:
      return exit satisfies never;
  }
}
