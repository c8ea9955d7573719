import { expect, it } from "vitest";
import { expiresAtMs } from "./expiry.ts";

const createdAt = "2026-01-01T00:00:00.000Z";

it.each([
  { ttl: "72h", createdAt, end: "2026-01-04T00:00:00.000Z", why: "it counts from the creation of the branch" },
  { ttl: "1h30m", createdAt, end: "2026-01-01T01:30:00.000Z", why: "durations may be composed" },
  { ttl: undefined, createdAt, end: undefined, why: "no ttl, no end" },
  { ttl: "1h", createdAt: undefined, end: undefined, why: "nothing was created yet" },
  { ttl: "1h", createdAt: "yesterday", end: undefined, why: "a time that cannot be read must not delete anything" },
])("the end of a ttl of $ttl: $why", ({ ttl, createdAt: created, end }) => {
  const endMs = expiresAtMs({ ttl }, created);
  expect(endMs === undefined ? undefined : new Date(endMs).toISOString()).toBe(end);
});
