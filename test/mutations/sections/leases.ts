import type { Mutant } from "../mutant.ts";

const ELECTION = "src/runtime/leader-election.ts";
const ELECTION_TEST = "src/runtime/leader-election.test.ts";
const MANAGER = "src/runtime/manager.ts";
const MANAGER_TEST = "src/runtime/manager.test.ts";

/** engine.md §8: leases, and what one that was lost means. Part of the section of the process. */
export const leases: readonly Mutant[] = [
  {
    name: "lease-of-every-install",
    promise: "one lease per watched scope: cluster-wide installs share one, in kube-system",
    file: "src/cli/kubernetes.ts",
    find: 'flags.watchNamespace.length === 0 ? "kube-system" : flags.operatorNamespace',
    replace: "flags.operatorNamespace",
    killer: { project: "loopback", files: ["src/cli/kubernetes.loopback.test.ts"] },
  },
  {
    name: "acts-for-the-whole-lease",
    promise: "no request starts later than the renew deadline after the last successful renewal",
    file: ELECTION,
    find: "return elapsedMs < this.#times.renewDeadlineMs;",
    replace: "return elapsedMs < this.#times.durationMs;",
    killer: { project: "unit", files: [ELECTION_TEST] },
  },
  {
    name: "time-of-the-answer-counts",
    promise: "counted from the renewal's sending",
    file: ELECTION,
    find: "    this.#renewed = started;\n",
    replace: "    this.#renewed = { monotonicMs: clock.monotonic(), wallMs: clock.now() };\n",
    killer: { project: "unit", files: [ELECTION_TEST] },
  },
  {
    name: "wall-clock-alone",
    promise: "checked on the monotonic clock",
    file: ELECTION,
    find: "      clock.monotonic() - this.#renewed.monotonicMs,\n",
    replace: "",
    killer: { project: "unit", files: [ELECTION_TEST] },
  },
  {
    name: "acts-in-the-time-of-another",
    promise: "no request starts later than the renew deadline, as the servers see it arrive",
    file: ELECTION,
    find: "    this.#renewed = started;\n",
    replace:
      "    started = { monotonicMs: started.monotonicMs + 60_000, wallMs: started.wallMs + 60_000 };\n    this.#renewed = started;\n",
    killer: { project: "e2e", files: ["test/e2e/lease-requests.e2e.test.ts"], only: "its renewals have no answer" },
  },
  {
    name: "released-while-a-source-goes-on",
    promise: "the lease is released when all has ended, sources too: it runs out where one has not",
    file: MANAGER,
    find: ' && sources.kind === "ended"',
    replace: "",
    killer: { project: "unit", files: [MANAGER_TEST], only: "ignores its abort" },
  },
  {
    name: "lease-taken-from-a-holder",
    promise: "leases (15 s / 10 s / 2 s): a holder's time is waited for",
    file: "src/runtime/lease-record.ts",
    find: "return nowMs - atMs >= durationMs;",
    replace: "return nowMs - atMs >= durationMs / 3;",
    killer: { project: "unit", files: [ELECTION_TEST] },
  },
  {
    name: "call-after-a-lost-lease",
    promise: "checked at sending: a call of the Management API",
    file: "src/api/transport.ts",
    find: "    if (!this.#options.mayStart()) {",
    replace: "    if (!this.#options.mayStart() && this.settled) {",
    killer: { project: "loopback", files: ["src/api/call.loopback.test.ts"] },
  },
  {
    name: "write-after-a-lost-lease",
    promise: "checked at sending: a write to the apiserver",
    file: "src/kube/client-requests.ts",
    find: '(method === "GET" ? mayRead : mayWrite)?.()',
    replace: "mayRead?.()",
    killer: { project: "loopback", files: ["src/kube/client-gate.loopback.test.ts"] },
  },
  {
    name: "read-after-a-lost-lease",
    promise: "no request starts later: what a run reads of the apiserver",
    file: "src/kube/client-requests.ts",
    find: '(method === "GET" ? mayRead : mayWrite)?.()',
    replace: 'method !== "GET" && mayWrite?.()',
    killer: { project: "loopback", files: ["src/kube/client-gate.loopback.test.ts"] },
  },
  {
    name: "read-of-who-was-thawed",
    promise: "no request starts later: what a run reads of whoever was frozen past its time, and has not noticed yet",
    file: "src/runtime/leader-election.ts",
    find: "return this.#renewed === undefined || this.mayStart();",
    replace: "return true;",
    killer: { project: "unit", files: ["src/runtime/leader-election.test.ts"] },
  },
  {
    name: "told-by-who-does-not-lead",
    promise: "no request starts later: who may not read any more takes it for no answer, and counts nothing",
    file: "src/controllers/shared/releases.ts",
    find: 'error.code === "NotLeader") throw error;\n      return undefined;',
    replace: 'error.code === "Gone") throw error;\n      return undefined;',
    killer: {
      project: "loopback",
      files: ["src/controllers/shared/releases.loopback.test.ts"],
      only: "does not lead any more",
    },
  },
  {
    name: "caches-starve-without-the-lease",
    promise: "who may not read in runs fills its caches still: they write nothing, and tell what another does",
    file: "src/kube/client-requests.ts",
    find: "...listRequest(type, options), signal, deadlineMs });",
    replace:
      "...listRequest(type, options), signal, deadlineMs, beforeSend: () => this.#requireLeadership(listRequest(type, options)) });",
    killer: { project: "loopback", files: ["src/kube/client-gate.loopback.test.ts"], only: "for caches" },
  },
  {
    name: "runs-go-on-without-the-lease",
    promise: "lost lease = abort signal",
    file: MANAGER,
    find: "      this.#abortRuns.abort(lost.reason);\n",
    replace: "",
    killer: { project: "unit", files: [MANAGER_TEST] },
  },
  {
    name: "exit-zero-without-the-lease",
    promise: "lost lease: exit non-zero",
    file: "src/runtime/exit.ts",
    find: 'return exit.kind === "stopped" ? 0 : 1;',
    replace: 'return exit.kind === "stopped" || exit.kind === "leaseLost" ? 0 : 1;',
    killer: { project: "unit", files: ["src/runtime/exit.test.ts"] },
  },
];
