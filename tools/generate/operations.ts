import { operations } from "../../src/api/contract/contract.ts";
import type { LimitClass, Operation, Permissions } from "../../src/api/contract/operation.ts";
import { isOpenToApps, STANDARD_LIMIT } from "../../src/api/contract/operation.ts";
import { depthMeanings, depths } from "../../src/emulator/depth.ts";
import { code, escapeText, table } from "./reference-schema.ts";

/** docs/reference/operations.md: every operation of the Management API as the contract and the emulator have it. */

const banner =
  "<!-- Generated from src/api/contract and src/emulator/depth.ts by `npm run generate`: change them, not this file. -->\n";

const retries: readonly (readonly [Operation["retry"], string])[] = [
  ["read", "changes nothing: sent again after any failure that may pass"],
  ["idempotent", "a second request has no further effect: sent again like a read"],
  ["once", "sent again only when the failure proves that nothing happened"],
];

const levels: ReadonlyMap<string, string> = new Map(Object.entries(depths));

function codes(texts: readonly string[]): string {
  return texts.map((text) => code(text)).join(", ");
}

/** `a` and `b`, or `c`. */
function inWords(permissions: Permissions): string {
  return permissions.map((all) => all.map((name) => code(name)).join(" and ")).join(" or ");
}

/** `10/min and 1/s`. */
export function windowsInWords({ windows }: LimitClass): string {
  return windows.map(({ requests, windowMs }) => `${requests} per ${seconds(windowMs / 1000)}`).join(" and ");
}

function seconds(count: number): string {
  if (count % 60 === 0) return count === 60 ? "minute" : `${count / 60} minutes`;
  return count === 1 ? "second" : `${count} seconds`;
}

function limitOf({ limitClass }: Operation): string {
  return limitClass === undefined ? "" : `${code(limitClass.name)}: ${windowsInWords(limitClass)}`;
}

/** Of a path that takes the id of a branch as well as its ref (behaviour.md, Versioning 2). */
const OF_BRANCH = "{branch_id_or_ref}";

function permissionsOf({ permissions, secretPermission }: Operation): string {
  return inWords(permissions) + (secretPermission === undefined ? "" : `; for secrets ${code(secretPermission)}`);
}

function stabilityOf(operation: Operation): string {
  const { stability, deprecated, access, apps, path } = operation;
  const words = [
    ...(stability === "stable" ? [] : [stability]),
    ...(deprecated === true ? ["deprecated"] : []),
    ...(access === "public" ? ["no token"] : []),
    ...(apps === "partner" ? ["of apps partners' alone"] : []),
    ...(access === "public" || isOpenToApps(operation) ? [] : ["no apps"]),
    ...(path.includes(OF_BRANCH) ? ["a branch id is deprecated: write its ref"] : []),
  ];
  return words.join(", ");
}

function row(operation: Operation): readonly string[] {
  const { id, summary, method, path, scopes, plans = [], retry } = operation;
  return [
    `${code(id)}<br>${escapeText(summary)}`,
    code(`${method} ${path}`),
    codes(scopes),
    permissionsOf(operation),
    plans.join(", "),
    limitOf(operation),
    stabilityOf(operation),
    retry,
    levels.get(id) ?? "",
  ];
}

const columns = ["Operation", "Request", "Scopes", "Permissions", "Plans", "Own limit", "Notes", "Retry", "Emulator"];

function sections(): string {
  const bySection = Map.groupBy(operations, ({ id }) => id.slice(0, id.indexOf(".")));
  return [...bySection]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([section, members]) => `## ${section}\n\n${table(columns, members.map(row))}`)
    .join("\n");
}

/** The second one for those who have no jq: YAML is grouped by lines. */
const SHOW_ONE = [
  "```console",
  `$ npm run -s baas -- openapi | jq '.. | objects | select(.operationId? == "addons.apply")'`,
  "$ npm run -s baas -- openapi -o yaml | grep -A 40 'operationId: addons.apply$'",
  "```",
  "",
  "What is a `$ref` there stands in the same document: `… | jq .components.schemas.Project`.",
].join("\n");

/** The page. */
export function operationsPage(): string {
  const standard = windowsInWords(STANDARD_LIMIT);
  return [
    `${banner}\n# Operations of the Management API\n`,
    `The ${operations.length} operations that [the client](../client.md) calls, [the emulator](../emulator.md) serves and \`baas openapi\` describes.`,
    'An OAuth token needs all of the scopes, and does nothing that is marked "no apps"; a fine-grained token needs the permissions, and that for secrets where',
    "it is to be shown them; a personal token has the rights of its user. Every request",
    `counts against ${standard} per identity and project, organization or the identity alone; what has a limit of its own counts there too.`,
    "What is marked beta, alpha or experimental may change or go without notice.\n",
    `One operation with the schemas of its input and its answers, by its name in the tables:\n\n${SHOW_ONE}\n`,
    `What the client does after an answer that does not tell whether a request took effect:\n\n${table(
      ["Retry", ""],
      retries.map(([word, meaning]) => [word, meaning]),
    )}`,
    `How deep the emulator goes:\n\n${table(
      ["Emulator", ""],
      Object.entries(depthMeanings).map(([word, meaning]) => [word, escapeText(meaning)]),
    )}`,
    "The services behind the API are not there: functions do not run, nobody signs in to a project, log drains and notify URLs get nothing, no",
    "URL is fetched.\n",
    sections(),
  ].join("\n");
}
