import { expect, it } from "vitest";
import { countedEndMs, expiresAtMs } from "./expiry.ts";

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

const expiresAt = "2026-01-04T00:00:00Z";
const nowMs = Date.parse("2026-02-01T00:00:00.000Z");

it.each([
  { noted: { ttl: "72h", expiresAt }, end: "2026-01-04T00:00:00.000Z", why: "it was counted before" },
  { noted: {}, end: "2026-02-04T00:00:00.000Z", why: "nothing says since when the object has the branch: from now on" },
  { noted: { expiresAt }, end: "2026-02-04T00:00:00.000Z", why: "what it was counted by is not known" },
  { noted: { ttl: "24h", expiresAt }, end: "2026-02-04T00:00:00.000Z", why: "another ttl was declared" },
  { noted: { ttl: "72h", expiresAt: "soon" }, end: "2026-02-04T00:00:00.000Z", why: "it cannot be read" },
])("the end that holds for a ttl of 72h: $why", ({ noted, end }) => {
  expect(new Date(countedEndMs("72h", noted, nowMs)).toISOString()).toBe(end);
});
