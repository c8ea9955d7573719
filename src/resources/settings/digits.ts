/** Leading zeros that a number in text may have. */
const zeros = "0{0,9}";

/** A regular expression, the same to JavaScript and RE2, of the whole numbers from 1 to `max` in decimal digits. */
export function digitsUpTo(max: number): string {
  const digits = Array.from(String(max), Number);
  const [, ...others] = digits;
  const shorter = others.length === 0 ? [] : [`[1-9]${anyDigits(others.length - 1, 0)}`];
  const asLong = digits.flatMap((digit, index) => {
    const isLast = index === digits.length - 1;
    const from = index === 0 ? 1 : 0;
    const to = isLast ? digit : digit - 1;
    if (to < from) return [];
    return [`${digits.slice(0, index).join("")}[${from}-${to}]${anyDigits(digits.length - 1 - index)}`];
  });
  return `^${zeros}(${[...shorter, ...asLong].join("|")})$`;
}

function anyDigits(most: number, least = most): string {
  return most === 0 ? "" : `[0-9]{${least === most ? most : `${least},${most}`}}`;
}
