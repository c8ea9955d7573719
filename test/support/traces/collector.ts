import protobuf from "protobufjs";
import { z } from "zod";
import { type ScriptedServer, startScriptedServer } from "../api-server/scripted-server.ts";

/** test/support/traces: a collector of OpenTelemetry traces, which keeps what it is sent. */

/** As much of opentelemetry.proto.collector.trace.v1 as is read here. */
const PROTO = `
  syntax = "proto3";
  message Export { repeated ResourceSpans resource_spans = 1; }
  message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
  message Resource { repeated KeyValue attributes = 1; }
  message ScopeSpans { repeated Span spans = 2; }
  message Span {
    bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
    repeated KeyValue attributes = 9; Status status = 15;
  }
  message Status { string message = 2; int32 code = 3; }
  message KeyValue { string key = 1; AnyValue value = 2; }
  message AnyValue { oneof value { string string_value = 1; bool bool_value = 2; int64 int_value = 3; double double_value = 4; } }
`;

const exportType = protobuf.parse(PROTO, { keepCase: true }).root.lookupType("Export");

const anyValue = z
  .looseObject({ value: z.string() })
  .transform((any) => z.union([z.string(), z.boolean(), z.number()]).parse(any[any.value]));
const attributes = z
  .array(z.object({ key: z.string(), value: anyValue }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, value])));
const spanSchema = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_span_id: z.string(),
  name: z.string(),
  kind: z.number(),
  attributes,
  status: z.object({ message: z.string(), code: z.number() }).nullable(),
});
export type CollectedSpan = z.output<typeof spanSchema>;

const exportSchema = z.object({
  resource_spans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scope_spans: z.array(z.object({ spans: z.array(spanSchema) })),
    }),
  ),
});

export interface Collector extends AsyncDisposable {
  readonly url: string;
  /** All that came, in the order in which it did. */
  spans(): readonly CollectedSpan[];
  /** What programs said that they are. */
  services(): readonly unknown[];
  /** The authorizations that came with them. */
  authorizations(): readonly unknown[];
  /** Everything as it came over the wire, as text, to look for what must not be in it. */
  text(): string;
}

export async function startCollector(): Promise<Collector> {
  const server: ScriptedServer = await startScriptedServer(() => ({ status: 200 }));
  const received = () =>
    server.arrivals
      .filter(({ url }) => url === "/v1/traces")
      .flatMap(({ body }) => {
        const message = exportType.decode(body);
        const plain = exportType.toObject(message, {
          bytes: String,
          longs: Number,
          arrays: true,
          defaults: true,
          oneofs: true,
        });
        return exportSchema.parse(plain).resource_spans;
      });
  const hex = (base64: string): string => Buffer.from(base64, "base64").toString("hex");
  return {
    url: server.url,
    spans: () =>
      received()
        .flatMap(({ scope_spans: scopes }) => scopes.flatMap(({ spans }) => spans))
        .map((span) => ({
          ...span,
          trace_id: hex(span.trace_id),
          span_id: hex(span.span_id),
          parent_span_id: hex(span.parent_span_id),
        })),
    services: () => received().map(({ resource }) => resource.attributes["service.name"]),
    authorizations: () => server.arrivals.map(({ headers }) => headers["authorization"]),
    text: () => server.arrivals.map(({ body }) => body.toString("latin1")).join("\n"),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
