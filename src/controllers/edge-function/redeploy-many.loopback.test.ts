import { expect, it } from "vitest";
import { deployed, inShop, RedeployBench, redeploying } from "../../../test/support/controllers/redeploy-bench.ts";
import { secretKind } from "../../resources/secret/kind.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";

/** ADR 19, of a place with more Secret objects than the status of a function lists. */

const COUNT = 1500;
const REST_MS = 130_000;

it(
  "[K-36] is deployed again once for a change of any of 1,500 Secret objects, and for nothing else",
  { timeout: 120_000 },
  async () => {
    await using bench = await RedeployBench.open();
    const { ref } = bench;
    /** Such an object as it is at rest, which does nothing by itself. */
    const put = (n: number): void => {
      const uid = `uid-${n}`;
      bench.theatre.kubernetes.put("secrets", {
        apiVersion: "baas.dev/v1alpha1",
        kind: "Secret",
        metadata: { name: `env-${n}`, namespace: NAMESPACE, uid, annotations: { "baas.dev/paused": "true" } },
        spec: redeploying("values", inShop),
        status: { observedGeneration: 1, conditions: [], ref, recordedFor: uid, environment: { revision: "1" } },
      });
    };
    const change = async (n: number): Promise<void> => {
      const key = { namespace: NAMESPACE, name: `env-${n}` };
      const options = { subresource: "status", signal: new AbortController().signal } as const;
      const patch = { status: { environment: { revision: "2" } } };
      await bench.life.environment.kube.patchMerge(secretKind.type, key, patch, options);
    };
    const writes = async (act: () => unknown) => {
      const since = await bench.last();
      await bench.rest(act, REST_MS);
      return bench.writes(since);
    };
    expect(
      await writes(() => {
        for (let n = 0; n < COUNT; n += 1) put(n);
      }),
    ).toEqual(deployed("one", "two"));
    for (const n of [0, 700, COUNT - 1]) {
      expect(await writes(() => change(n)), `of ${n}`).toEqual(deployed("one", "two"));
    }
    expect(await writes(() => undefined)).toEqual([]);
    await bench.begin();
    expect(await writes(() => undefined), "after a restart").toEqual([]);
  },
);
