import { Asked } from "./asked.ts";
import { inEach } from "./in-each.ts";
import { openTheatre } from "./life.ts";

/** What is asked in the tests of a file, each of which has a theatre of its own, opened as `openTheatre` is told. */
export function askedInEach(...options: Parameters<typeof openTheatre>): Asked {
  return new Asked(inEach("a theatre", async (stack) => stack.use(await openTheatre(...options))));
}
