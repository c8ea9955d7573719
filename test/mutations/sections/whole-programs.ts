import type { Mutant, Section } from "../mutant.ts";

/** What the kill matrix plays of one sort of case alone, beside the recording that it begins with. */
function matrix(only: string, cases: string): Mutant["killer"] {
  return {
    project: "matrix",
    files: ["test/matrix/kill.matrix.test.ts"],
    only,
    environment: { MATRIX_ONLY: cases },
  };
}

/** A test of the program as a process, on a real control plane. */
function e2e(name: string, only: string): Mutant["killer"] {
  return { project: "e2e", files: [`test/e2e/${name}.e2e.test.ts`], only };
}

const SPAN_OF_WAIT = '    this.#span.set({ "baas.budget_wait_ms": Math.round(this.#waitedMs) });\n';

/**
 * What the kill matrix, the soak and the tests of the whole program are for: promises that tests of a part guard as well, and that must not get past the
 * whole either. Each of these tests has a mutant here that it alone is shown.
 */
export const wholePrograms: Section = {
  sign: "§4-§8",
  name: "whole-programs",
  mutants: [
    {
      name: "matrix-sees-no-intent-before-the-post",
      promise:
        "before a POST that creates: record the intent on the object, or who is killed in it loses what was made",
      file: "src/controllers/shared/create-once.ts",
      find: '    return { kind: "created", value: await request.create(() => record(request, inDoubt)) };',
      replace: [
        "    const value = await request.create(() => Promise.resolve());",
        "    await record(request, inDoubt);",
        '    return { kind: "created", value };',
      ].join("\n"),
      killer: matrix("killed at any point", "^killed, found: after POST /v1/"),
    },
    {
      name: "matrix-sees-secrets-of-alike-names-deleted",
      promise: "nothing of somebody else's is touched",
      file: "src/controllers/secret/finalize.ts",
      find: "return names.filter((name) => all.has(name));",
      replace: "return [...all].filter((there) => names.some((name) => there.startsWith(name)));",
      killer: matrix("killed at any point", "^killed, .*: after DELETE /v1/.*/secrets"),
    },
    {
      name: "matrix-sees-a-run-begun-after-sigterm",
      promise: "after SIGTERM no run begins",
      file: "src/runtime/controller.ts",
      find: "await this.#options.queue.next(stop, taker);",
      replace: "await this.#options.queue.next(abort, taker);",
      killer: matrix("asked to end, begins nothing any more", "^killed, fill: before PATCH .*status"),
    },
    {
      name: "matrix-sees-a-deletion-that-leaves-its-function",
      promise: "what goes takes along what it has, whatever was under way",
      file: "src/controllers/edge-function/finalize.ts",
      find: "    if (!isOwner(child, claimants(environment",
      replace: "    if (isOwner(child, claimants(environment",
      killer: matrix("beside an operator that lives on", "^object deleted, fill: before POST /v1/.*/functions/deploy"),
    },
    {
      name: "matrix-sees-a-lost-lease-that-ends-well",
      promise: "a lost lease ends the process, and not with code 0",
      file: "src/runtime/exit.ts",
      find: 'return exit.kind === "stopped" ? 0 : 1;',
      replace: 'return exit.kind === "stopped" || exit.kind === "leaseLost" ? 0 : 1;',
      killer: matrix("leadership lost", "^killed, fill: before PATCH .*status"),
    },
    {
      name: "process-begins-runs-after-sigterm",
      promise: "after SIGTERM no run begins: as a process, with runs under way",
      file: "src/runtime/controller.ts",
      find: "await this.#options.queue.next(stop, taker);",
      replace: "await this.#options.queue.next(abort, taker);",
      killer: e2e("stopping", "lets runs under way end, begins none"),
    },
    {
      name: "budget-in-the-status",
      promise: "no budgets in status: an idle hour writes nothing",
      file: "src/controllers/connection/reconcile.ts",
      find: 'summarizeReady(run.status, "Available", readyMessage(view, username));',
      replace:
        'summarizeReady(run.status, "Available", `${readyMessage(view, username)}; the window ends in ${environment.clock.now() % 60_007} ms`);',
      killer: e2e("quiet", "with drift checks: each list"),
    },
    {
      name: "token-in-a-trace",
      promise: "no secret value in traces: a canary test greps all of them",
      file: "src/api/call.ts",
      find: SPAN_OF_WAIT,
      replace: `${SPAN_OF_WAIT}    this.#span.set({ "baas.identity": await this.#token() });\n`,
      killer: e2e("canary", "no secret value"),
    },
    {
      name: "token-in-a-metric",
      promise: "no secret value in metrics",
      file: "src/api/call.ts",
      find: "metrics.sent(this.#id, outcome, durationMs);",
      replace: "metrics.sent(this.#id, `${outcome} ${token}`, durationMs);",
      killer: e2e("canary", "stands in its metrics"),
    },
    {
      name: "value-in-a-mark",
      promise: "no secret value in status and annotations",
      file: "src/controllers/shared/key-ring.ts",
      find: 'return `${keyId}:${hash(key, text).toString("hex").slice(0, MARK_DIGITS)}`;',
      replace: "return `${keyId}:${text}`;",
      killer: e2e("canary", "stands in any object but the Secrets"),
    },
    {
      name: "message-of-a-crash",
      promise: "no secret value in what a crash leaves",
      file: "src/cli/crash.ts",
      find: "stack: framesOf(link, message) };",
      replace: "stack: [message] };",
      killer: e2e("crash", "tells no secret value"),
    },
    {
      name: "new-object-in-a-namespace-that-goes",
      promise: "delete needs no new object in the namespace: an apiserver refuses each in a Terminating one",
      file: "src/controllers/project/finalize.ts",
      find: '    await session.client.projects.delete({ ref }, run.call);\n    run.wrote("Deleting",',
      replace: [
        "    await run.environment.kube.create(",
        '      { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap", namespaced: true },',
        '      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: `deletes-${ref}`, namespace: run.key.namespace } },',
        "      { signal: run.signal },",
        "    );",
        "    await session.client.projects.delete({ ref }, run.call);",
        '    run.wrote("Deleting",',
      ].join("\n"),
      killer: e2e("deletion-order", "goes with what its Project says"),
    },
    {
      name: "credential-not-taken-by-who-comes-after-helm",
      promise:
        "the value of a Secret under deletion is kept in memory for objects being deleted: Helm deletes Secrets first, and an operator may come after",
      file: "src/controllers/connection/hold.ts",
      find: "const untaken = isNeeded(run, view) && !(await takeCredential(run, view, held));",
      replace: "const untaken = isNeeded(run, view);",
      killer: e2e("deletion-helm", "while no operator lives"),
    },
    {
      name: "deletion-ends-before-its-bound",
      promise: "deletionTimeout ends what was tried in vain in a Terminating namespace, and not before",
      file: "src/controllers/shared/deletion.ts",
      find: "return environment.deletions.leftMs(raw.metadata, timeout);",
      replace: "return Math.min(0, environment.deletions.leftMs(raw.metadata, timeout));",
      killer: e2e("deletion-bound", "ends at deletionTimeout and not before"),
    },
    {
      name: "lost-rotation-called-a-revoked-consent",
      promise: "a refresh token whose answer was lost with the process is told from a consent that was taken back",
      file: "src/api/credentials/oauth-refresh.ts",
      find: "if (await this.#begin(refreshToken)) this.#answerLost = true;",
      replace: "await this.#begin(refreshToken);",
      killer: e2e("oauth-rotation", "killed between the platform's rotation and the storing"),
    },
    {
      name: "half-a-list-after-a-compaction",
      promise: "410 -> one relist: also in the middle of its pages",
      file: "src/kube/list-all.ts",
      find: 'if (isKubeError(error, "Gone")) return await listInOnePage(client, type, request);',
      replace: 'if (isKubeError(error, "Gone")) break;',
      killer: e2e("kube-outage", "answers a page after a compaction 410"),
    },
    {
      name: "looked-at-in-a-quarter-of-the-interval",
      promise: "a steady cluster: with drift checks on, reads as budgeted, whatever came before it rests",
      file: "src/controllers/shared/policies.ts",
      find: '{ requeueAfterMs: interval, lane: "drift" }',
      replace: '{ requeueAfterMs: interval / 4, lane: "drift" }',
      killer: {
        project: "soak",
        files: ["test/soak/hours.soak.test.ts"],
        environment: { SOAK_SEED: "1", SOAK_HOURS: "3" },
      },
    },
    {
      name: "relist-after-faults-finds-no-deletes",
      promise: "410 -> one relist with deletes found, whatever faults come before and after it",
      file: "src/kube/store.ts",
      find: '      changes.push({ kind: "deleted", object });\n    }',
      replace: "    }",
      killer: {
        project: "loopback",
        files: ["src/kube/reflector.model.loopback.test.ts"],
        only: "makes its store equal to the server's state",
      },
    },
  ],
};
