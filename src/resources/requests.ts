import { z } from "zod";
import { apiGroup } from "./annotations.ts";
import { list, toldText } from "./fields.ts";
import { statusText } from "./status.ts";

/**
 * What people ask for once, by an annotation `baas.dev/<verb>: <request id>`, and what came of it. A request with an id is carried out exactly once;
 * another id asks again. How that is kept is in controllers/requests.
 */

/** What may follow the id, after an @. */
export type RequestParameter =
  /** nothing */
  | "none"
  /** a moment, which must be there */
  | "moment"
  /** the version of a migration, which may be there */
  | "migration"
  /** IPv4 addresses with commas between them, which may be there */
  | "addresses";

interface RequestVerb {
  /** what it does, for `kubectl explain` and the manual */
  readonly about: string;
  readonly parameter: RequestParameter;
}

/** What can be asked of a project and of a branch. */
const sharedVerbs = {
  restart: { about: "restarts it", parameter: "none" },
  "lift-network-bans": {
    about: "lets addresses in again that its database banned; without addresses all of them",
    parameter: "addresses",
  },
  "allow-writes": {
    about: "lets a database that is read-only since its disk is full write for 15 minutes",
    parameter: "none",
  },
  "shut-down-realtime": { about: "ends all realtime connections; clients connect again", parameter: "none" },
  "replace-root-key": {
    about:
      "puts the key of spec.encryptionRootKey in the place of the platform's; data encrypted with that can become unreadable",
    parameter: "none",
  },
} as const satisfies Readonly<Record<string, RequestVerb>>;

/** What can be asked of a project. */
export const projectVerbs = {
  ...sharedVerbs,
  "restore-to": {
    about: "takes the database back to a point in time, which loses all that was written since; needs the add-on pitr",
    parameter: "moment",
  },
  "cancel-restore": { about: "cancels a restoration that is under way and leaves it paused", parameter: "none" },
} as const satisfies Readonly<Record<string, RequestVerb>>;

/** What can be asked of a branch. */
export const branchVerbs = {
  ...sharedVerbs,
  merge: { about: "brings its migrations and functions to the parent", parameter: "migration" },
  push: { about: "brings the parent's migrations and functions to it", parameter: "migration" },
  reset: {
    about: "makes its database anew from its migrations, which loses the data in it",
    parameter: "migration",
  },
  restore: { about: "keeps a branch whose deletion is scheduled", parameter: "none" },
  "request-review": { about: "asks for a review of it", parameter: "none" },
} as const satisfies Readonly<Record<string, RequestVerb>>;

const forms: Readonly<Record<RequestParameter, string>> = {
  none: "<request id>",
  moment: "<request id>@<time>",
  migration: "<request id> or <request id>@<migration version>",
  addresses: "<request id> or <request id>@<IPv4 addresses>",
};

/** Name of the annotation that asks for a verb. */
export function requestAnnotation(verb: string): string {
  return `${apiGroup}/${verb}`;
}

/** The verb that an annotation asks for. */
export function verbOf(annotation: string): string {
  return annotation.slice(apiGroup.length + 1);
}

/** What of a kind can be asked for, for `kubectl explain`. */
export function requestHelp(verbs: Readonly<Record<string, RequestVerb>>): string {
  const each = Object.entries(verbs).map(
    ([verb, { about, parameter }]) => `${requestAnnotation(verb)}: ${forms[parameter]} ${about}`,
  );
  return `Once per request id, with the outcome in status.requests: ${each.join("; ")}.`;
}

/** How the example of a form looks, for messages. */
const examples: Readonly<Record<RequestParameter, string>> = {
  none: "a request id such as 2026-03-01 or 7, of letters, digits and any of . _ : -",
  moment: "a request id, an @ and a time to the second in UTC, such as 7@2026-01-31T12:00:00Z",
  migration: "a request id such as 7, or with the version of a migration, such as 7@20260131120000",
  addresses: "a request id such as 7, or with IPv4 addresses, such as 7@203.0.113.7,203.0.113.8",
};

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,62}$/u;
const wholeSecond = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/u;
const ipv4 = z.ipv4();

/** An annotation's value taken apart. */
export interface RequestText {
  readonly id: string;
  /** what follows the @, as it is written */
  readonly parameter: string | undefined;
}

export type ParsedRequest =
  | { readonly ok: true; readonly request: RequestText }
  /** `message` says what to write instead */
  | { readonly ok: false; readonly message: string };

/** Reads the value of a request's annotation. */
export function parseRequest(text: string, form: RequestParameter): ParsedRequest {
  const at = text.indexOf("@");
  const id = at === -1 ? text : text.slice(0, at);
  const parameter = at === -1 ? undefined : text.slice(at + 1);
  if (idPattern.test(id) && fits(form, parameter)) return { ok: true, request: { id, parameter } };
  return { ok: false, message: `nothing was sent: write ${examples[form]}` };
}

function fits(form: RequestParameter, parameter: string | undefined): boolean {
  switch (form) {
    case "none":
      return parameter === undefined;
    case "moment":
      return parameter !== undefined && isWholeSecond(parameter);
    case "migration":
      return parameter === undefined || /^\d{1,32}$/u.test(parameter);
    case "addresses":
      return parameter === undefined || isAddresses(parameter);
    default:
      return form satisfies never;
  }
}

/** A day that there is, too: what is no moment must not become another one. */
function isWholeSecond(text: string): boolean {
  if (!wholeSecond.test(text)) return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text.replace("Z", ".000Z");
}

/** Bounded so that a request's text, by which it is known again, stays short. */
const MOST_ADDRESSES = 10;

function isAddresses(text: string): boolean {
  const addresses = text.split(",");
  return addresses.length <= MOST_ADDRESSES && addresses.every((address) => ipv4.safeParse(address).success);
}

/** How a request stands. */
export const requestStates = {
  Waiting: "nothing was sent yet; the message says what is waited for",
  Sending: "it is being sent, or its answer was lost and what came of it is being looked for",
  Running: "the platform is at it",
  Succeeded: "it was done",
  Failed: "the platform refused it or did not get through with it",
  Refused: "nothing was sent, and nothing will be: the message says what to write instead",
  Unknown: "no answer came and nothing tells whether it was done; it is not sent again",
  Expired:
    "nothing was sent, and nothing will be: it stood for more than an hour before it could be; another id asks again",
  Ignored:
    "its annotation stood on the object when that was first seen, as a copy's or a restored backup's does: nothing was sent",
} as const;

export type RequestState = keyof typeof requestStates;

const stateHelp = Object.entries(requestStates)
  .map(([state, when]) => `${state} (${when})`)
  .join(", ");

/** Requests that are remembered of each verb. */
export const MOST_REQUESTS_OF_A_VERB = 10;

/** Ids of forgotten requests that are remembered of each verb. */
export const MOST_SPENT_IDS = 256;

const verbCount = Object.keys({ ...projectVerbs, ...branchVerbs }).length;

/** Of texts alone, whatever a later version writes: a record that cannot be read would let its request be sent again. */
const requestSchema = z.object({
  verb: statusText("What was asked for: the name of the annotation, without baas.dev/."),
  id: statusText("Id of the request."),
  request: statusText("The annotation's value, by which the request is known again."),
  state: statusText(`How it stands: ${stateHelp}.`),
  message: toldText("What came of it, or what is waited for.").optional(),
  askedAt: statusText(
    "When it was first seen, by the operator's clock: sentAt and endedAt are by the platform's, and the order of the two clocks means nothing.",
  ).optional(),
  sentAt: statusText(
    "The platform's clock when it was about to be sent; absent where it certainly was not taken.",
  ).optional(),
  lookedAt: statusText(
    "The platform's clock when its effect was first looked for in vain, after its answer was lost: what came to be later is not taken for it.",
  ).optional(),
  endedAt: statusText("The platform's clock when its outcome was known.").optional(),
  meant: statusText(
    "What it stood for when it was first seen, where the annotation does not say that: of replace-root-key a keyed hash of the declared key.",
  ).optional(),
  before: toldText(
    "What the platform showed before it was sent, by which its effect is told from what was there.",
  ).optional(),
  run: z
    .object({
      id: toldText("Id of the action run."),
      steps: list(
        "Its steps, in their order.",
        z.object({
          name: toldText("Name of the step, for example migrate."),
          status: toldText(
            "Its status in the platform's words: CREATED, RUNNING, EXITED (done), DEAD (failed) and others.",
          ),
        }),
        { type: "atomic", max: 64 },
      ),
    })
    .describe("The action run that carries it out.")
    .optional(),
});

/** One request and what came of it. */
export type RequestRecord = Readonly<z.output<typeof requestSchema>>;

/** What a status says of requests. */
export const requestStatusFields = {
  requests: list(
    `What was asked for by annotations, and what came of it, oldest first. The last ${MOST_REQUESTS_OF_A_VERB} of each verb are kept.`,
    requestSchema,
    { type: "atomic", max: 256 },
  ).optional(),
  spentRequests: list(
    `Ids of earlier requests, of each verb the last ${MOST_SPENT_IDS}, each as verb:digest: with requests, what is never carried out again.`,
    statusText("One id."),
    { type: "atomic", max: MOST_SPENT_IDS * verbCount },
  ).optional(),
  requestsFor: statusText(
    "metadata.uid of the object that requests belongs to; with another uid they are void, and annotations that ask for something are ignored until their value changes.",
  ).optional(),
};

/** The time of a `moment` parameter, milliseconds since the epoch. */
export function momentOf(parameter: string): number {
  return Date.parse(parameter);
}

export type BranchVerb = keyof typeof branchVerbs;

/** Annotations by which something is asked for, of any kind. */
export const requestAnnotations: readonly string[] = [
  ...new Set([...Object.keys(projectVerbs), ...Object.keys(branchVerbs)]),
].map((verb) => requestAnnotation(verb));
