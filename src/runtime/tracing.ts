import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import type * as otel from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { errorFacts } from "../base/error-facts.ts";
import type { Meter } from "../base/meter.ts";
import { type Attributes, type Span, silentSpan, type SpanSpec, type Tracer } from "../base/tracer.ts";
import type { Output } from "./manager.ts";

/**
 * OpenTelemetry behind `Tracer`. Loaded only where traces are asked for. Knows nothing of what is traced, and sets nothing that is global
 * to the process.
 */

export interface TracingOptions {
  /** of the collector, OTLP over HTTP: spans go to `<endpoint>/v1/traces` */
  readonly endpoint: string;
  /** how many of a hundred traces are kept, as a share from 0 to 1 */
  readonly ratio: number;
  readonly version: string;
  readonly meter: Meter;
}

/** Longest wait for the collector at the end, and for one batch, milliseconds. */
const EXPORT_TIMEOUT_MS = 4_000;

/** Spans that wait for the collector; more are dropped rather than kept in memory. */
const MAX_WAITING = 2_048;

export interface Tracing {
  readonly tracer: Tracer;
  /** Sends what waits, when the operator stops. */
  readonly output: Output;
}

/** Traces that go to a collector, in batches, in the background. A collector that is away costs spans, nothing else; a metric counts them. */
export function openTracing({ endpoint, ratio, version, meter }: TracingOptions): Tracing {
  const exporter = counting(
    new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces`, timeoutMillis: EXPORT_TIMEOUT_MS }),
    meter,
  );
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": "baas-operator", "service.version": version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS, maxQueueSize: MAX_WAITING }),
    ],
  });
  return {
    tracer: new RecordingTracer(provider.getTracer("baas.dev/operator", version)),
    output: { name: "traces", drain: () => provider.shutdown().catch(() => undefined) },
  };
}

/** SpanExporter's own code for a batch that was taken. */
const TAKEN = 0;

/** What became of spans. */
export const spanResults = ["sent", "lost"] as const;

function counting(exporter: SpanExporter, meter: Meter): SpanExporter {
  const spans = meter.counter({
    name: "baas_trace_spans_total",
    help: "Spans given to the collector, by whether it took them",
    labels: ["result"],
  });
  return {
    export: (batch, done) => {
      exporter.export(batch, (result) => {
        const spanResult: (typeof spanResults)[number] = result.code === TAKEN ? "sent" : "lost";
        spans.increment({ result: spanResult }, batch.length);
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT } as const;

class RecordingTracer implements Tracer {
  readonly #tracer: otel.Tracer;
  readonly #current = new AsyncLocalStorage<Context>();

  constructor(tracer: otel.Tracer) {
    this.#tracer = tracer;
  }

  root<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
    return this.#record(ROOT_CONTEXT, spec, work);
  }

  child<T>(spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
    const parent = this.#current.getStore();
    return parent === undefined ? work(silentSpan) : this.#record(parent, spec, work);
  }

  async #record<T>(parent: Context, spec: SpanSpec, work: (span: Span) => Promise<T>): Promise<T> {
    const { name, kind = "internal", attributes = {} } = spec;
    const recorded = this.#tracer.startSpan(name, { kind: KINDS[kind], attributes }, parent);
    const span = new RecordedSpan(recorded);
    try {
      return await this.#current.run(trace.setSpan(parent, recorded), () => work(span));
    } catch (error) {
      const { code, name: type = "unknown" } = errorFacts(error);
      span.fail(code ?? type);
      throw error;
    } finally {
      recorded.end();
    }
  }
}

class RecordedSpan implements Span {
  readonly #span: otel.Span;

  constructor(span: otel.Span) {
    this.#span = span;
  }

  get traceId(): string | undefined {
    return this.#span.isRecording() ? this.#span.spanContext().traceId : undefined;
  }

  /** https://www.w3.org/TR/trace-context/#traceparent-header, version 00. */
  get headers(): Readonly<Record<string, string>> {
    const { traceId, spanId, traceFlags } = this.#span.spanContext();
    const flags = traceFlags & TraceFlags.SAMPLED ? "01" : "00";
    return { traceparent: `00-${traceId}-${spanId}-${flags}` };
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.#span.setAttribute("error.type", type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }
}
