import { knownInWords } from "../../base/near.ts";
import { ApiFailure } from "../failure.ts";

/** 404 of a control call that names what is not there. It tells what is: whoever steers the emulator may know. */
export function notThere(what: string, name: string, known: Iterable<string>): ApiFailure {
  const written = name.slice(0, 80);
  return new ApiFailure(404, `${what} ${written} not found${knownInWords([written], known)}`);
}
