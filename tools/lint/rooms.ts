/**
 * Who may import whom (docs/ARCHITECTURE.md), as one table from which oxlint.config.ts derives a `no-restricted-imports` rule per
 * folder. Only data and its translation live here; test/workshop/import-rules.test.ts proves that each refusal fires.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";

/** How much of a room another room may import: everything, only types, or only what a path begins with. */
type Access = "all" | "types" | { readonly only: readonly string[] };

/** A folder of src, and everything that its files may import besides each other. */
export interface Room {
  readonly name: string;
  /** Rooms that its files may import; the ones not named are refused. */
  readonly rooms: Readonly<Record<string, Access>>;
  /** npm packages that its files may import. */
  readonly packages: readonly string[];
  /** Whether its files may import the modules of Node.js itself; a list: which of them. */
  readonly node: boolean | readonly string[];
  /** Ends the message of every refusal: the rule in a few words. */
  readonly rule: string;
}

/** Restriction as oxlint's no-restricted-imports takes it: a regex (Rust's: no look-ahead) or a list as in .gitignore. */
export interface ImportPattern {
  readonly regex?: string;
  readonly group?: string[];
  readonly message: string;
  readonly allowTypeImports?: boolean;
}

const manifest = z
  .object({ dependencies: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")));

/** Every package that can be imported at all; knip refuses the ones that package.json does not list. */
const everyPackage = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });

/** Its types, too, stay in one file: everybody else speaks of KubeTransport. */
const kubernetesClientName = "@kubernetes/client-node";

const kube: Room = {
  name: "kube",
  rooms: { base: "all", resources: { only: ["meta.ts"] } },
  packages: ["zod", "undici"],
  node: true,
  rule: "kube knows neither kinds nor the Management API: base and resources/meta only",
};

/** src/kube/transport.ts: kube, plus the one package that is its alone. */
export const kubeTransport: Room = { ...kube, packages: [...kube.packages, kubernetesClientName] };

export const rooms: readonly Room[] = [
  { name: "base", rooms: {}, packages: [], node: ["net"], rule: "base imports no room and is importable by all" },
  {
    name: "resources",
    rooms: {},
    packages: ["zod"],
    node: false,
    rule: "resources imports only zod: our kinds are data",
  },
  {
    name: "api",
    rooms: { base: "all" },
    packages: ["zod", "undici", "p-queue"],
    node: true,
    rule: "api knows no Kubernetes: base, zod, undici and p-queue only",
  },
  kube,
  {
    name: "artifacts",
    rooms: { base: "all" },
    packages: ["tar", "undici"],
    node: true,
    rule: "artifacts knows archives alone: base, tar and undici only",
  },
  {
    name: "runtime",
    rooms: { base: "all", kube: "types", resources: { only: ["meta.ts"] } },
    packages: [
      "zod",
      "p-queue",
      "prom-client",
      "pino",
      "fastify",
      "@opentelemetry/api",
      "@opentelemetry/exporter-trace-otlp-proto",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace",
    ],
    node: true,
    rule: "runtime is generic over keys: base and the interfaces (types) of kube only",
  },
  {
    name: "controllers",
    rooms: { base: "all", resources: "all", api: "all", kube: "all", artifacts: "all", runtime: "all" },
    packages: ["zod", "yaml"],
    node: true,
    rule: "controllers meet resources, api, kube, artifacts and runtime; they know neither the emulator nor the command line",
  },
  {
    name: "emulator",
    rooms: { base: "all", api: { only: ["contract/**", "openapi/**"] } },
    packages: ["zod", "fastify", "@fastify/multipart", "ipaddr.js", "jose", "@electric-sql/pglite"],
    node: true,
    rule: "emulator is derived from api/contract, and serves api/openapi: nothing else of api",
  },
  {
    name: "cli",
    rooms: {
      base: "all",
      resources: "all",
      api: "all",
      kube: "all",
      artifacts: "all",
      runtime: "all",
      controllers: "all",
      emulator: "all",
    },
    packages: everyPackage.filter((name) => name !== kubernetesClientName),
    node: true,
    rule: "cli wires everything, but nothing imports main",
  },
];

const everyRoom = rooms.map((room) => room.name);

/** What only tests may import, in every room: the test tools, and undici to talk to loopback servers. */
const testPackages = ["vitest", "fast-check", "undici"];

/** The one file that may import it, so that its informer and per-call connections stay out of the program. */
export const kubernetesClient: ImportPattern = {
  regex: `^${kubernetesClientName}(/|$)`,
  message: "@kubernetes/client-node is imported in src/kube/transport.ts alone.",
};

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}

/** Matches the packages named and the modules within them. */
function packagesPattern(names: readonly string[]): string {
  return `^(${names.map(escape).join("|")})(/|$)`;
}

function refusedRooms(room: Room): readonly ImportPattern[] {
  return everyRoom
    .filter((other) => other !== room.name)
    .flatMap((other): readonly ImportPattern[] => {
      const access = room.rooms[other];
      const regex = `^(\\.\\./)+${other}/`;
      const message = `${room.rule}.`;
      if (access === undefined) return [{ regex, message }];
      if (access === "all") return [];
      if (access === "types") return [{ regex, message, allowTypeImports: true }];
      return [{ group: [`**/${other}/**`, ...access.only.map((path) => `!**/${other}/${path}`)], message }];
    });
}

function refusedPackages(room: Room, forTests: boolean): readonly ImportPattern[] {
  const message = `${room.rule}.`;
  const modules = room.node === false ? [] : room.node;
  const node =
    modules === true || forTests
      ? []
      : [{ group: ["node:*", "node:*/**", ...modules.map((name) => `!node:${name}`)], message }];
  const allowed = new Set([...room.packages, ...(forTests ? testPackages : [])]);
  const refused = everyPackage.filter((name) => !allowed.has(name) && name !== kubernetesClientName);
  return [...node, { regex: packagesPattern(refused), message }];
}

const outsideSource: ImportPattern = {
  regex: "^(\\.\\./)+(test|tools|demo|bench)/|^(\\.\\./)+main\\.ts$",
  message: "The program in src imports neither tests, tools, benchmarks nor its own entry.",
};

/** The refusals for the files of a room; test files beside the sources may also import the test tools and test/support. */
export function refusals(room: Room, forTests: boolean): readonly ImportPattern[] {
  return [
    ...refusedRooms(room),
    ...refusedPackages(room, forTests),
    ...(forTests ? [] : [outsideSource]),
    ...(room.packages.includes(kubernetesClientName) ? [] : [kubernetesClient]),
  ];
}

/** The refusals for src/main.ts: it hands over to src/cli and does nothing else. */
export const mainRefusals: readonly ImportPattern[] = [
  {
    regex: `^\\./(${everyRoom.filter((name) => name !== "cli" && name !== "base").join("|")})/`,
    message: "main hands over to src/cli and imports nothing else.",
  },
  { regex: packagesPattern(everyPackage), message: "main hands over to src/cli and imports no package." },
];

/** The refusals for controllers/<kind>/plan.ts and status.ts: pure functions over types. */
export const pureRefusals: readonly ImportPattern[] = [
  {
    regex: "^(\\.\\./)+base/",
    message: "plan and status are pure: no clock, randomness or logger; `now` is a number.",
  },
  {
    regex: "^(\\.\\./)+(api|kube|runtime)/",
    message: "plan and status are pure: types only from the rooms that do I/O.",
    allowTypeImports: true,
  },
  { regex: "^(\\.\\./)+(emulator|cli)/", message: "controllers know neither the emulator nor the command line." },
  {
    regex: "^\\./(controller|reconcile|observe|apply)\\.ts$",
    message: "plan and status are pure: types only from the files that do I/O.",
    allowTypeImports: true,
  },
  { regex: "^node:", message: "plan and status are pure: no module of Node.js." },
  {
    regex: packagesPattern(everyPackage),
    message: "plan and status are pure: types only from packages.",
    allowTypeImports: true,
  },
  outsideSource,
];
