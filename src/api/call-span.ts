import type { SpanSpec } from "../base/tracer.ts";
import type { Operation } from "./contract/operation.ts";
import type { ApiLane } from "./lanes.ts";

/** A call with all its waits and repetitions; never its path, which names what only some may know. */
export function spanOf({ operation, lane }: { readonly operation: Operation; readonly lane: ApiLane }): SpanSpec {
  const { id, method, path } = operation;
  return {
    name: id,
    kind: "client",
    attributes: { "http.request.method": method, "url.template": path, "baas.lane": lane },
  };
}
