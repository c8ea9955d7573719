import type { KindName, Spec } from "./manifest.ts";
import { least, someRef } from "./manifest.ts";
import type { ValidCase } from "./valid-case.ts";
import { settingsCases } from "./valid-settings.ts";

/** Objects that must be accepted: the least of each kind, every field at once, and the largest that the limits admit. */

const policies: Spec = {
  driftPolicy: "Report",
  managementPolicy: "Observe",
  driftInterval: "1h30m",
  adoptionPolicy: "IfNameMatches",
  provisioningTimeout: "45m",
  deletionTimeout: "1h",
  deletionPolicy: "Delete",
};

const outputs: Spec = {
  writeConnectionSecretToRef: {
    name: "shop-connection",
    includeServiceKey: true,
    keys: [
      { key: "url" },
      { key: "DATABASE_URL", value: "$(uri)?price=$5" },
      { key: "KEY", value: "$(service-key)" },
      { key: "RUN", value: "$$(uri) is $(uri)" },
    ],
  },
  writeConnectionConfigMapToRef: { name: "shop-address", keys: [{ key: "API_URL", value: "$(url)/rest/v1" }] },
};

function numbered<Value>(count: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** As long as a Secret's key may be, and different for each index. */
function longKey(index: number): string {
  return `k${String(index).padStart(3, "0")}`.padEnd(253, "x");
}

const leastCases: readonly ValidCase[] = Object.entries(least).map(([kind, spec]) => ({
  kind: kind as KindName, // the keys of a record over KindName
  name: "least",
  why: "the least that it needs",
  spec,
}));

const fullCases: readonly ValidCase[] = [
  {
    kind: "Connection",
    name: "full",
    why: "every field",
    spec: {
      baseUrl: "http://127.0.0.1:8787/api",
      token: { secretRef: { name: "token", key: "pat" } },
      reservedSecretPrefix: "SYS_",
      defaults: { driftPolicy: "Ignore", managementPolicy: "Observe", driftInterval: "5m" },
    },
  },
  {
    kind: "Connection",
    name: "app",
    why: "an OAuth app whose secrets lie in two Secrets",
    spec: {
      baseUrl: "https://api.example.com",
      oauth: {
        clientId: "b0a5c1d2-app",
        clientSecret: { secretRef: { name: "app", key: "secret" } },
        refreshToken: { secretRef: { name: "consent" } },
      },
    },
  },
  {
    kind: "Connection",
    name: "workload",
    why: "the operator's own identity, for an app that shows a secret",
    spec: {
      baseUrl: "https://api.example.com",
      workloadIdentity: { clientId: "app", clientSecret: { secretRef: { name: "app" } } },
    },
  },
  {
    kind: "ClusterConnection",
    name: "app",
    why: "an OAuth app",
    spec: {
      baseUrl: "https://api.example.com",
      allowedNamespaces: { from: "All" },
      oauth: {
        clientId: "app",
        clientSecret: { secretRef: { name: "app", namespace: "baas-system" } },
        refreshToken: { secretRef: { name: "app", namespace: "baas-system", key: "token" } },
      },
    },
  },
  {
    kind: "ClusterConnection",
    name: "workload",
    why: "the operator's own identity, and nothing stored",
    spec: {
      baseUrl: "https://api.example.com",
      allowedNamespaces: { from: "All" },
      workloadIdentity: { clientId: "app" },
    },
  },
  {
    kind: "ClusterConnection",
    name: "full",
    why: "every field",
    spec: {
      ...least.ClusterConnection,
      allowedNamespaces: {
        from: "Selected",
        names: ["shop"],
        selector: {
          matchLabels: { team: "shop" },
          matchExpressions: [{ key: "stage", operator: "In", values: ["dev", "prod"] }],
        },
      },
      allowedOrganizations: ["acme"],
      allowedRefs: [someRef],
    },
  },
  {
    kind: "Project",
    name: "full",
    why: "every field, region by code",
    spec: {
      organization: "acme",
      name: "The Shop",
      ref: someRef,
      region: { code: "eu-central-1" },
      instanceSize: "24xlarge_optimized_memory",
      resizePolicy: "Always",
      highAvailability: true,
      templateUrl: "https://example.com/template",
      databasePassword: { secretKeyRef: { name: "db", key: "password" } },
      state: "Running",
      transferPolicy: "Allow",
      maintenanceWindow: { days: ["Saturday", "Sunday"], start: "22:30", duration: "3h" },
      ...outputs,
      connectionRef: { kind: "ClusterConnection", name: "default" },
      ...policies,
    },
  },
  {
    kind: "Project",
    name: "generated",
    why: "region by group, password into a Secret of another name",
    spec: {
      organization: "acme",
      region: { group: "emea" },
      databasePassword: { generate: { secretName: "pw" } },
      state: "Paused",
    },
  },
  {
    kind: "Branch",
    name: "full",
    why: "every field, of an unmanaged project",
    spec: {
      projectRef: { ref: someRef },
      name: "feature/login",
      gitBranch: "feature/login",
      persistent: false,
      softDelete: true,
      ttl: "72h",
      withData: true,
      region: { code: "us-east-1" },
      postgresEngine: "17",
      releaseChannel: "ga",
      instanceSize: "pico",
      resizePolicy: "OnEdit",
      notifyUrl: "https://example.com/hook",
      ...outputs,
      connectionRef: { name: "default" },
      ...policies,
    },
  },
  {
    kind: "Branch",
    name: "persistent",
    why: "persistent without a ttl",
    spec: { projectRef: { name: "shop" }, persistent: true },
  },
  {
    kind: "EdgeFunction",
    name: "full",
    why: "every field, inline",
    spec: {
      branchRef: { name: "preview" },
      slug: "hello_World-1",
      name: "Hello",
      source: { inline: { files: { "src/main.ts": "", "deno.json": "{}", "static/a b.html": "<p>" } } },
      entrypoint: "src/main.ts",
      importMap: "deno.json",
      staticPatterns: ["static/*.html"],
      verifyJwt: false,
      ...policies,
    },
  },
  {
    kind: "EdgeFunction",
    name: "from-config-map",
    why: "files of a ConfigMap under other paths",
    spec: {
      projectRef: { name: "shop" },
      source: { configMapRef: { name: "source", keys: [{ key: "index.ts" }, { key: "db.ts", path: "lib/db.ts" }] } },
      importMap: "lib/db.ts",
    },
  },
  {
    kind: "EdgeFunction",
    name: "from-artifact",
    why: "a folder of an artifact, with an import map of its own",
    spec: {
      projectRef: { name: "shop" },
      source: {
        artifactRef: {
          apiVersion: "source.toolkit.fluxcd.io/v1",
          kind: "GitRepository",
          name: "app",
          path: "./functions/hello/",
        },
      },
      inlineImportMap: { imports: { lodash: "npm:lodash" }, scopes: { "./legacy/": { lodash: "npm:lodash@3" } } },
      staticPatterns: ["./static/**/*.html", ".well-known/*", "**"],
    },
  },
  {
    kind: "Secret",
    name: "full",
    why: "every field",
    spec: {
      branchRef: { name: "preview" },
      from: [
        { secretRef: { name: "app" }, keys: [{ key: "api.key", as: "API_KEY" }, { key: "URL" }], prefix: "APP_" },
        { secretRef: { name: "more" } },
      ],
      ...policies,
    },
  },
];

/** Rules are costed at run time as well: the largest objects show that none exceeds the apiserver's budget. */
const largestCases: readonly ValidCase[] = [
  {
    kind: "Project",
    name: "largest-outputs",
    why: "as many keys with as long values as the limits admit",
    spec: {
      ...least.Project,
      writeConnectionSecretToRef: {
        name: "s",
        keys: numbered(64, (index) => ({ key: longKey(index), value: "$(service-key)".padStart(2048, "$$x") })),
        includeServiceKey: true,
      },
      writeConnectionConfigMapToRef: {
        name: "c",
        keys: numbered(64, (index) => ({ key: longKey(index), value: "$(url)".padStart(2048, "x") })),
      },
    },
  },
  {
    kind: "Secret",
    name: "largest",
    why: "as many and as long names as the limits admit",
    spec: {
      projectRef: { name: "shop" },
      from: numbered(16, (entry) => ({
        secretRef: { name: `s${entry}` },
        prefix: "P_",
        keys: numbered(64, (index) => ({ key: longKey(index), as: longKey(index) })),
      })),
    },
  },
  {
    kind: "EdgeFunction",
    name: "largest",
    why: "as many files with as long paths as the limits admit",
    spec: {
      projectRef: { name: "shop" },
      entrypoint: `d0/${longKey(0)}`,
      source: { inline: { files: Object.fromEntries(numbered(256, (index) => [`d0/${longKey(index)}`, ""])) } },
    },
  },
  {
    kind: "EdgeFunction",
    name: "heavy",
    why: "nearly as much text as etcd takes",
    spec: {
      projectRef: { name: "shop" },
      source: { inline: { files: { "index.ts": "x".repeat(900_000), "lib/more.ts": "y".repeat(400_000) } } },
    },
  },
  {
    kind: "ClusterConnection",
    name: "largest",
    why: "as many refs and organizations as the limits admit",
    spec: {
      ...least.ClusterConnection,
      allowedOrganizations: numbered(256, (index) => `organization-${index}`),
      allowedRefs: numbered(1024, (index) =>
        longKey(index)
          .replaceAll(/[0-9]/g, (digit) => "abcdefghij".charAt(Number(digit)))
          .slice(0, 20),
      ),
      allowedNamespaces: { names: numbered(256, (index) => `ns-${index}`) },
    },
  },
];

export const validCases: readonly ValidCase[] = [...leastCases, ...fullCases, ...settingsCases, ...largestCases];
