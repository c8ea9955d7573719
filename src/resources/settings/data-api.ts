import { z } from "zod";
import { text } from "../fields.ts";
import { commaList, integer } from "./builders.ts";

const schemaName = text("Name of a schema.", {
  max: 63,
  pattern: '^[^,"\\s]+$',
  message: "write the name of one schema, without commas, blanks or quotes",
});

/** spec.dataApi. Ranges: facts.md §2, postgrest PATCH. */
export const dataApiSettings = z
  .object({
    schemas: commaList("db_schema", "Schemas that the Data API serves; an empty list switches it off.", {
      max: 64,
      item: schemaName,
      empty: "",
    }),
    extraSearchPath: commaList("db_extra_search_path", "Schemas that are searched as well, and are not served.", {
      max: 64,
      item: schemaName,
      empty: "",
    }),
    maxRows: integer("max_rows", "Most rows that one request is answered.", { min: 0, max: 1_000_000 }),
    pool: integer("db_pool", "Connections to the database; chosen by the platform where it was never set.", {
      min: 0,
      max: 1000,
    }),
  })
  .describe("The Data API (the REST layer over the database). What is not declared is left as it is.");
