import { Command, CommanderError } from "commander";
import { cleanupVerb } from "./cleanup.ts";
import { type CliContext, EXIT, type ExitCode, type ProcessContext } from "./context.ts";
import { emulatorVerb } from "./emulator.ts";
import { UsageError } from "./flags.ts";
import { createLogger } from "./logger.ts";
import { openapiVerb } from "./openapi.ts";
import { runVerb } from "./run.ts";
import { programVersion } from "../api/openapi/version.ts";

/**
 * src/cli: the command line, one file per verb. It wires rooms together and holds no rule of any of them. A verb declares its flags at
 * once and loads the rooms that it runs only when it runs, so that `--help` costs nothing.
 */

/** Adds one command to the program. */
type Verb = (program: Command, context: CliContext) => void;

const verbs: readonly Verb[] = [runVerb, emulatorVerb, openapiVerb, cleanupVerb];

/**
 * Runs one command line.
 * @param args the arguments after the program's name
 * @returns the exit code: 0 done, 1 failed, 2 wrong use
 */
export async function runProgram(args: readonly string[], process: ProcessContext): Promise<number> {
  let code: ExitCode = EXIT.ok;
  const exit = (wanted: ExitCode): void => {
    code = wanted;
  };
  try {
    const program = buildProgram(process, exit);
    await program.parseAsync(unknownVerb(program, args) ?? [...args], { from: "user" });
    return code;
  } catch (error) {
    // commander has written its own message by now
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    process.stderr.write(`baas: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

/** A verb that there is not, alone, which is refused for it: commander would answer a question for its help with the program's own. */
function unknownVerb(program: Command, args: readonly string[]): [string] | undefined {
  const [first, second] = args.filter((arg) => !arg.startsWith("-"));
  const asked = first === "help" ? second : first;
  const isKnown = asked === undefined || program.commands.some((command) => command.name() === asked);
  return isKnown || asked === "help" ? undefined : [asked];
}

const EXIT_CODES = `
Exit codes: 0 done, 1 failed (also where a port is in use), 2 wrong use: a flag, or what one names (a file, a namespace, an address), is not as it must be
Of a flag that is given more than once the last one counts, unless it says (repeatable)`;

function buildProgram(process: ProcessContext, exit: CliContext["exit"]): Command {
  const logger: CliContext["logger"] = (level, format) => createLogger(level, process.stderr, format);
  const context: CliContext = { ...process, logger, exit };
  const program = new Command("baas")
    .description("Makes projects of a hosted backend platform follow Kubernetes resources")
    .version(programVersion())
    .exitOverride()
    .addHelpText("after", EXIT_CODES)
    .showHelpAfterError("see baas --help")
    .configureOutput({
      writeOut: (text) => void process.stdout.write(text),
      writeErr: (text) => void process.stderr.write(text),
      outputError: (text, write) => write(text.replace(/^error: /u, "baas: ")),
    });
  for (const verb of verbs) verb(program, context);
  for (const command of program.commands) {
    command.addHelpText("after", EXIT_CODES).showHelpAfterError(`see baas ${command.name()} --help`);
  }
  return program;
}
