import { beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { succeeded } from "../support/programs/run.ts";
import { template, valuesFile, type Values } from "./render.ts";

/** Names that YAML reads as something else where nobody quotes them. Kubernetes takes each; helm reads YAML 1.1, where y is a truth. */

const NAMES = ["y", "null", "123", "1e3"];

/** Everything that is a name among the values, with one of them. */
function named(name: string): Values {
  return {
    ...valuesFile("cluster-wide"),
    fullnameOverride: name,
    nameOverride: name,
    commonLabels: { team: name },
    podLabels: { team: name },
    podAnnotations: { team: name },
    imagePullSecrets: [{ name }],
    serviceAccount: { name, annotations: { team: name } },
    ca: { configMapName: name, key: name },
    extraArgs: [name],
    extraEnv: [{ name: "A", value: name }],
    priorityClassName: name,
    nodeSelector: { team: name },
    tolerations: [{ key: name, value: name }],
    leaderElection: { namespace: name },
    networkPolicy: { enabled: true, fluxNamespace: name },
  };
}

const ofNamespaces = (name: string): Values => ({ watchNamespaces: [name], ca: { secretName: name } });

/** What is rendered, with the type of each value in its place: what a name is called is no matter. */
async function types(values: Values, name: string): Promise<unknown> {
  const rendered = succeeded(await template(values, { name, namespace: name }));
  const replaceValues = (_key: string, value: unknown): unknown =>
    typeof value === "object" && value !== null ? value : typeof value;
  const documents = parseAllDocuments(rendered, { version: "1.1" }).map((document) =>
    z.unknown().parse(document.toJS()),
  );
  const told: unknown = JSON.parse(JSON.stringify(documents, replaceValues));
  return told;
}

describe.each([
  { what: "for the whole cluster, with every value that is a name", valuesWith: named },
  { what: "for namespaces of such names", valuesWith: ofNamespaces },
])("a release $what", ({ valuesWith }) => {
  let expected: unknown;
  beforeAll(async () => {
    expected = await types(valuesWith("abc"), "abc");
  });

  it.each(NAMES)("named %s has texts where any other one has them", async (name) => {
    expect(await types(valuesWith(name), name)).toEqual(expected);
  });
});
