import { z } from "zod";
import { integerOrAutomatic } from "./automatic.ts";
import { choice } from "./builders.ts";

/** spec.database.pooler. Ranges: facts.md §2, pooler PATCH. */
export const poolerSettings = z
  .object({
    defaultPoolSize: integerOrAutomatic(
      "default_pool_size",
      "Connections per user and database. Automatic follows from the compute size.",
      { min: 0, max: 3000 },
    ),
    poolMode: choice("pool_mode", "What a connection is held for: a Transaction or a whole Session.", {
      Transaction: "transaction",
      Session: "session",
    }),
  })
  .describe("The shared connection pooler. What is not declared is left as it is.");
