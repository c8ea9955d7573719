import { expect, it } from "vitest";
import { AUTOMATIC, integerOrAutomatic } from "./automatic.ts";

const schema = integerOrAutomatic("pool", "Connections.", { min: 1, max: 20 });

it.each([1, 20, AUTOMATIC])("takes %j", (declared) => {
  expect(schema.safeParse(declared).success).toBe(true);
});

it.each(["automatic", "Automatic ", "", "Off", "7", 0, 21])("refuses %j, and says what to write", (declared) => {
  const told = schema.safeParse(declared).error?.issues.map(({ message }) => message);
  expect(told).toEqual(["write a whole number of 1 to 20, or Automatic"]);
});

it.each([1.5, null])("refuses %j, which is of another type", (declared) => {
  expect(schema.safeParse(declared).success).toBe(false);
});
