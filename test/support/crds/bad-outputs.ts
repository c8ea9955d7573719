import { type BadCase, ruled, type Short } from "./bad-case.ts";
import type { Spec } from "./manifest.ts";

/** Outputs of Projects and Branches that must be refused: what a value may be made of is said when it is applied. */

function secretWith(entry: Spec): Spec {
  return { writeConnectionSecretToRef: { name: "out", keys: [entry] } };
}

const cases: readonly Short[] = [
  [
    "output-variable",
    "a variable that there is not",
    secretWith({ key: "URL", value: "$(dsn)" }),
    "write text in which each $( begins a variable and ends with )",
  ],
  [
    "output-expression",
    "an expression",
    secretWith({ key: "URL", value: "$(uri | quote)" }),
    "write text in which each $( begins a variable and ends with )",
  ],
  [
    "output-escape",
    "a dollar before what is escaped",
    secretWith({ key: "URL", value: "$$$(uri)" }),
    "$( as text is written $$(",
  ],
  ["output-key", "a key without a value", secretWith({ key: "URL" }), "a key without a value must be one of ref, url"],
  [
    "output-layout",
    "a key of the layout",
    secretWith({ key: "type", value: "mysql" }),
    "type and provider are always written, as Service Binding has them",
  ],
  [
    "output-service-key",
    "the service key, unasked",
    secretWith({ key: "KEY", value: "k=$(service-key)" }),
    "service-key passes by every row-level policy and is written only with includeServiceKey: true",
  ],
  [
    "output-config-map",
    "a secret in a ConfigMap",
    { writeConnectionConfigMapToRef: { name: "out", keys: [{ key: "URL", value: "$(uri)" }] } },
    "write text in which each $( begins a variable and ends with )",
  ],
  [
    "output-name",
    "the name of a Secret in capitals",
    { writeConnectionSecretToRef: { name: "Out" } },
    "write the metadata.name of a Kubernetes object",
  ],
];

export const outputCases: readonly BadCase[] = [
  ...ruled("Project", cases),
  ...ruled("Branch", cases),
  ...ruled("Project", [
    [
      "output-password",
      "the Secret that the password is read from",
      {
        databasePassword: { secretKeyRef: { name: "db" } },
        writeConnectionSecretToRef: { name: "db" },
      },
      "the Secret with the database password cannot be the one that is written for programs",
    ],
    [
      "output-generated",
      "the Secret that the password is generated into",
      { writeConnectionSecretToRef: { name: "output-generated-database-password" } },
      "holds the generated database password and cannot be the Secret that is written for programs",
    ],
  ]),
];
