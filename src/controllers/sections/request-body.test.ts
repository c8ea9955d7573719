import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { FieldChange } from "./field-plan.ts";
import { requestBody } from "./request-body.ts";

const schema = z.strictObject({
  limit: z.number().min(1).optional(),
  features: z.strictObject({ most: z.number().max(9).optional() }).optional(),
});

const change = (field: string, wire: string, value: number): FieldChange => ({
  field,
  wire,
  value,
  cause: "declared",
  difference: "",
});

describe("a body", () => {
  const limit = change("spec.storage.limit", "limit", 0);
  const most = change("spec.storage.features.most", "features.most", 10);

  it("that the request takes goes as it is", () => {
    expect(requestBody(schema, { limit: 5 }, [change("spec.storage.limit", "limit", 5)])).toEqual({ limit: 5 });
  });

  it.each([
    { body: { limit: 0, features: { most: 3 } }, names: "spec.storage.limit:" },
    { body: { features: { most: 10 } }, names: "spec.storage.features.most:" },
    { body: { tomorrow: 1 }, names: "spec.storage.limit, spec.storage.features.most:" },
  ])("that no request takes is somebody's to put right, and names the field: $body", ({ body, names }) => {
    expect(() => requestBody(schema, body, [limit, most])).toThrow(
      expect.objectContaining({ code: "TERMINAL", reason: "InvalidSpec", message: expect.stringContaining(names) }),
    );
  });
});
