import { setTimeout as wait } from "node:timers/promises";
import { kubectl, type Target } from "./kubectl.ts";
import { succeeded } from "./run.ts";

const DEADLINE_MS = 60_000;
const AGAIN_MS = 100;

/** Applies definitions of kinds, and resolves when the apiserver has taken them up. @param files paths of files, or of folders of them */
export async function applyDefinitions(target: Target, ...files: readonly string[]): Promise<void> {
  const named = files.map((file) => `--filename=${file}`);
  succeeded(await kubectl(target, ["apply", "--server-side", ...named]));
  await untilEstablished(target, named);
}

/**
 * Resolves when the apiserver has taken definitions up.
 *
 * @param which as `kubectl wait` takes them
 * @throws Error with kubectl's words when it has not within a minute
 */
export async function untilEstablished(target: Target, which: readonly string[]): Promise<void> {
  const end = performance.now() + DEADLINE_MS;
  for (;;) {
    const result = await kubectl(target, ["wait", "--for=condition=Established", ...which, "--timeout=60s"]);
    // It gives up at once on one that has no condition at all yet, as each has for a moment.
    if (result.code === 0 || !result.stderr.includes("accessor error") || performance.now() > end) {
      succeeded(result);
      return;
    }
    await wait(AGAIN_MS);
  }
}
