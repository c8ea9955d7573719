import { expect, it } from "vitest";
import { runOf, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ApiError } from "../../api/errors.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import type { KubeClient } from "../../kube/client.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { Ledger } from "./ledger.ts";
import { NOW, type RequestKind, succeeded, TRACELESS } from "./request.ts";
import { sendRequest } from "./send.ts";

/** A verb whose request waits for budget so often, and is sent then. */
function waitingFor(times: number): RequestKind<undefined> {
  let left = times;
  return {
    verb: "restart",
    parameter: "none",
    doing: "restart the project",
    repeats: false,
    ifUnknown: "ask with another id",
    admit: () => NOW,
    send: async (_at, _asked, { call }) => {
      left -= 1;
      if (left >= 0) {
        const failure = { code: "BUDGET", retryAfterMs: 5000, refusedForMs: 0 } as const;
        throw new ApiError("projects.restart", failure, { message: "the request budget is spent" });
      }
      await call.beforeSending?.();
      return succeeded("done");
    },
    trace: () => Promise.resolve(TRACELESS),
    look: () => Promise.resolve(succeeded("done")),
  };
}

it("a request that waits for budget writes its status once, and the record under a lock when it is sent", async () => {
  const clock = new ManualClock();
  let object: KubeObject = {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: {
      name: "shop",
      namespace: "ns",
      uid: "u",
      resourceVersion: "1",
      annotations: { "baas.dev/restart": "1" },
    },
    spec: { organization: "acme" },
    status: { observedGeneration: 0, conditions: [] },
  };
  const written: unknown[] = [];
  const environment = testEnvironment({ clock });
  const patchMerge: KubeClient["patchMerge"] = (_type, _id, patch) => {
    const { metadata, status } = patch as { metadata: { resourceVersion?: string }; status: { requests?: unknown } };
    const [{ state } = { state: "none" }] = status.requests as readonly { state: string }[];
    written.push(metadata.resourceVersion === undefined ? state : `${state}, locked`);
    const version = String(Number(object.metadata.resourceVersion) + 1);
    const before = object["status"] as object;
    object = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: version },
      status: { ...before, ...status },
    };
    return Promise.resolve(object);
  };
  Object.assign(environment, { kube: { ...environment.kube, patchMerge } });
  const kind = waitingFor(3);
  for (let n = 0; n < 4; n += 1) {
    const run = runOf(environment, projectKind, object);
    const ledger = new Ledger(run, { serverNow: () => clock.now(), ended: () => undefined });
    const asked = { id: "1", parameter: undefined };
    await sendRequest(ledger, { kind, at: undefined, asked, text: "1", before: undefined }).catch(() => undefined);
    await run.writeStatus(); // as every run ends
  }
  expect(written).toEqual(["Waiting", "Sending, locked", "Succeeded"]);
});
