import { expect, it } from "vitest";
import { runOf, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ApiError } from "../../api/errors.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import type { KubeClient } from "../../kube/client.ts";
import { KubeError } from "../../kube/errors.ts";
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

/** An object, and an apiserver that takes a patch over its own version alone and keeps what each was to say. */
function keptObject() {
  let stored: KubeObject = {
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
  const written: string[] = [];
  const store = (status: object): KubeObject => {
    const { metadata, status: before } = stored as KubeObject & { status: object };
    const resourceVersion = String(Number(metadata.resourceVersion) + 1);
    return (stored = { ...stored, metadata: { ...metadata, resourceVersion }, status: { ...before, ...status } });
  };
  const patchMerge: KubeClient["patchMerge"] = (_type, _id, patch) => {
    const { metadata, status } = patch as { metadata: { resourceVersion?: string }; status: { requests?: unknown } };
    const [{ state } = { state: "none" }] = status.requests as readonly { state: string }[];
    const version = metadata.resourceVersion ?? "any";
    const taken = version === stored.metadata.resourceVersion;
    written.push(`${state} over ${version}${taken ? "" : ", refused"}`);
    if (!taken) return Promise.reject(new KubeError("Conflict", "it was modified", { effect: "none" }));
    return Promise.resolve(store(status));
  };
  const get: KubeClient["get"] = () => Promise.resolve(stored);
  return { read: () => stored, edit: () => store({}), written, kube: { get, patchMerge } };
}

it("a request that waits for budget writes its status once, and is sent only where its record was written over what was read", async () => {
  const clock = new ManualClock();
  const object = keptObject();
  const environment = testEnvironment({ clock });
  Object.assign(environment, { kube: { ...environment.kube, ...object.kube } });
  const kind = waitingFor(3);
  const runWith = async (meanwhile: () => void): Promise<string> => {
    const run = runOf(environment, projectKind, object.read());
    const ledger = new Ledger(run, { serverNow: () => clock.now(), ended: () => undefined });
    const asked = { id: "1", parameter: undefined };
    meanwhile();
    const failure = await sendRequest(ledger, { kind, at: undefined, asked, text: "1", before: undefined }).then(
      () => "none",
      (error: unknown) => (error instanceof KubeError ? error.code : "another"),
    );
    await run.writeStatus(); // as every run ends
    return failure;
  };
  for (let n = 0; n < 3; n += 1) await runWith(() => undefined);
  expect(object.written.splice(0)).toEqual(["Waiting over 1"]);
  expect(await runWith(object.edit)).toBe("Conflict");
  expect(object.written.splice(0)).toEqual(["Sending over 2, refused"]);
  expect(await runWith(() => undefined)).toBe("none");
  expect(object.written).toEqual(["Sending over 3", "Succeeded over 4"]);
});
