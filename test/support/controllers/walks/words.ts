import fc from "fast-check";

/** Names as people write them: of any letters, with blanks around, long, or alike but for their case. */
export const words = fc.oneof(
  fc.constantFrom("shop", "Shop", " shop ", "shop\u00e9", "shope\u0301", "a/b", "0"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
);
