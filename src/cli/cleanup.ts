import type { Command } from "commander";
import { deadline, DeadlineError } from "../base/abort.ts";
import { systemClock } from "../base/clock.ts";
import type { Leadership } from "../runtime/leadership.ts";
import type { CliContext } from "./context.ts";
import { parseFlags } from "./flags.ts";
import { addScopeOptions, scopeFlags, type ScopeFlags } from "./operator-flags.ts";

/** `baas cleanup`: what an uninstalled operator leaves behind in other people's objects is taken away. */

/** Longer than a lease that nobody renews is waited for (15 s and one more try): whoever renews it then is alive. */
const LEASE_PATIENCE_MS = 30_000;

export function cleanupVerb(program: Command, context: CliContext): void {
  const command = program
    .command("cleanup")
    .description("Take the operator's finalizer off Secrets, after it was uninstalled; touches nothing else");
  addScopeOptions(command, context.env["POD_NAMESPACE"]).action(async (options: unknown) => {
    await cleanup(parseFlags(scopeFlags, options), context);
  });
}

async function cleanup(flags: ScopeFlags, context: CliContext): Promise<void> {
  const { leasePlace, openCluster, proxiesOf, requireNamespaces } = await import("./kubernetes.ts");
  const { unprotectAll } = await import("../controllers/connection/unprotect.ts");
  const { silentMeter } = await import("../base/meter.ts");
  const log = context.logger(flags.logLevel, flags.logFormat);
  const onHeld = (holder: string): void => void context.stderr.write(waitingWords(holder));
  await using cluster = openCluster({ flags, proxy: proxiesOf(context.env), log, meter: silentMeter, onHeld });
  const { kube, leadership } = cluster;
  const asking = { podNamespace: context.env["POD_NAMESPACE"], signal: context.signal };
  const own = { flag: "operator-namespace", namespace: flags.operatorNamespace };
  await requireNamespaces(kube, flags.leaderElect ? [own, leasePlace(flags)] : [own], asking);
  // An operator that still runs would put the finalizers back: its lease must be free first.
  if (!(await acquires(leadership, context.signal))) {
    context.stdout.write("another operator of the same scope holds the lease: the finalizers are its own and stay\n");
    return;
  }
  try {
    const signal = AbortSignal.any([context.signal, leadership.lost]);
    const released = await unprotectAll(kube, { namespaces: flags.watchNamespace, signal });
    context.stdout.write(`took the finalizer off ${released} Secret${released === 1 ? "" : "s"}\n`);
  } finally {
    await leadership.release({ clean: true });
  }
}

function waitingWords(holder: string): string {
  const seconds = LEASE_PATIENCE_MS / 1000;
  return `waiting up to ${seconds} s for the operator ${holder}, which holds the lease, to end: uninstall it first, or end this with Ctrl-C\n`;
}

/** @throws Error when it is ended meanwhile */
async function acquires(leadership: Leadership, stop: AbortSignal): Promise<boolean> {
  using patience = deadline(systemClock, LEASE_PATIENCE_MS, stop);
  try {
    await leadership.acquire(patience.signal);
    return true;
  } catch (error) {
    if (error instanceof DeadlineError) return false;
    if (!stop.aborted) throw error;
    throw new Error("ended before it held the lease: no finalizer was taken off", { cause: error });
  }
}
