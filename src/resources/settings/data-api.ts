import { z } from "zod";
import { text } from "../fields.ts";
import { type Rule, ruled } from "../rules.ts";
import { integerOrAutomatic } from "./automatic.ts";
import { commaList, integer } from "./builders.ts";

const schemaName = text("Name of a schema.", {
  max: 63,
  pattern: '^[^,"\\s]+$',
  message: "write the name of one schema, without commas, blanks or quotes",
});

/** Ranges: facts.md §2, postgrest PATCH. */
const settings = z
  .object({
    enabled: z
      .boolean()
      .describe(
        "Whether there is a Data API. It is on as long as it serves a schema: true asks for schemas, and false is what an empty list of them is.",
      )
      .optional(),
    schemas: commaList(
      "db_schema",
      "Schemas that the Data API serves, in order: the first one answers a request that names none. An empty list switches it off, as enabled: false does.",
      {
        max: 64,
        item: schemaName,
        empty: "",
        isOrdered: true,
      },
    ),
    extraSearchPath: commaList(
      "db_extra_search_path",
      "Schemas that are searched as well, in order, and are not served.",
      { max: 64, item: schemaName, empty: "", isOrdered: true },
    ),
    maxRows: integer("max_rows", "Most rows that one request is answered.", { min: 0, max: 1_000_000 }),
    pool: integerOrAutomatic("db_pool", "Connections to the database. Automatic leaves the number to the platform.", {
      min: 0,
      max: 1000,
    }),
  })
  .describe("The Data API (the REST layer over the database). What is not declared is left as it is.");
type DataApiSettings = z.output<typeof settings>;

const rules: readonly Rule<DataApiSettings>[] = [
  {
    cel: "!has(self.enabled) || !self.enabled || (has(self.schemas) && size(self.schemas) > 0)",
    message: "the Data API is on where it serves a schema: write the schemas too, such as [public]",
    fieldPath: ".enabled",
    holds: ({ enabled, schemas = [] }) => enabled !== true || schemas.length > 0,
  },
  {
    cel: "!has(self.enabled) || self.enabled || !has(self.schemas) || size(self.schemas) == 0",
    message: "the Data API is on as long as it serves a schema: remove the schemas, or write enabled: true",
    fieldPath: ".enabled",
    holds: ({ enabled, schemas = [] }) => enabled !== false || schemas.length === 0,
  },
];

/** spec.dataApi. */
export const dataApiSettings = ruled(settings, rules);
