import { refused } from "./errors.ts";

/** Control characters, and the other slash, which is a separator to some. */
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const UNFIT = /[\u0000-\u001f\u007f\\]/;

/**
 * The path of an entry, relative to the archive, with '/' between its parts; "" for the archive itself. One `./` before it and one `/` after it, as
 * `tar` writes them for `.` and for folders, are no part of it.
 *
 * @throws ArtifactError Refused: absolute, or with a part that is empty, `.` or `..`, or too long, or of characters that no path of a source has
 */
export function entryPath(raw: string, longest: number): string {
  const shown = JSON.stringify(raw.slice(0, 120).toWellFormed());
  if (raw.length > longest) throw refused(`the archive has a path of more than ${longest} characters: ${shown}`);
  if (UNFIT.test(raw)) throw refused(`the archive has a path of unfit characters: ${shown}`);
  if (raw.startsWith("/")) throw refused(`the archive has an absolute path: ${shown}`);
  const path = raw.replace(/^\.(\/|$)/, "").replace(/\/$/, "");
  if (path === "") return path;
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) {
    throw refused(`the archive has a path that is not plain: ${shown}`);
  }
  return path;
}
