import { z } from "zod";
import { rowsOf, testPool } from "./databases.ts";

/** Makes a database in a folder and asks it something that takes long enough for PostgreSQL's code to be replaced by faster code. */
const folder = z.string().parse(process.argv[2]);
process.stdout.write("begins\n");
const rows = await rowsOf(testPool({}, folder), "a", "select count(*) from generate_series(1, 1000000)");
process.stdout.write(`${JSON.stringify(rows)}\n`);
