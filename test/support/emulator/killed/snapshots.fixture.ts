import { readFileSync } from "node:fs";
import { startWithWorld } from "../../../../src/emulator/emulator.ts";
import { seedSchema } from "../../../../src/emulator/state/seed.ts";

/** An emulator whose journal gives way to a snapshot, and whose uploads are swept, after every few writes: its data folder and its seed file. */

const [dataDir = "", seedFile = "", token = ""] = process.argv.slice(2);
const seed: unknown = JSON.parse(readFileSync(seedFile, "utf8"));
const { emulator } = await startWithWorld(
  { dataDir, seed: seedSchema.parse(seed), tokens: [token], speed: 100_000, limits: { requestsPerMinute: 0 } },
  { longestJournal: 2000, mostUploads: 10_000 },
);
console.log(emulator.url);
