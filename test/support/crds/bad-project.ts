import { type BadCase, builtIn, duration, ruled } from "./bad-case.ts";
import { someRef } from "./manifest.ts";

/** A Project that must be refused. */
export const projectCases: readonly BadCase[] = [
  ...ruled("Project", [
    ["resize", "when a size is written that is not declared", { resizePolicy: "Always" }, "write instanceSize too"],
    [
      "org-name",
      "[K-05] a display name where the slug belongs",
      { organization: "Acme Inc." },
      "write the organization's slug",
    ],
    ["short-ref", "a ref that is too short", { ref: "abc" }, "write a project ref: exactly 20 lower-case letters"],
    [
      "upper-ref",
      "a ref in capitals",
      { ref: someRef.toUpperCase() },
      "write a project ref: exactly 20 lower-case letters",
    ],
    [
      "url-ref",
      "a URL where the ref belongs",
      { ref: `https://x.example/${someRef}` },
      "write a project ref: exactly 20",
    ],
    [
      "two-regions",
      "both ways to name a region",
      { region: { code: "us-east-1", group: "emea" } },
      "set exactly one of code",
    ],
    [
      "no-region",
      "an empty region",
      { region: {} },
      "set exactly one of code (one region, such as us-east-1) and group",
    ],
    [
      "two-passwords",
      "both a given and a generated password",
      { databasePassword: { secretKeyRef: { name: "a" }, generate: { secretName: "b" } } },
      "set exactly one of secretKeyRef",
    ],
    [
      "no-password",
      "an empty password",
      { databasePassword: {} },
      "set exactly one of secretKeyRef (an existing Secret) and generate",
    ],
    [
      "secret-name",
      "the name of a Secret in capitals",
      { databasePassword: { secretKeyRef: { name: "DB" } } },
      "write the metadata.name of a Kubernetes object",
    ],
    [
      "secret-key",
      "a key that no Secret can have",
      { databasePassword: { secretKeyRef: { name: "db", key: "a b" } } },
      "write a key as a Secret or ConfigMap has it",
    ],
    [
      "window-start",
      "an hour that there is not",
      { maintenanceWindow: { start: "24:00", duration: "2h" } },
      "write a time of day as HH:MM in UTC",
    ],
    [
      "window-long",
      "a window that is longer than a day",
      { maintenanceWindow: { start: "22:00", duration: "25h" } },
      "write a duration of 15m to 24h",
    ],
    ["template", "a template that is no URL", { templateUrl: "github.com/x" }, "write an absolute URL"],
    [
      "interval-days",
      "[K-12] days, which no duration has",
      { driftInterval: "1d" },
      `write a duration of 30s to 168h ${duration}`,
    ],
    [
      "interval-short",
      "[K-12] a drift interval that would spend the budget",
      { driftInterval: "5s" },
      "write a duration of 30s to 168h",
    ],
    [
      "timeout-number",
      "a number without a unit",
      { provisioningTimeout: "30" },
      `write a duration of 1m to 168h ${duration}`,
    ],
    ["timeout-long", "a timeout of years", { deletionTimeout: "99999h" }, "write a duration of 1m to 168h"],
  ]),
  ...builtIn("Project", [
    ["no-organization", "no organization", { organization: undefined }, "spec.organization: Required value"],
    ["region-code", "a region that there is not", { region: { code: "mars-1" } }, 'supported values: "us-east-1"'],
    [
      "region-text",
      "a region as text",
      { region: "us-east-1" },
      "spec.region in body must be of type object",
      ".spec.region: expected map",
    ],
    [
      "group",
      "a part of the world that there is not",
      { region: { group: "moon" } },
      'supported values: "americas", "emea", "apac"',
    ],
    ["size", "a size that only branches have", { instanceSize: "pico" }, 'supported values: "nano"'],
    [
      "window-day",
      "a day that there is not",
      { maintenanceWindow: { days: ["Someday"], start: "22:00", duration: "2h" } },
      'supported values: "Sunday", "Monday"',
    ],
    ["version", "a version that is none", { database: { version: "16" } }, 'supported values: "15", "17"'],
    ["transfer", "a policy of another field", { transferPolicy: "Retain" }, 'supported values: "Never", "Allow"'],
    ["state", "a state in the platform's words", { state: "INACTIVE" }, 'supported values: "Running", "Paused"'],
    [
      "deletion-policy",
      "a policy of another product",
      { deletionPolicy: "Orphan" },
      'supported values: "Retain", "Delete"',
    ],
    [
      "drift-policy",
      "a policy in lower case",
      { driftPolicy: "correct" },
      'supported values: "Correct", "Report", "Ignore"',
    ],
    [
      "long-name",
      "a name longer than the platform takes",
      { name: "x".repeat(257) },
      "spec.name: Too long: may not be more than 256",
    ],
    ["empty-name", "an empty name", { name: "" }, "spec.name in body should be at least 1 chars long"],
    [
      "connection-kind",
      "a connection of a kind that there is not",
      { connectionRef: { kind: "Cluster", name: "x" } },
      'supported values: "Connection", "ClusterConnection"',
    ],
  ]),
];
