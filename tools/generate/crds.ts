import { stringify } from "yaml";
import { kinds } from "../../src/resources/kinds.ts";
import type { AnyKind } from "../../src/resources/kind.ts";
import { toStructural } from "./structural.ts";
import type { StructuralSchema } from "./structural.ts";

/** The custom resource definitions in crds/, from the kinds in src/resources. */

const banner = "# Generated from src/resources by `npm run generate`: change the kinds there, not this file.\n";

/** Client-side apply keeps the whole definition in an annotation, which holds 256 KiB. */
const largestFile = 250 * 1024;

/** Lists at the place of what holds them: a definition is nested so deeply that to indent them costs ten thousand bytes of the room that there is. */
const LAYOUT = { lineWidth: 120, indentSeq: false, aliasDuplicateObjects: false } as const;

const specDescription = "What is wanted. Only the fields that stand here are ever written to the remote side.";
const statusDescription = "What was seen last. Written by the operator alone.";

function openApiSchema(kind: AnyKind): StructuralSchema {
  return {
    description: kind.description,
    type: "object",
    required: ["spec"],
    properties: {
      apiVersion: { description: "Version of the schema that this object is written in.", type: "string" },
      kind: { description: `Always ${kind.type.kind}.`, type: "string" },
      metadata: { type: "object" },
      spec: { description: specDescription, ...toStructural(kind.spec, "spec") },
      status: {
        description: statusDescription,
        ...toStructural(kind.status, "status"),
        // A new object is at once told from a reconciled one: kstatus reads an object without any status as current.
        default: { observedGeneration: -1 },
      },
    },
    ...(kind.validations.length === 0 ? {} : { "x-kubernetes-validations": kind.validations }),
  };
}

/** The definition of a kind as the apiserver takes it. */
function customResourceDefinition(kind: AnyKind): Readonly<Record<string, unknown>> {
  const { group, version, kind: name, plural, namespaced } = kind.type;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind: name,
        listKind: `${name}List`,
        plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: ["baas"],
      },
      scope: namespaced ? "Namespaced" : "Cluster",
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: openApiSchema(kind) },
          subresources: { status: {} },
          additionalPrinterColumns: kind.printerColumns,
          ...(kind.selectableFields.length === 0
            ? {}
            : { selectableFields: kind.selectableFields.map((jsonPath) => ({ jsonPath })) }),
        },
      ],
    },
  };
}

function fileOf(kind: AnyKind): readonly [string, string] {
  const path = `crds/${kind.type.group}_${kind.type.plural}.yaml`;
  const text = banner + stringify(customResourceDefinition(kind), LAYOUT);
  const size = Buffer.byteLength(text);
  if (size > largestFile) throw new Error(`${path} has ${size} bytes, more than ${largestFile}: shorten its texts`);
  return [path, text];
}

/** A generator of files, as tools/generate.ts runs them: paths are relative to the repository. */
export const crds = {
  name: "crds",
  files: (): Promise<ReadonlyMap<string, string>> => Promise.resolve(new Map(kinds.map((kind) => fileOf(kind)))),
};
