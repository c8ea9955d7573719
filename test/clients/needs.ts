import { spawnSync } from "node:child_process";

/** A program that tests of this folder run and README.md does not ask for. */
export interface Need {
  /** what to install */
  readonly what: string;
  /** ends with 0 where it is there */
  readonly command: readonly [string, ...string[]];
}

/** Where the tests run. */
export interface Machine {
  readonly ends: (command: Need["command"]) => boolean;
  /** the environment's `CI`, which every such service sets to true */
  readonly ci: string | undefined;
  readonly tell: (text: string) => void;
}

const thisMachine: Machine = {
  ends: ([program, ...args]) => spawnSync(program, args).status === 0,
  ci: process.env["CI"],
  tell: (text) => void process.stderr.write(`${text}\n`),
};

/**
 * Whether the programs are there. Where one is missing on somebody's own machine this says that their tests are skipped; on CI nobody reads that.
 *
 * @throws Error on CI, with what to install
 */
export function areThere(needs: readonly Need[], { ends, ci, tell }: Machine = thisMachine): boolean {
  const missing = needs.filter(({ command }) => !ends(command)).map(({ what }) => what);
  if (missing.length === 0) return true;
  const told = `install ${missing.join(" and ")}`;
  if (!["", "0", "false", undefined].includes(ci)) throw new Error(`${told}: on CI these tests are not skipped`);
  tell(`skipped: ${told} to run these tests`);
  return false;
}

const works = (program: string): Need => ({ what: program, command: [program, "--version"] });

export const CURL = works("curl");
export const BASH = works("bash");
export const PYTHON: Need = {
  what: "python3 (3.9 or newer)",
  command: ["python3", "-c", "import sys; sys.exit(sys.version_info < (3, 9))"],
};
