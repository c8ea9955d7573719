import { afterEach, beforeEach } from "vitest";
import { Asked } from "./asked.ts";
import { openTheatre, type Theatre } from "./life.ts";

/** What is asked in the tests of a file, each of which has a theatre of its own, opened as `openTheatre` is told. */
export function askedInEach(...options: Parameters<typeof openTheatre>): Asked {
  let theatre: Theatre | undefined;
  beforeEach(async () => {
    theatre = await openTheatre(...options);
  });
  afterEach(() => theatre?.[Symbol.asyncDispose]());
  return new Asked(() => {
    if (theatre === undefined) throw new Error("there is a theatre in tests alone");
    return theatre;
  });
}
