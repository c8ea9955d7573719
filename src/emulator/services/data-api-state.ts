import { z } from "zod";

/** The REST layer's configuration of a project. Whether the Data API is on is told by it alone. */
const dataApiRecord = z
  .strictObject({
    /** comma-separated; empty: the Data API is off (facts.md §2, postgrest PATCH) */
    dbSchema: z.string(),
    maxRows: z.number(),
    dbExtraSearchPath: z.string(),
    /** null: automatic */
    dbPool: z.number().nullable(),
  })
  .readonly();
export type DataApiRecord = z.output<typeof dataApiRecord>;

/** "postgrest db_schema …, max_rows 1000, db_extra_search_path … (with a blank), db_pool null" (facts.md §4) */
export const FRESH_DATA_API: DataApiRecord = {
  dbSchema: "public,graphql_public",
  maxRows: 1000,
  dbExtraSearchPath: "public, extensions",
  dbPool: null,
};
export const dataApiConfig = { name: "dataApiConfig", row: dataApiRecord, default: FRESH_DATA_API } as const;
