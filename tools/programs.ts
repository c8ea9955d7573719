/**
 * tools: the programs that development and tests need (a real control plane, kubectl, helm, kind), pinned in go.mod and found or built
 * here; also lint rules and generators. Nothing in this folder is part of the operator, and no Go code of our own lives here.
 */
import { createHash } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

/** A `tool` line of go.mod, under the name that the program has everywhere else. */
export interface Program {
  readonly name: ToolName;
  readonly goPackage: string;
}

export type ToolName = "etcd" | "kube-apiserver" | "kube-controller-manager" | "kubectl" | "helm" | "kind";

/** In the order of building: what a control plane needs first. */
export const programs: readonly Program[] = [
  { name: "etcd", goPackage: "go.etcd.io/etcd/server/v3" },
  { name: "kube-apiserver", goPackage: "k8s.io/kubernetes/cmd/kube-apiserver" },
  { name: "kube-controller-manager", goPackage: "k8s.io/kubernetes/cmd/kube-controller-manager" },
  { name: "kubectl", goPackage: "k8s.io/kubernetes/cmd/kubectl" },
  { name: "helm", goPackage: "helm.sh/helm/v3/cmd/helm" },
  { name: "kind", goPackage: "sigs.k8s.io/kind" },
];

/** The folder of go.mod, go.sum and this file. */
export const moduleDirectory = fileURLToPath(new URL(".", import.meta.url));

const repository = fileURLToPath(new URL("..", import.meta.url));

function goMod(): string {
  return readFileSync(join(moduleDirectory, "go.mod"), "utf8");
}

/**
 * The version that go.mod pins for a module, or for "go" the oldest Go that builds it.
 *
 * @throws Error when go.mod does not name the module
 */
export function pinnedVersion(module: string): string {
  const line = goMod()
    .split("\n")
    .map((text) => text.trim().split(/\s+/u))
    .find(([first]) => first === module);
  if (line?.[1] === undefined) throw new Error(`tools/go.mod names no version of ${module}`);
  return line[1];
}

/**
 * What the linker writes into the programs. kubectl and helm compare versions with the server and with a chart's kubeVersion, and take
 * themselves for v0.0.0 and v1.20 without it.
 */
export function linkerFlags(): string {
  const kubernetes = pinnedVersion("k8s.io/kubernetes");
  const [major = "", minor = ""] = kubernetes.replace("v", "").split(".");
  const variables = {
    "k8s.io/component-base/version.gitVersion": kubernetes,
    "k8s.io/component-base/version.gitMajor": major,
    "k8s.io/component-base/version.gitMinor": minor,
    "helm.sh/helm/v3/internal/version.version": pinnedVersion("helm.sh/helm/v3"),
    "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor": major,
    "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor": minor,
    "helm.sh/helm/v3/pkg/lint/rules.k8sVersionMajor": major,
    "helm.sh/helm/v3/pkg/lint/rules.k8sVersionMinor": minor,
  };
  return ["-s", "-w", ...Object.entries(variables).map(([name, value]) => `-X ${name}=${value}`)].join(" ");
}

/** Where built programs lie. Its name changes with go.mod, go.sum, the flags and the machine's kind, so an old build is never taken for a new one. */
export function buildDirectory(): string {
  const key = createHash("sha256")
    .update(goMod())
    .update(readFileSync(join(moduleDirectory, "go.sum")))
    .update(linkerFlags())
    .update(`${process.platform} ${process.arch}`)
    .digest("hex")
    .slice(0, 12);
  return join(repository, ".tools", key);
}

/** True for a file that may be executed. */
function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * Where a program is: in the directory that KUBEBUILDER_ASSETS names (the convention of envtest) if it holds it, else where `npm run tools`
 * puts it. Says nothing about whether it is there.
 */
export function expectedPath(name: ToolName): string {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  if (assets !== undefined && assets !== "") {
    const path = join(assets, name);
    if (isProgram(path)) return path;
  }
  return join(buildDirectory(), "bin", name);
}

/** The programs that are neither in KUBEBUILDER_ASSETS nor built. */
export function missingPrograms(names: readonly ToolName[]): readonly Program[] {
  return programs.filter((program) => names.includes(program.name) && !isProgram(expectedPath(program.name)));
}

/**
 * The path of a program that is there.
 *
 * @throws Error that says what to run when it was not built yet
 */
export function toolPath(name: ToolName): string {
  const path = expectedPath(name);
  if (!isProgram(path)) throw new Error(`${name} is not built yet: run \`npm run tools\``);
  return path;
}

/** The executable of that name on PATH, if any. */
export function findOnPath(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, name))
    .find(isProgram);
}
