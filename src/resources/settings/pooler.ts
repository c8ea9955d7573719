import { z } from "zod";
import { choice, integer } from "./builders.ts";

/** spec.database.pooler. Ranges: facts.md §2, pooler PATCH. */
export const poolerSettings = z
  .object({
    defaultPoolSize: integer(
      "default_pool_size",
      "Connections per user and database; follows from the compute size where it was never set.",
      { min: 0, max: 3000 },
    ),
    poolMode: choice("pool_mode", "What a connection is held for: a Transaction or a whole Session.", {
      Transaction: "transaction",
      Session: "session",
    }),
  })
  .describe("The shared connection pooler. What is not declared is left as it is.");
