import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** test/support/docs: what tests of the pages read of them, and of the sources. */

export const repository = fileURLToPath(new URL("../../../", import.meta.url));

export function read(path: string): string {
  return readFileSync(join(repository, path), "utf8");
}

/** The text with its blocks of code as blanks: what stands there is neither a heading nor a link. Positions stay. */
export function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```$/gmu, (block) => block.replaceAll(/[^\n]/gu, " "));
}

/** The part of a page below a heading, down to the next one of its level or above. */
export function section(page: string, heading: string): string {
  const text = read(page);
  const level = /^#+/u.exec(heading)?.[0].length ?? 0;
  const start = text.indexOf(`\n${heading}\n`);
  if (start === -1) throw new Error(`${page} has no heading "${heading}"`);
  const rest = text.slice(start + heading.length + 2);
  const end = withoutCode(rest).search(new RegExp(`^#{1,${level}} `, "mu"));
  return end === -1 ? rest : rest.slice(0, end);
}

/** The rows of every table in a text, without heads, as trimmed cells. */
export function rows(text: string): readonly (readonly string[])[] {
  const tables = [...text.matchAll(/(?:^\|.*\n)+/gmu)].map(([table]) => table.trim().split("\n").slice(2));
  return tables.flat().map((line) =>
    line
      .split(/(?<!\\)\|/u)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What stands between backticks in a text, in order. */
export function codes(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/gu)].map(([, code = ""]) => code);
}

export function sorted(texts: Iterable<string>): readonly string[] {
  return [...texts].toSorted();
}

/** Sources of the program, without tests. */
export const sources = globSync("src/**/*.ts", { cwd: repository }).filter((path) => !path.endsWith(".test.ts"));
