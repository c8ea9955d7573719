import { afterEach, beforeEach } from "vitest";
import { Asked } from "./asked.ts";
import { openTheatre, type Theatre } from "./life.ts";

/** What is asked in the tests of a file, each of which has a theatre of its own. */
export function askedInEach(): Asked {
  let theatre: Theatre | undefined;
  beforeEach(async () => {
    theatre = await openTheatre();
  });
  afterEach(() => theatre?.[Symbol.asyncDispose]());
  return new Asked(() => {
    if (theatre === undefined) throw new Error("there is a theatre in tests alone");
    return theatre;
  });
}
