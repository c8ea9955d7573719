import { resolve } from "node:path";
import type { z } from "zod";
import { unsayable } from "../base/json-value.ts";
import { issuesBehind, issueWords } from "../base/schema-words.ts";
import { readFlagFile } from "./flag-file.ts";
import { UsageError } from "./flags.ts";

/** The file of `--seed`: YAML, or JSON, which is YAML too. */

/**
 * Reads a file by a schema; an empty one is `{}`.
 *
 * @throws UsageError that says which file, where in it, and what is known there. No line of the file is repeated: it may hold secrets.
 */
export async function readSeed<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S>> {
  const path = resolve(file);
  const text = await readFlagFile("seed", path);
  const value = (await parseYaml(path, text)) ?? {};
  const parsed = schema.safeParse(value, { error: issueWords });
  if (!parsed.success) throw new UsageError(issuesBehind(`--seed: ${path}`, parsed.error.issues));
  const found = unsayable(parsed.data, value);
  if (found !== undefined) throw new UsageError(issuesBehind(`--seed: ${path}`, [found]));
  return parsed.data;
}

async function parseYaml(path: string, text: string): Promise<unknown> {
  const { LineCounter, parseDocument } = await import("yaml");
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [wrong] = document.errors;
  if (wrong !== undefined) {
    const { line, col } = lineCounter.linePos(wrong.pos[0]);
    const words = wrong.code === "MULTIPLE_DOCS" ? "a second document begins, where one is read" : wrong.message;
    throw new UsageError(`--seed: ${path}:${line}:${col}: neither YAML nor JSON: ${words}`, { cause: wrong });
  }
  try {
    return document.toJS();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--seed: ${path}: neither YAML nor JSON: ${reason}`, { cause: error });
  }
}
