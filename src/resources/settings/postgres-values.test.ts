import { z } from "zod";
import { describe, expect, it } from "vitest";
import { postgresDuration, postgresSize } from "./postgres-values.ts";
import { type SettingRow, settingsOf } from "./setting.ts";

const section = z.object({
  size: postgresSize("work_mem", "d", { unit: "kB", from: "64kB", to: "2TB" }),
  pages: postgresSize("shared_buffers", "d", { unit: "8kB", from: "128kB", to: "8TB" }),
  unlimited: postgresSize("max_slot_wal_keep_size", "d", {
    unit: "MB",
    from: "0",
    to: "2048TB",
    minusOne: "any amount",
  }),
  time: postgresDuration("statement_timeout", "d", { unit: "ms", from: "0", to: "596h31m" }),
  seconds: postgresDuration("checkpoint_timeout", "d", { unit: "s", from: "30s", to: "1d" }),
});

type Path = keyof z.output<typeof section>;
/** a setting, what is written, what it is compared with, and why */
type Case = readonly [path: Path, declared: string | number, other: unknown, why: string];

function row(path: Path): SettingRow {
  const found = settingsOf(section).find((one) => one.path === path);
  if (found === undefined) throw new RangeError(path);
  return found;
}

describe("a size or a duration of the database", () => {
  it.each<Case>([
    ["size", "64MB", "64MB", "the database's own words"],
    ["size", "64Mi", "64MB", "Kubernetes' words for the same"],
    ["size", 0, "0", "nothing needs no unit"],
    ["unlimited", -1, "-1", "a special value"],
    ["unlimited", "-1", "-1", "a special value as text"],
    ["time", "90s", "90s", "a duration of one part"],
    ["time", "5m", "5min", "minutes as Kubernetes writes them"],
    ["time", "1h30m", "5400000ms", "several parts"],
    ["time", "100us", "100us", "less than the setting counts in"],
    ["seconds", "2d", "2d", "days, which the database has"],
  ])("%s of %j is sent as %j: %s", (path, declared, wire) => {
    expect(row(path).encode(declared)).toBe(wire);
  });

  it.each<Case>([
    ["size", "64MB", "65536kB", "another unit"],
    ["size", "64MB", "65536", "a bare number counts in the setting's unit"],
    ["size", "1GB", "1.0GB", "a fraction"],
    ["size", "64MB", " 64 MB ", "blanks"],
    ["size", "64MB", 65536, "a number"],
    ["size", "1000B", "1kB", "the database keeps whole units"],
    ["pages", "1GB", "131072", "pages of 8 kB"],
    ["unlimited", "-1", "-1", "a special value"],
    ["time", "5min", "300000", "milliseconds"],
    ["time", "5min", "300s", "another unit"],
    ["time", "0", "0ms", "nothing, in some unit"],
    ["seconds", "5min", "300", "seconds"],
    ["seconds", "1d", "24h", "another unit"],
  ])("%s of %j is no drift from %j: %s", (path, wanted, observed) => {
    expect(row(path).isSame(String(wanted), observed)).toBe(true);
  });

  it.each<Case>([
    ["size", "64MB", "64kB", "another unit"],
    ["size", "64MB", "64", "a bare number of other units"],
    ["size", "64MB", undefined, "nothing"],
    ["size", "64MB", "a lot", "no size"],
    ["unlimited", "-1", "1", "another sign"],
    ["time", "5min", "5s", "another unit"],
    ["time", "5min", "5", "a bare number of other units"],
  ])("%s of %j differs from %j: %s", (path, wanted, observed) => {
    expect(row(path).isSame(String(wanted), observed)).toBe(false);
  });

  it.each<readonly [path: Path, says: string, why: string]>([
    ["pages", "A size such as 64MB or 64Mi. d 128kB to 8TB. Units: B, kB,", "a size within bounds"],
    ["unlimited", "0 to 2048TB. -1: any amount.", "a special value"],
    ["seconds", "A duration such as 30s or 5min. d 30s to 1d. Units: us,", "a duration within bounds"],
  ])("%s tells first how it is written, then what the database takes: %j (%s)", (path, says) => {
    expect(section.shape[path].unwrap().meta()?.description).toContain(says);
  });

  it.each<readonly [path: Path, declared: string | number, why: string]>([
    ["size", "64kB", "the least"],
    ["size", "64Ki", "the least in other words"],
    ["size", "2TB", "the most"],
    ["pages", "16384000B", "whole pages"],
    ["unlimited", 0, "nothing, which it takes"],
    ["unlimited", -1, "a special value"],
    ["unlimited", "-1", "a special value as text"],
    ["time", "596h30m", "near to the most"],
    ["seconds", "1d", "the most"],
  ])("%s of %j is what the database takes: %s", (path, declared) => {
    expect(row(path).problem?.(declared)).toBeUndefined();
  });

  it.each<readonly [path: Path, declared: string | number, says: string, why: string]>([
    ["size", "63kB", "63kB is not within 64kB to 2TB", "less than the least"],
    ["size", 0, "0 is not within 64kB to 2TB", "nothing, which it does not take"],
    ["size", "3TB", "3TB is not within 64kB to 2TB", "more than the most"],
    ["pages", "1B", "1B is not within 128kB to 8TB", "less than a page"],
    ["unlimited", "999999999999TB", "is not within 0 to 2048TB", "more than there is"],
    ["time", "600h", "600h is not within 0 to 596h31m", "more milliseconds than it counts"],
    ["seconds", "29s", "29s is not within 30s to 1d", "less than the least"],
    ["seconds", "24h1s", "24h1s is not within 30s to 1d", "of several parts"],
  ])("%s of %j is not, as is told: %j (%s)", (path, declared, says) => {
    expect(row(path).problem?.(declared)).toContain(says);
  });

  it.each<readonly [path: Path, declared: unknown, why: string]>([
    ["size", 64, "a bare number, which counts something else for each setting"],
    ["size", "64", "the same as text"],
    ["size", "64M", "a unit that means 1000 in Kubernetes and nothing to the database"],
    ["size", "64mb", "a unit that there is not"],
    ["size", "1.5GB", "a fraction"],
    ["size", -1, "a special value that this one does not have"],
    ["unlimited", -2, "a negative size"],
    ["time", "5 minutes", "words"],
    ["time", "30m1h", "parts in another order"],
    ["time", "-1", "a special value that this one does not have"],
  ])("%s of %j is refused: %s", (path, declared) => {
    const { success, error } = section.safeParse({ [path]: declared });
    expect([success, error?.issues[0]?.message]).toEqual([
      false,
      expect.stringContaining("write a whole number with its unit"),
    ]);
  });
});
