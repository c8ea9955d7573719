import { cpSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** A pattern of .dockerignore as a regular expression; unlike in a shell, a star matches a leading dot. */
function patternExpression(pattern: string): RegExp {
  const parts = { "**/": "(.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]", ".": String.raw`\.` };
  const find = (part: string): string => Object.entries(parts).find(([glob]) => glob === part)?.[1] ?? part;
  return new RegExp(`^${pattern.replaceAll(/\*\*\/|\*\*|[*?.]/gu, find)}$`, "u");
}

/** The files that a build sees: those of a folder that its .dockerignore lets through. */
export class BuildContext {
  readonly #root: string;
  readonly #patterns: readonly string[];

  constructor(root: string) {
    this.#root = root;
    this.#patterns = readFileSync(join(root, ".dockerignore"), "utf8")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
  }

  /** Whether the build sees a path; the last pattern that matches it or a folder above it decides. */
  sees(path: string): boolean {
    const above = path.split("/").map((_, index, parts) => parts.slice(0, index + 1).join("/"));
    const last = this.#patterns.findLast((pattern) =>
      above.some((part) => patternExpression(pattern.replace(/^!/u, "").replace(/\/$/u, "")).test(part)),
    );
    return last === undefined || last.startsWith("!");
  }

  /**
   * Copies a file or folder as COPY does: into `target` if that is a folder (or ends in a slash), else to that name.
   *
   * @throws Error when the build does not see it
   */
  copy(path: string, target: string): void {
    const isThere = existsSync(join(this.#root, path)) && this.sees(path);
    if (!isThere) throw new Error(`COPY ${path}: not in the build context`);
    const sees = (source: string): boolean => this.sees(relative(this.#root, source));
    copyInto(join(this.#root, path), target, sees);
  }
}

/** COPY of one source: a folder's content goes into the target, a file into it or to its name. Links stay links. */
export function copyInto(source: string, target: string, filter: (source: string) => boolean = () => true): void {
  const isFolder = statSync(source).isDirectory();
  const intoFolder = target.endsWith("/") || (existsSync(target) && statSync(target).isDirectory());
  const to = !isFolder && intoFolder ? join(target, basename(source)) : target;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(source, to, { recursive: true, verbatimSymlinks: true, filter });
}
