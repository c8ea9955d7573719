import type { JsonObject } from "./json.ts";

/** Headers of answers (behaviour.md, "Standard rate limit"; facts.md §5 and §6.11). */

const integer = { type: "integer", minimum: 0 } as const;

export const headerComponents: JsonObject = {
  RateLimitLimit: { description: "Most requests in the tightest window that the request passed.", schema: integer },
  RateLimitRemaining: { description: "Requests that are left in that window.", schema: integer },
  RateLimitReset: { description: "Seconds until that window ends.", schema: integer },
  RetryAfter: { description: "Seconds until the budget is free again.", schema: integer },
  TotalCount: { description: "How many there are.", schema: integer },
};

/** On every answer. */
export const RATE_HEADERS = {
  "X-RateLimit-Limit": { $ref: "#/components/headers/RateLimitLimit" },
  "X-RateLimit-Remaining": { $ref: "#/components/headers/RateLimitRemaining" },
  "X-RateLimit-Reset": { $ref: "#/components/headers/RateLimitReset" },
} as const;

/** On the answer to a count, which has no body. */
export const COUNT_HEADERS = { ...RATE_HEADERS, "X-Total-Count": { $ref: "#/components/headers/TotalCount" } } as const;
