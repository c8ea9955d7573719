import type { FastifyRequest } from "fastify";
import type { Logger } from "../../base/log.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { type Caller, callerOf, identityOf } from "../access.ts";
import { authorize } from "../access/authorize.ts";
import { basicOf } from "../access/basic.ts";
import { scopeOf } from "../access/limit-scope.ts";
import { ApiFailure, badRequest, newErrorEventId, noRoute } from "../failure.ts";
import type { HandlerRequest } from "../handlers/handler.ts";
import { inOAuthWords, withoutIgnored } from "../oauth/oauth-parameters.ts";
import { refusedAuthorization } from "../oauth/oauth-refused.ts";
import { sweepGone } from "../state/presence.ts";
import { admit, type AdmissionParts } from "./admission.ts";
import { type Answer, failureAnswer, jsonAnswer, successAnswer } from "./answer.ts";
import { bodySummary, checkBody, type RawBody, readBody } from "./body.ts";
import { type Fault, type Faults, INJECTED } from "./faults.ts";
import type { LogEntry, RequestLog } from "./request-log.ts";
import { shownQuery } from "./shown.ts";
import { targetOf } from "./target.ts";
import { coerceQuery, validate } from "./validation.ts";
import { send, type HttpWire } from "./wire.ts";

/**
 * The way of one request, in this order: it counts against its limits (429), its body is read (400), a fault may spoil it, rights and
 * plan are asked (401, 403, 402), path, query and body are checked (400), the operation's handler does its work (404, 409, …), what
 * changed is saved, the answer leaves. Every answer carries the limit headers, so nothing goes before the count but what it needs: where the
 * organization of a budget stands in the body, that is read first.
 */

/** An operation and what it does; the request it takes was checked by the operation's own schemas. */
export interface Route {
  readonly operation: Operation;
  readonly handler: (request: CheckedRequest) => unknown;
}

export interface CheckedRequest extends Pick<HandlerRequest<Operation>, "basic" | "address" | "accept" | "onSql"> {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly caller: Caller | undefined;
}

export interface ExchangeParts extends AdmissionParts {
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly log: Logger;
  /** Resolves when everything that changed so far is saved; at once where nothing is. */
  readonly save: () => Promise<void>;
}

interface LoggedExchange extends HttpWire {
  readonly entry: LogEntry;
  readonly caller: Caller | undefined;
  fault: Fault | undefined;
}

/** Serves one request of a declared operation. Never rejects. */
export async function serve(parts: ExchangeParts, route: Route, wire: HttpWire): Promise<void> {
  const exchange = open(parts, wire, route.operation);
  await finish(parts, exchange, () => inOAuthWords(route.operation, work(parts, route, exchange)));
}

/** Answers a request that reached no handler: an unknown route, or one that the server library refused. Never rejects. */
export async function refuse(parts: ExchangeParts, error: unknown, wire: HttpWire): Promise<void> {
  const exchange = open(parts, wire, undefined);
  await finish(parts, exchange, () => {
    admit(parts, exchange, {});
    throw asFailure(error);
  });
}

function open({ world, requests }: ExchangeParts, wire: HttpWire, operation: Operation | undefined): LoggedExchange {
  world.atWork.begin();
  sweepGone(world); // what went by the clock leaves nothing behind, though nothing is made in its place
  const { request } = wire;
  const caller = callerOf(world, request.headers.authorization);
  const entry = requests.open({
    atMs: world.clock.now(),
    operation: operation?.id ?? null,
    method: request.method,
    path: pathOf(request),
    query: shownQuery(operation?.query, request.query),
    identity: identityOf(caller, request.ip),
    scope: null,
    status: null,
    fault: null,
  });
  return { ...wire, entry, caller, fault: undefined };
}

function pathOf(request: FastifyRequest): string {
  const target = targetOf(request);
  return target.split("?", 1)[0] ?? target;
}

/** Whether no route is found, or one with nothing in place of a name: "empty ref gives this" (facts.md §5). */
export function leadsNowhere(request: FastifyRequest): boolean {
  return request.is404 || Object.values(paramsOf(request)).includes("");
}

async function work(parts: ExchangeParts, { operation, handler }: Route, exchange: LoggedExchange): Promise<Answer> {
  const { world, faults } = parts;
  const { request, entry } = exchange;
  const params = paramsOf(request);
  if (request.headers.host === undefined && request.raw.httpVersion !== "1.0") {
    admit(parts, exchange, {});
    throw badRequest("host: a request of HTTP/1.1 says whom it is for"); // RFC 9112, 3.2
  }
  if (leadsNowhere(request)) {
    admit(parts, exchange, {});
    throw noRoute(request.method, targetOf(request));
  }
  const { raw, scope } = await arrive(parts, exchange, { operation, params });
  exchange.fault = faults.take(operation.id, entry.path);
  if (exchange.fault?.phase === "before") {
    if (exchange.fault.kind !== "delay") return spoiled(operation, exchange.fault);
    await world.atWork.park(exchange.fault.ms);
  }
  const caller = authorize(world, operation, { caller: exchange.caller, scope });
  const accept = (request.headers.accept ?? "").toLowerCase();
  const query = queryOf(operation, request);
  let checked: Pick<CheckedRequest, "params" | "query" | "body">;
  try {
    checked = {
      params: validate(operation.params, params, "path"),
      query: validate(operation.query, query, "query"),
      body: checkBody(knownIn(operation, raw), operation.body),
    };
  } catch (error) {
    return successAnswer(operation, refusedAuthorization(world, operation, { query, accept, error }));
  }
  const reply: unknown = await handler({
    ...checked,
    caller,
    basic: basicOf(request.headers.authorization),
    address: request.ip,
    accept,
    onSql: () => {
      exchange.entry.ranSql = true;
    },
  });
  return successAnswer(operation, reply);
}

interface AskedOperation {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

interface Arrived {
  readonly raw: RawBody;
  readonly scope: string | undefined;
}

/** Counts the arrival and reads the body; in the other order where the body tells what the request counts against. */
async function arrive(
  parts: ExchangeParts,
  exchange: LoggedExchange,
  { operation, params }: AskedOperation,
): Promise<Arrived> {
  const bodyFirst = operation.limitScope === "bodyOrganization";
  const scope = bodyFirst ? undefined : scopeOf(parts.world, operation, { params });
  if (!bodyFirst) admit(parts, exchange, { operation, scope });
  let raw: RawBody;
  try {
    raw = await readBody(exchange.request, operation.body);
  } catch (error) {
    if (bodyFirst) admit(parts, exchange, { operation });
    throw asFailure(error);
  }
  exchange.entry.body = bodySummary(raw, operation.body);
  if (!bodyFirst) return { raw, scope };
  const bodyScope = scopeOf(parts.world, operation, { params, body: valueOf(raw) });
  admit(parts, exchange, { operation, scope: bodyScope });
  return { raw, scope: bodyScope };
}

/** Stands in for an answer of which a fault leaves the status at most, or half of a body where one may be. */
function spoiled({ success: { status } }: Operation, { kind }: Fault): Answer {
  return kind === "truncated" && status !== 204 ? jsonAnswer(status, INJECTED) : { status, headers: {}, body: "" };
}

function valueOf(raw: RawBody): unknown {
  return raw.kind === "json" || raw.kind === "form" ? raw.value : undefined;
}

/** Brings the work to an answer, whatever happens in it, and puts that on the wire. */
async function finish(
  parts: ExchangeParts,
  exchange: LoggedExchange,
  run: () => Answer | Promise<Answer>,
): Promise<void> {
  const { world, log, requests } = parts;
  const { reply, entry } = exchange;
  let answer: Answer;
  try {
    answer = await saved(parts, run);
  } catch (error) {
    const errorEventId = newErrorEventId();
    if (!(error instanceof ApiFailure)) {
      log.error({ error, operation: entry.operation, errorEventId }, "handler failed");
    }
    answer = failureAnswer(error, errorEventId);
  }
  const { fault } = exchange;
  if (fault?.kind === "delay" && fault.phase === "after") await world.atWork.park(fault.ms);
  entry.fault = fault?.kind ?? null;
  entry.status = statusOnWire(answer, fault);
  try {
    requests.close(entry);
    void reply.header("date", new Date(world.clock.now()).toUTCString());
    send(exchange, answer, fault);
  } finally {
    world.atWork.end();
  }
}

/** Nothing is answered before what it says is saved, refusals included: some of them change something, as a counter. */
async function saved({ save }: ExchangeParts, run: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } finally {
    await save();
  }
}

function statusOnWire(answer: Answer, fault: Fault | undefined): number | null {
  if (fault?.kind === "reset" || fault?.kind === "half-open") return null;
  return fault?.kind === "status" || fault?.kind === "html" ? fault.status : answer.status;
}

/**
 * What the server library says of a request that it cannot read: "400 for a bad request" (facts.md, head). No text has a status of its own
 * for a body that is too large.
 */
function asFailure(error: unknown): unknown {
  if (error instanceof ApiFailure || !(error instanceof Error)) return error;
  const status = "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500;
  return status >= 500 ? error : badRequest(error.message);
}

function paramsOf(request: FastifyRequest): Readonly<Record<string, string>> {
  return entriesOf(request.params, (value): value is string => typeof value === "string");
}

function queryOf(operation: Operation, request: FastifyRequest): Readonly<Record<string, unknown>> {
  const sent = entriesOf(request.query, (_value): _value is unknown => true);
  return withoutIgnored(operation, operation.query, coerceQuery(operation.query, sent));
}

/** A form without what its operation ignores; nothing is ignored in any other body. */
function knownIn(operation: Operation, raw: RawBody): RawBody {
  if (raw.kind !== "form" || operation.body?.encoding !== "form") return raw;
  return { kind: "form", value: withoutIgnored(operation, operation.body.schema, raw.value) };
}

function entriesOf<T>(value: unknown, accepts: (inner: unknown) => inner is T): Readonly<Record<string, T>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, T] => accepts(entry[1])));
}
