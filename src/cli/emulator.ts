import { once } from "node:events";
import { resolve } from "node:path";
import type { Command } from "commander";
import { z } from "zod";
import { TOKEN } from "../api/credentials/credentials.ts";
import { isLoopbackHost } from "../base/proxy.ts";
import { issuesBehind } from "../base/schema-words.ts";
import type { CliContext } from "./context.ts";
import { fileFlag, logLevelFlag, logLevelOption, numberFlag, parseFlags, repeated, UsageError } from "./flags.ts";
import { listenError } from "./listen-words.ts";
import { readSeed } from "./seed-file.ts";

/** `baas emulator`: the Management API on this machine, for development and tests. */

const flags = z.object({
  host: z.string().min(1, "expected an address or name of this machine, such as 127.0.0.1"),
  port: numberFlag("a port from 0 to 65535", { min: 0, max: 65_535, whole: true }),
  token: z.array(z.string().regex(TOKEN, "expected printable ASCII without blanks: no client can send another one")),
  org: z.string().regex(/^[\w-]+$/, "expected a slug of letters, digits, _ and -"),
  speed: numberFlag("a factor of at least 0.001", { min: 0.001, max: Number.MAX_VALUE, whole: false }).optional(),
  seed: fileFlag.optional(),
  dataDir: z.string().min(1, "expected the name of a folder").optional(),
  limits: z.boolean(),
  logLevel: logLevelFlag,
});
type Flags = z.output<typeof flags>;

export function emulatorVerb(program: Command, context: CliContext): void {
  program
    .command("emulator")
    .description("Serve an emulated Management API; prints its base URL when it listens")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "port to listen on; 0 for any free one", "8787")
    .option(
      "--token <token>",
      "access token to accept; the first one's user owns the organization (repeatable)",
      repeated,
      [],
    )
    .option("--org <slug>", "organization that is there from the start", "acme")
    .option(
      "--speed <factor>",
      "how many times as fast projects come up, pause, …, in this run (default: as saved or seeded, else 1)",
    )
    .option("--seed <file>", "YAML or JSON file with the state to start with")
    .option("--data-dir <folder>", "keep the state in a folder; what is in it already goes before --seed and --org")
    .option("--no-limits", "refuse nothing for its rate in this run")
    .addOption(logLevelOption())
    .addHelpText("after", MORE_HELP)
    .action((options: unknown) => serveEmulator(parseFlags(flags, options), context));
}

const MORE_HELP = `
The API as an OpenAPI 3.1 document:
  curl http://127.0.0.1:8787/openapi.json
Time, faults, the request log and the state are steered under /_emulator, from this machine only:
  curl http://127.0.0.1:8787/_emulator                                       what there is
  curl --json '{"ms":60000}' http://127.0.0.1:8787/_emulator/time.advance    let a minute pass`;

/** Serves until the signal comes. @throws UsageError for a seed or folder that cannot be used, or when there is no token at all */
async function serveEmulator(options: Flags, { stdout, signal, logger }: CliContext): Promise<void> {
  const log = logger(options.logLevel);
  const { startEmulator } = await import("../emulator/emulator.ts");
  const { seedSchema } = await import("../emulator/state/seed.ts");
  const seed = options.seed === undefined ? undefined : await readSeed(options.seed, seedSchema);
  const starting = startEmulator({
    host: options.host,
    port: options.port,
    tokens: options.token,
    org: options.org,
    log,
    ...(seed === undefined ? {} : { seed }),
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.speed === undefined ? {} : { speed: options.speed }),
    ...(options.limits ? {} : { limits: { requestsPerMinute: 0 } }),
  });
  const emulator = await starting.catch(async (error: unknown) => {
    throw await asUsage(error, options);
  });
  stdout.write(`${emulator.url}\n`);
  if (!isLoopbackHost(options.host)) log.warn({ host: options.host }, "everything is sent in clear text, tokens too");
  if (!signal.aborted) await once(signal, "abort");
  await emulator.stop();
}

/** What a start that failed means for the flags. */
async function asUsage(error: unknown, { host, port, seed }: Flags): Promise<unknown> {
  const { NoTokenError } = await import("../emulator/check-options.ts");
  const { ListenError } = await import("../emulator/listen-error.ts");
  const { SeedError } = await import("../emulator/state/seed-error.ts");
  const { StateError } = await import("../emulator/persistence/state-error.ts");
  const options = { cause: error };
  if (error instanceof NoTokenError) {
    return new UsageError("--token: expected at least one, or a seed file or a data folder with tokens", options);
  }
  if (error instanceof SeedError) {
    return new UsageError(issuesBehind(`--seed: ${resolve(seed ?? "")}`, error.issues), options);
  }
  if (error instanceof StateError) return new UsageError(`--data-dir: ${error.message}`, options);
  const reason = error instanceof ListenError ? error.cause : error;
  return listenError(reason, { host, port, hostName: "--host", portName: "--port" });
}
