import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { isTaken } from "../support/sections/refused-draws.ts";
import { validBranches, validProjects } from "../support/sections/valid-specs.ts";

/** That a draw which a schema refuses wrongly is no draw that is passed over. */

interface Case {
  readonly says: string;
  readonly at?: string;
  readonly wrong: unknown;
  readonly right: unknown;
}

const CASES: readonly Case[] = [
  { says: "write a duration of 15m to 24h in whole hours, minutes and seconds", wrong: "25h", right: "1h30m" },
  { says: "write a size such as 50Mi, or a number of bytes, of at most 500Gi", wrong: "501Gi", right: "500Gi" },
  {
    says: "write a size such as 100k, or a number of bytes, of more than 0 and at most 10M, in whole units of 1000 bytes",
    wrong: 1500,
    right: "10M",
  },
  { says: "write a whole number of 1 to 65535", wrong: 65_536, right: "65535" },
  { says: "write a whole number of 0 to 1000, or Automatic", wrong: "12", right: 1000 },
  { says: "write a whole number with its unit, such as 64MB or 64Mi, or 0", wrong: "5min", right: "5Ti" },
  { says: "write a whole number with its unit, such as 30s, 5min or 1h30m, or 0 or -1", wrong: 7, right: -1 },
  { says: "write true or remove the field: the platform cannot", wrong: false, right: true },
  { says: "must have 1 to 7 items", wrong: [], right: ["a"] },
  {
    says: "write a public range: nobody reaches the database over the internet from 10.0.0.0/8, fc00::/7",
    wrong: "10.1.0.0/16",
    right: "8.0.0.0/6",
  },
  { says: "set exactly one of name and absent", wrong: {}, right: { name: "shop" } },
  {
    says: "declare clientId too where additionalClientIds is declared",
    at: "additionalClientIds",
    wrong: { additionalClientIds: [] },
    right: { clientId: "a", additionalClientIds: [] },
  },
  {
    says: "a custom hostname needs the add-on",
    at: "addons.customDomain",
    wrong: { addons: { customDomain: false }, customHostname: { hostname: "a.test" } },
    right: { addons: { customDomain: false }, customHostname: { absent: true } },
  },
  {
    says: "the platform has no vanity subdomain beside a custom hostname",
    at: "vanitySubdomain",
    wrong: { vanitySubdomain: { name: "a" }, customHostname: { hostname: "a.test" } },
    right: { vanitySubdomain: { absent: true }, customHostname: { hostname: "a.test" } },
  },
  {
    says: "point-in-time recovery needs the compute size small",
    at: "addons.pitr",
    wrong: { addons: { pitr: "Days7" }, instanceSize: "micro" },
    right: { addons: { pitr: "Days7" }, instanceSize: "medium" },
  },
  {
    says: "resizePolicy says when instanceSize is written: write instanceSize too",
    at: "resizePolicy",
    wrong: { resizePolicy: "OnEdit" },
    right: { resizePolicy: "OnEdit", instanceSize: "micro" },
  },
  {
    says: "an empty list would let nobody reach the database",
    at: "allowedCidrs",
    wrong: { allowedCidrs: [] },
    right: { allowedCidrs: [], denyAll: true },
  },
  {
    says: "denyAll lets nobody in",
    at: "denyAll",
    wrong: { denyAll: true, mode: "Additive" },
    right: { denyAll: true, allowedCidrs: [] },
  },
  {
    says: "the Data API is on as long as it serves a schema",
    at: "enabled",
    wrong: { enabled: false, schemas: ["a"] },
    right: { enabled: false, schemas: [] },
  },
  {
    says: "the Data API is on where it serves a schema",
    at: "enabled",
    wrong: { enabled: true },
    right: { enabled: true, schemas: ["a"] },
  },
  {
    says: "write a maxSize of at most 100 where unit is Percent",
    at: "maxSize",
    wrong: { unit: "Percent", maxSize: 101 },
    right: { unit: "Connections", maxSize: 101 },
  },
  {
    says: "an IO2 disk has no throughput of its own",
    at: "throughputMibps",
    wrong: { type: "IO2", throughputMibps: 1 },
    right: { throughputMibps: 1 },
  },
];

function refusing({ says, at }: Case): z.ZodType {
  return z.unknown().refine(() => false, { message: says, path: at?.split(".") ?? [] });
}

describe.each(CASES)("a schema that says: $says", (one) => {
  it("refuses what is so, which is drawn again", () => {
    expect(isTaken(refusing(one), one.wrong)).toBe(false);
  });

  it("is wrong where it refuses what is not, which is told", () => {
    expect(() => isTaken(refusing(one), one.right)).toThrow(one.says);
  });
});

it.each([
  { kind: "Project", valid: validProjects },
  { kind: "Branch", valid: validBranches },
])("nothing that chance declares of a $kind is refused wrongly", ({ valid }) => {
  expect(fc.sample(valid, { numRuns: 200, seed: 2 })).toHaveLength(200);
});

it("a refusal in other words is told", () => {
  expect(() => isTaken(z.string().max(3), "four")).toThrow(/refused wrongly, or for a new reason: "four"/u);
});

it("what is taken is so", () => {
  expect(isTaken(z.string(), "four")).toBe(true);
});
