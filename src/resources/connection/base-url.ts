import { blank, text } from "../fields.ts";
import { character, hostOf, octet, port } from "../url-forms.ts";

/**
 * Which base URLs a definition takes: none that the client refuses, as far as a regular expression can tell. What is left, such as a name
 * that ends in a hexadecimal number, is told by the connection's condition. The chart's values are held to the same two expressions, in the same words.
 */

const loopback = `(localhost|127(\\.${octet}){3}|\\[::1\\])`;
const noDigit = "[^\\x00-,.-@\\[-\\^`{-\\x7f]";
/** The last label of a name has more than digits: else the whole is read as an IPv4 address. */
const name = `(${character}+\\.)*[0-9]*${noDigit}${character}*\\.?`;

export const baseUrlPattern = `^(https://${hostOf(name)}|http://${loopback})${port}(/[^${blank}?#\\\\]*)?$`;
export const baseUrlWords =
  "write an https:// URL such as https://api.example.com, with a port up to 65535 or none, without user name, query or fragment; http:// is " +
  "accepted for localhost, 127.0.0.0/8 and [::1] only";

/** The version that every path of the API begins with: behind a second one nothing would be found. */
export const versionPattern = "/[vV][12]/*$";
export const versionWords = "drop the /v1 or /v2 at its end: the paths of the API begin with it";

export const baseUrl = text(
  "Base URL of the Management API, for example https://api.example.com, without the /v1 that its paths begin with. Plain http is accepted on " +
    "loopback only.",
  {
    max: 2048,
    pattern: baseUrlPattern,
    message: baseUrlWords,
    never: { pattern: versionPattern, message: versionWords },
  },
);
