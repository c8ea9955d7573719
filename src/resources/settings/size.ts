/** Sizes as people write them, in the form of Kubernetes' quantities: `50Mi`, `1Gi`, `500M`, or bytes without a unit. */

const unitBytes = {
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
} as const;

type Unit = keyof typeof unitBytes;

/** What a size looks like, for both regular expression engines. */
export const sizePattern = String.raw`^\d{1,15}(k|[MGT]i?|Ki)?$`;

const wholeSize = new RegExp(sizePattern);

function isUnit(text: string): text is Unit {
  return Object.hasOwn(unitBytes, text);
}

/** The bytes that a size stands for; undefined for text that is none. */
export function sizeBytes(text: string): number | undefined {
  if (!wholeSize.test(text)) return undefined;
  const unit = text.replace(/^[0-9]+/, "");
  const count = Number(text.slice(0, text.length - unit.length));
  if (unit === "") return count;
  return isUnit(unit) ? count * unitBytes[unit] : undefined;
}
