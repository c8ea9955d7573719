import type { Command } from "commander";
import type { CliContext } from "./context.ts";
import { EXIT } from "./context.ts";
import { readCertificates, readFlagFile } from "./flag-file.ts";
import { parseFlags, UsageError } from "./flags.ts";
import { addRunOptions, addScopeOptions, runFlags, type RunFlags } from "./operator-flags.ts";

/** `baas run`: the operator. */

export function runVerb(program: Command, context: CliContext): void {
  const command = program
    .command("run")
    .description("Run the operator: make remote projects follow the custom resources");
  const { POD_NAMESPACE: namespace, OTEL_EXPORTER_OTLP_ENDPOINT: collector } = context.env;
  addRunOptions(addScopeOptions(command, namespace), collector === "" ? undefined : collector).action(
    async (options: unknown) => {
      await runOperator(parseFlags(runFlags, options), context);
    },
  );
}

async function runOperator(flags: RunFlags, context: CliContext): Promise<void> {
  const { operate } = await import("./operator.ts");
  const { CLUSTER_CONNECTION, parseClusterConnection } = await import("./cluster-connection.ts");
  const { proxiesOf } = await import("./kubernetes.ts");
  if (flags.clusterConnectionFile !== undefined && flags.watchNamespace.length > 0) {
    const why = "with --watch-namespace, ClusterConnections are not read";
    throw new UsageError(`--${CLUSTER_CONNECTION}: needs a cluster-wide operator: ${why}`);
  }
  const log = context.logger(flags.logLevel, flags.logFormat);
  const warn = (text: string): void => log.warn({}, text);
  const ca = flags.caFile === undefined ? undefined : await readCertificates("ca-file", flags.caFile, warn);
  const clusterConnection =
    flags.clusterConnectionFile === undefined
      ? undefined
      : parseClusterConnection(await readFlagFile(CLUSTER_CONNECTION, flags.clusterConnectionFile));
  const code = await operate({
    flags,
    proxy: proxiesOf(context.env),
    podNamespace: context.env["POD_NAMESPACE"],
    log,
    signal: context.signal,
    ...(ca === undefined ? {} : { ca }),
    ...(clusterConnection === undefined ? {} : { clusterConnection }),
  });
  context.exit(code === 0 ? EXIT.ok : EXIT.failed);
}
