import { z } from "zod";
import { response } from "./fields.ts";

/**
 * Lists by cursor, as the paths under /v2 have them. `page` and `filter` are objects whose fields stand in brackets on the wire:
 * `page[size]=50&page[after]=…&filter[username]=ann`.
 */

/** "page[size] 1–100, page[after]/page[before] uuid cursors" (facts.md §2, v2 lists). */
export const pageQuery = z
  .strictObject({
    size: z.number().int().min(1).max(100).optional(),
    /** items that follow this cursor */
    after: z.uuid("expected the cursor of a page, a uuid").optional(),
    /** items that stand before this cursor */
    before: z.uuid("expected the cursor of a page, a uuid").optional(),
  })
  .refine(
    ({ after, before }) => after === undefined || before === undefined,
    "give either the cursor after which or the one before which the page shall stand",
  );

/** Relative paths of other pages; null where there is none. */
const cursorLinksSchema = response({
  first: z.string().nullish(),
  prev: z.string().nullish(),
  next: z.string().nullish(),
  last: z.string().nullish(),
});
export type CursorLinks = z.output<typeof cursorLinksSchema>;

/** "Cursor-paginated envelope (v2 lists)" (behaviour.md, Organization). */
export function cursorList<S extends z.ZodType>(item: S) {
  return response({ data: z.array(item), links: cursorLinksSchema });
}
