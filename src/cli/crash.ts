import { writeSync } from "node:fs";
import { causeChain, errorFacts } from "../base/error-facts.ts";
import { writeWhole } from "../base/write-whole.ts";

/** A line of a stack that names a place: `at` a function, in a file or in Node.js itself. */
const FRAME = /^ {4}at (?:[\w.<>[\] $#]+ \()?(?:file:\/\/|node:|\/|<anonymous>)[^\s]*\)?$/u;

/** The places that an error came by. Its message stands in its stack as well, however many lines it has. */
function framesOf(error: unknown, message: string): readonly string[] {
  if (!(error instanceof Error) || typeof error.stack !== "string") return [];
  const lines = error.stack.replaceAll(message, "").split("\n");
  return lines.filter((line) => FRAME.test(line)).map((line) => line.trim());
}

/**
 * What is told of an error that nobody caught, as one JSON line: kinds, codes and places of the whole chain. No message and no property: nobody
 * made them to be shown, and Node.js, which prints all of it by itself, would print tokens that a library put there.
 */
function crashLine(error: unknown, time: Date): string {
  const chain = causeChain(error).map((link) => {
    const { name, code, message } = errorFacts(link);
    return { error: name ?? typeof link, ...(code === undefined ? {} : { code }), stack: framesOf(link, message) };
  });
  const [first, ...causes] = chain;
  const msg = "the process ends by an error that nobody caught";
  return `${JSON.stringify({ level: "error", time: time.toISOString(), ...first, causes, msg })}\n`;
}

/** Tells it at once, since the process is about to end. @param descriptor of the file that it is written to, as that of stderr */
export function tellCrash(error: unknown, descriptor: number): void {
  writeWhole(crashLine(error, new Date()), (rest) => writeSync(descriptor, rest));
}
