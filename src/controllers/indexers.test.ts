import { expect, it } from "vitest";
import { silentLogger } from "../base/log.ts";
import { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import { projectKind } from "../resources/project/kind.ts";
import { branchKind } from "../resources/branch/kind.ts";
import { branchIndexers, projectIndexers } from "./indexers.ts";
import { CONFIG_MAP_INDEX, REF_INDEX, SECRET_INDEX } from "./indexes.ts";

/** A version of a Project that names a Secret and a ConfigMap in its sections. */
function version(n: number, generation = 1, secret = "smtp"): KubeObject {
  const smtp = { password: { secretKeyRef: { name: secret, key: "pass" } } };
  const templates = { confirmation: { content: { configMapKeyRef: { name: "texts", key: "confirmation" } } } };
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: "ns", uid: "u", resourceVersion: String(n), generation },
    spec: { organization: "acme", auth: { smtp, mailer: { templates } } },
    status: { conditions: [], observedGeneration: n },
  };
}

it("what a Project refers to is found once for each spec, however many versions of its status there are", () => {
  let parsed = 0;
  const indexers = projectIndexers({
    ...projectKind,
    parse: (object) => {
      parsed += 1;
      return projectKind.parse(object);
    },
  });
  const { [SECRET_INDEX]: bySecret = () => [], [CONFIG_MAP_INDEX]: byConfigMap = () => [] } = indexers;
  const store = new Store({
    type: projectKind.type,
    indexers: { [SECRET_INDEX]: bySecret, [CONFIG_MAP_INDEX]: byConfigMap },
    log: silentLogger,
  });
  const source = store.source();
  source.replace([version(1)], "1");
  for (let n = 2; n <= 50; n += 1) source.upsert(version(n));
  const names = (index: string, value: string) => store.byIndex(index, value).map(({ metadata }) => metadata.name);
  expect([names(SECRET_INDEX, "ns/smtp"), names(CONFIG_MAP_INDEX, "ns/texts")]).toEqual([["shop"], ["shop"]]);
  expect(parsed).toBe(1);
  source.upsert(version(51, 2, "other"));
  expect([names(SECRET_INDEX, "ns/smtp"), names(SECRET_INDEX, "ns/other")]).toEqual([[], ["shop"]]);
  expect(parsed).toBe(2);
});

it("what cannot be read claims the ref that is recorded for this very object, and no copy of it does", () => {
  const { [REF_INDEX]: byRef = () => [] } = branchIndexers(branchKind);
  const copyOf = (recordedFor: string): KubeObject => {
    const status = { conditions: [], observedGeneration: 1, ref: "abcdefghijklmnopqrst", recordedFor };
    return { ...version(1), kind: "Branch", spec: {}, status };
  };
  expect([byRef(copyOf("u")), byRef(copyOf("another"))]).toEqual([["abcdefghijklmnopqrst"], []]);
});
