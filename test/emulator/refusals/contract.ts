import { readFileSync } from "node:fs";

/** What the contract says of refusals, piece by piece, for a table to show that it has each. */

interface NamedRefusal {
  /** its own words, as a row of a table quotes them */
  readonly of: string;
  /** the codes that it gives; none where it leaves them open */
  readonly statuses: readonly number[];
}

const [BEHAVIOUR = "", ENDPOINTS = "", FACTS = ""] = ["behaviour", "endpoints", "facts"].map((name) =>
  readFileSync(new URL(`../../../docs/contract/${name}.md`, import.meta.url), "utf8"),
);

/** Whether the contract says it, in exactly these words. */
export function isSaid(quote: string): boolean {
  return [BEHAVIOUR, ENDPOINTS, FACTS].some((text) => text.includes(quote));
}

const section = (number: number): string =>
  new RegExp(`^## ${number}\\. [^]*?(?=^## |(?![^]))`, "m").exec(FACTS)?.[0] ?? "";
const codesIn = (text: string): readonly number[] =>
  [...text.matchAll(/(?<!not )\b(?:4\d\d|5[04][04])\b/g)].map(([code]) => Number(code));
const asNamed = (of: string): NamedRefusal => ({ of, statuses: codesIn(of) });
const refusing = (pieces: readonly string[]): readonly NamedRefusal[] =>
  pieces.map((piece) => asNamed(piece.trim())).filter(({ statuses }) => statuses.length > 0);

/** The table of facts.md §5: call, code, message gist. */
const rows = [...section(5).matchAll(/^\| (?!call )(.+?) \| (.+?) \|/gm)].map(([, of = "", code = ""]) => ({
  of,
  statuses: codesIn(code),
}));

/** "Custom hostname machine" there, by its arrows. */
const machine = refusing((/^Custom hostname machine: (.*)$/m.exec(section(5))?.[1] ?? "").split(/[;,] | and /));

/** What stands beside the constraints and the semantics. */
const semantics = [2, 6].flatMap((number) => refusing(section(number).split(/; |\. |\.\n| \|/)));

/** Of the two other documents, which speak of refusals without their codes as well. */
const prose: readonly NamedRefusal[] = [
  asNamed("404 on the legacy signing-key and legacy API-key endpoints signals that the endpoint has been removed"),
  asNamed("429 Too Many Requests: returned for every call after the per-minute quota is exceeded"),
  { of: "SSO provider operations, realtime shutdown, backup schedule read/update", statuses: [404] },
  { of: "A log query whose timestamp range exceeds 24 hours returns a validation error", statuses: [] },
  {
    of: "log drain creation, read replica setup and vanity subdomain operations need Pro, Team or Enterprise",
    statuses: [],
  },
  { of: "backup schedule read/update needs Enterprise", statuses: [402] },
  { of: "at most 3 updates per 24 hours", statuses: [] },
  { of: "the last is beta and for Team and Enterprise plans", statuses: [] },
  { of: "Only possible when the key has been revoked for a while", statuses: [] },
];

/** All that is named, by its codes or in words. */
export const NAMED_REFUSALS: readonly NamedRefusal[] = [...rows, ...machine, ...semantics, ...prose];
