import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { z } from "zod";
import { isLoopbackHost } from "../base/proxy.ts";
import type { CliContext } from "./context.ts";
import { logLevelFlag, logLevelOption, numberFlag, parseFlags, repeated, UsageError } from "./flags.ts";
import { programVersion } from "./version.ts";

/** `baas emulator`: the Management API on this machine, for development and tests. */

const flags = z.object({
  host: z.string().min(1),
  port: numberFlag(z.number().int().max(65_535, "expected a port up to 65535")),
  token: z.array(z.string().min(1)),
  org: z.string().regex(/^[\w-]+$/, "expected a slug of letters, digits, _ and -"),
  speed: numberFlag(z.number().min(0.001, "expected a factor of at least 0.001")),
  seed: z.string().optional(),
  dataDir: z.string().min(1).optional(),
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
    .option("--speed <factor>", "how many times as fast projects come up, pause, …", "1")
    .option("--seed <file>", "YAML or JSON file with the state to start with")
    .option("--data-dir <folder>", "keep the state in a folder; what is in it already goes before --seed and --org")
    .option("--no-limits", "refuse nothing for its rate")
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

/** Serves until the signal comes. @throws UsageError for a seed that is not understood, or when there is no token at all */
async function serveEmulator(options: Flags, { stdout, signal, logger }: CliContext): Promise<void> {
  const log = logger(options.logLevel);
  const { startEmulator } = await import("../emulator/emulator.ts");
  const { SeedError } = await import("../emulator/state/seed-error.ts");
  const { StateError } = await import("../emulator/persistence/state-error.ts");
  const { seedSchema } = await import("../emulator/state/seed.ts");
  const seed = options.seed === undefined ? undefined : await readSeed(options.seed, seedSchema);
  if (options.token.length === 0 && (seed?.tokens ?? []).length === 0) {
    throw new UsageError("--token: expected at least one, or a seed file with tokens");
  }
  const starting = startEmulator({
    host: options.host,
    port: options.port,
    tokens: options.token,
    org: options.org,
    speed: options.speed,
    version: programVersion(),
    log,
    ...(seed === undefined ? {} : { seed }),
    ...(options.dataDir === undefined ? {} : { dataDir: options.dataDir }),
    ...(options.limits ? {} : { limits: { requestsPerMinute: 0 } }),
  });
  const emulator = await starting.catch((error: unknown) => {
    if (error instanceof SeedError) throw new UsageError(`--seed: ${error.message}`, { cause: error });
    throw error instanceof StateError ? new UsageError(`--data-dir: ${error.message}`, { cause: error }) : error;
  });
  stdout.write(`${emulator.url}\n`);
  if (!isLoopbackHost(options.host)) log.warn({ host: options.host }, "everything is sent in clear text, tokens too");
  if (!signal.aborted) await once(signal, "abort");
  await emulator.stop();
}

async function readSeed<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S>> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new UsageError(`--seed: cannot read ${file}`, { cause: error });
  });
  const parsed = schema.safeParse(await parseYaml(file, text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`--seed: ${file}:\n${z.prettifyError(parsed.error)}`);
}

/** JSON is YAML, too. */
async function parseYaml(file: string, text: string): Promise<unknown> {
  const { parse } = await import("yaml");
  try {
    return parse(text);
  } catch (error) {
    throw new UsageError(`--seed: ${file} is neither YAML nor JSON`, { cause: error });
  }
}
