import { describe, expect, it } from "vitest";
import { terminal } from "../shared/failures.ts";
import { besideRefused } from "./refusal-memory.ts";

describe("a field that its section has no request for", () => {
  it("takes nothing from what the platform refused beside it, and waits no longer than an hour with that", () => {
    const refused = {
      declared: "d",
      under: "free",
      fields: ["spec.disk.iops"],
      message: "too many",
      reason: "Rejected",
    } as const;
    const fields = ["spec.disk.throughputMibps"];
    expect(besideRefused(refused, { fields, error: terminal("InvalidSpec", "it has none") })).toEqual({
      ...refused,
      fields: ["spec.disk.iops", "spec.disk.throughputMibps"],
      message: "too many; it has none",
      mayPass: true,
    });
  });
});
