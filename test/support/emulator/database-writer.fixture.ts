import { z } from "zod";
import { rowsOf, testPool } from "./databases.ts";

/** Writes rows into a database in a folder, one after the other, and says each number when it was acknowledged, until it is killed. */
const folder = z.string().parse(process.argv[2]);
const from = z.coerce.number().parse(process.argv[3]);

const pool = testPool({}, folder);
await rowsOf(pool, "a", "create table if not exists t (x int primary key, filling text)");
for (let x = from; ; x += 1) {
  const rows = await rowsOf(pool, "a", `insert into t values (${x}, repeat('x', ${(x % 40) * 100})) returning x`);
  process.stdout.write(`${JSON.stringify(rows)}\n`);
}
