import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { findOnPath, pinnedVersion } from "./programs.ts";

/** Go is absent or too old; the message says what to install. */
export class GoMissingError extends Error {
  readonly code = "GO_MISSING";

  constructor(found: string) {
    const wanted = pinnedVersion("go").split(".").slice(0, 2).join(".");
    super(
      [
        `Go ${wanted} or newer is needed to build the development programs (kube-apiserver, etcd, kubectl, helm, ...): ${found}.`,
        `Install Go from https://go.dev/dl/ or your system's packages so that \`go version\` says ${wanted} or newer, and run this again.`,
        "Or set KUBEBUILDER_ASSETS to a directory that holds the programs already.",
      ].join("\n"),
    );
    this.name = "GoMissingError";
  }
}

function parts(version: string): readonly number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10) || 0);
}

/** True when version `a` (as "1.26.8") is at least `b`. */
export function atLeast(a: string, b: string): boolean {
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i += 1) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/**
 * The `go` command on PATH, known to be new enough.
 *
 * @throws GoMissingError when there is none or it is too old
 */
export function findGo(): string {
  const go = findOnPath("go");
  if (go === undefined) throw new GoMissingError("no `go` on PATH");
  // Asked outside of the module: within it, an older Go would try to download the newer one that go.mod names.
  const version = execFileSync(go, ["env", "GOVERSION"], { cwd: tmpdir(), encoding: "utf8" }).trim();
  const wanted = pinnedVersion("go");
  if (version.startsWith("go") && !atLeast(version.slice(2), wanted)) throw new GoMissingError(`${go} is ${version}`);
  return go;
}
