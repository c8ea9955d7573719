import { readdirSync } from "node:fs";

/** How far a snapshot has come that takes a journal's place, as the names in a folder of saved state tell. */
export type CompactionPhase = "is being written" | "is there beside what it replaces";

/** @returns undefined where none is under way, or only the sweep of uploads */
export function compactionPhase(folder: string): CompactionPhase | undefined {
  const files = readdirSync(folder).flatMap((name) => {
    const [, kind, number] = /^(snapshot|journal)-(\d+)\.jsonl$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ isSnapshot: kind === "snapshot", number: Number(number) }];
  });
  const newest = Math.max(0, ...files.map(({ number }) => number));
  if (newest === 0) return undefined;
  if (!files.some(({ isSnapshot, number }) => isSnapshot && number === newest)) return "is being written";
  return files.some(({ number }) => number < newest) ? "is there beside what it replaces" : undefined;
}
