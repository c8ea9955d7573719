import type { Mutant, Section } from "../mutant.ts";

const CALL = "src/api/call.ts";
const CONTROLLER = "src/runtime/controller.ts";

const carries: Mutant["killer"] = {
  project: "loopback",
  files: ["src/runtime/tracing.loopback.test.ts"],
  only: "whose calls carry its context",
};

/** engine.md §7 and docs/operations.md: what a trace of a reconcile is made of. */
export const traces: Section = {
  sign: "§7",
  name: "traces",
  mutants: [
    {
      name: "no-context-for-the-apiserver",
      promise: "both servers get traceparent: the apiserver",
      file: "src/kube/http.ts",
      find: "      ...span.headers,\n",
      replace: "",
      killer: carries,
    },
    {
      name: "no-context-for-the-platform",
      promise: "both servers get traceparent: the platform",
      file: CALL,
      find: "headers: this.#span.headers,",
      replace: "headers: {},",
      killer: carries,
    },
    {
      name: "log-lines-without-their-trace",
      promise: "log lines of a traced reconcile name its trace",
      file: CONTROLLER,
      find: "const traced = traceId === undefined ? {} : { traceId };",
      replace: "const traced = traceId === undefined ? {} : {};",
      killer: { ...carries, only: "found from each of its log lines" },
    },
    {
      name: "outcome-not-in-the-trace",
      promise: "a reconcile's span says how it came out",
      file: CONTROLLER,
      find: '    span.set({ "baas.outcome": next.metric });\n',
      replace: "",
      killer: carries,
    },
    {
      name: "budget-wait-not-in-the-trace",
      promise: "a call's span says how long it waited for budget",
      file: CALL,
      find: '    this.#span.set({ "baas.budget_wait_ms": Math.round(this.#waitedMs) });\n',
      replace: "",
      killer: carries,
    },
    {
      name: "call-in-a-trace-of-its-own",
      promise: "calls and requests are children of the reconcile within which they are made",
      file: "src/runtime/tracing.ts",
      find: "work(silentSpan) : this.#record(parent, spec, work);",
      replace: "work(silentSpan) : this.#record(ROOT_CONTEXT, spec, work);",
      killer: carries,
    },
  ],
};
