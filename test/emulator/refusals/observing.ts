import { type Refusal, alike, asked, EVENT, onPlan, PROJECT } from "../../support/emulator/refusal.ts";

/** Logs, counts, log drains and saved SQL. */

const DRAINS = PROJECT.replace("v1", "v2").concat("/analytics/log-drains");
const drain = (attributes: object) => ({ data: { type: "log_drain", attributes } });
const sentry = { name: "logs", backend_type: "sentry", config: { dsn: "https://key@sentry.test/1" } };
const logs = ["analytics.logs", "analytics.allLogs"];
const range = (start: string, end: string): string =>
  `iso_timestamp_start=${encodeURIComponent(start)}&iso_timestamp_end=${encodeURIComponent(end)}`;

const analytics: readonly Refusal[] = [
  ...alike(logs, {
    status: 400,
    of: ["A log query whose timestamp range exceeds 24 hours returns a validation error"],
    because: "the range is longer than a day",
    query: range("2025-12-30T00:00:00Z", "2025-12-31T00:00:01Z"),
    says: "iso_timestamp_start: the range of timestamps may not exceed 24 hours",
  }),
  ...alike(logs, {
    status: 402,
    because: "the plan keeps logs for a shorter time",
    given: onPlan("free"),
    query: range("2025-12-01T00:00:00Z", "2025-12-01T01:00:00Z"),
    says: "Logs are kept for 1 day(s) on the plan free; the range begins before that",
  }),
  {
    id: "analytics.functionStats",
    status: 400,
    because: "there are four intervals",
    query: "interval=1s&function_id=x",
    says: "interval: Invalid enum value. Expected '15min' | '1hr' | '3hr' | '1day', received '1s'",
  },
  {
    id: "analytics.functionStats",
    status: 404,
    because: "the project has no such function",
    says: "Function not found",
  },
  {
    id: "analytics.apiCounts",
    status: 400,
    because: "there are seven intervals",
    query: "interval=1s",
    says: "interval: Invalid enum value. Expected '15min' | '30min' | '1hr' | '3hr' | '1day' | '3day' | '7day', received '1s'",
  },
  {
    id: "analytics.apiRequestsCount",
    status: 400,
    because: "requests are counted all together",
    query: "interval=15min",
    says: "query: Unrecognized key(s): 'interval'",
  },
];

const drains: readonly Refusal[] = [
  {
    id: "logDrains.create",
    status: 400,
    because: "the configuration lacks where to send them",
    body: drain({ ...sentry, config: {} }),
    says: "data.attributes.config.dsn: Invalid input: expected string, received undefined",
  },
  {
    id: "logDrains.create",
    status: 400,
    of: ["Config forms (no other keys)"],
    because: "the configuration has a key of another form",
    body: drain({ ...sentry, config: { ...sentry.config, region: "eu" } }),
    says: "data.attributes.config: Unrecognized key(s): 'region'",
  },
  {
    id: "logDrains.create",
    status: 402,
    of: ["log drain creation, read replica setup and vanity subdomain operations need Pro, Team or Enterprise"],
    because: "the plan has none",
    given: onPlan("free"),
    says: "This needs the plan Pro, Team or Enterprise; the organization has Free.",
  },
  {
    id: "logDrains.update",
    status: 400,
    because: "another backend needs a configuration of its own",
    given: asked("POST", DRAINS, drain(sentry)),
    body: drain({ backend_type: "webhook" }),
    says: "data.attributes.config: expected the configuration of a webhook drain, since the drain's backend_type is 'sentry'",
  },
  {
    id: "logDrains.delete",
    status: 400,
    because: "an id is a uuid",
    path: `${DRAINS}/first`,
    says: "id: a log drain's id is a uuid, received 'first'",
  },
  ...alike(["logDrains.update", "logDrains.delete"], {
    status: 404,
    because: "the project has no such drain",
    says: "Log drain not found",
  }),
];

const snippets: readonly Refusal[] = [
  {
    id: "snippets.list",
    status: 400,
    because: "no page ended there",
    query: "cursor=nowhere",
    says: "cursor: expected the cursor of a page before",
  },
  {
    id: "snippets.list",
    status: 404,
    because: "there is no such project",
    query: `project_ref=${"z".repeat(20)}`,
    says: "Project not found",
  },
  {
    id: "snippets.get",
    status: 400,
    because: "a snippet is read as a whole",
    query: "fields=name",
    says: "query: Unrecognized key(s): 'fields'",
  },
  {
    id: "snippets.get",
    status: 406,
    of: ["GET snippet unknown"],
    because: "there is no such snippet",
    path: "/v1/snippets/ID",
    says: "Failed to retrieve snippet",
    beside: EVENT,
  },
];

export const OBSERVING_REFUSALS: readonly Refusal[] = [...analytics, ...drains, ...snippets];
