import { fstatSync, writeSync } from "node:fs";
import { Writable } from "node:stream";
import { writeWhole } from "../base/write-whole.ts";

/** What of a process is needed to tell that its output is lost. */
interface OutputProcess {
  readonly stdout: Writable & { readonly fd: number };
  readonly stderr: Writable;
  exitCode?: number | string | null | undefined;
}

/**
 * Standard output of a program, of which nothing is lost in silence: what cannot be written, as where a disk is full, is told in one line on
 * stderr, and the exit code is 1, which the program must not overwrite (`??=`). A reader that has enough, as `| head`, is no failure of it.
 *
 * @param process the process itself: only a program's entry has it
 * @param name begins the line
 */
export function standardOutput(process: OutputProcess, name: string): Writable {
  const { stdout, stderr } = process;
  const output = fstatSync(stdout.fd).isFile() ? wholeFile(stdout.fd) : stdout;
  output.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") return;
    process.exitCode = 1;
    stderr.write(`${name}: cannot write to standard output: ${error.message}\n`);
  });
  return output;
}

/** Node.js takes a write to a file for done where only a part of it was, as at the end of a disk or of a quota. */
function wholeFile(descriptor: number): Writable {
  return new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      try {
        writeWhole(chunk, (rest) => writeSync(descriptor, rest));
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
}
