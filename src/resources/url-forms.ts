/** Parts of a URL as specs have them: regular expressions that mean the same to JavaScript and RE2, and no more than the client's own reader of URLs takes. */

/** A character of a label: letters, digits, '-', '_' and all beyond ASCII. */
export const character = "[^\\x00-,./:-@\\[-\\^`{-\\x7f]";

export const octet = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
const ipV4 = `${octet}(\\.${octet}){3}`;

const group = "[0-9A-Fa-f]{1,4}";
const end = `(${group}:${group}|${ipV4})`;
/** What may stand behind `::`, by how many groups at most stand before it. */
const behind = ["", group, end, `${group}:${end}`, ...[2, 3, 4, 5].map((groups) => `(${group}:){${groups}}${end}`)];

function before(most: number): string {
  switch (most) {
    case 0:
      return "";
    case 1:
      return `(${group})?`;
    default:
      return `((${group}:){0,${most - 1}}${group})?`;
  }
}

/** An address of IPv6 (RFC 3986, IPv6address): eight groups, or fewer with one `::`, the last two of which may be written as one of IPv4. */
export const ipV6 = `((${group}:){6}${end}|${behind.map((rest, index) => `${before(7 - index)}::${rest}`).join("|")})`;

/** Of 65535 at most, or none. */
export const port = "(:(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[0-9]{1,4}))?";

/** Who is asked. @param name the form of a name that the URL takes */
export function hostOf(name: string): string {
  return `(${name}|${ipV4}|\\[${ipV6}\\])`;
}
