import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";

/**
 * The seed of what a test draws by chance: the one that the environment names, else one of the commit that is checked out. So each commit is
 * tried with another one, and a run of it can be had again, wherever it failed. Without a repository it is any.
 *
 * @param variable as `SOAK_SEED`
 */
export function seedFrom(variable: string): number {
  const given = process.env[variable];
  return given === undefined ? seedOfCommit() : Number(given);
}

/** The first 28 bits of the commit's name. */
function seedOfCommit(): number {
  try {
    const name = execFileSync("git", ["rev-parse", "HEAD"], {
      cwd: import.meta.dirname,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    return Number.parseInt(name.slice(0, 7), 16);
  } catch {
    return randomInt(2 ** 28);
  }
}
