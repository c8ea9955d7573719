import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import { silentMeter } from "../../src/base/meter.ts";
import { systemRandom } from "../../src/base/random.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { createKubeClient } from "../../src/kube/client-requests.ts";
import { createKubeTransport } from "../../src/kube/transport.ts";
import { startControlPlane } from "../../test/support/control-plane/control-plane.ts";
import { freePort } from "../../test/support/control-plane/ports.ts";
import { AT_ONCE } from "../../test/support/controllers/shop.ts";
import { bundle } from "../../test/support/programs/bundle.ts";
import { applyDefinitions } from "../../test/support/programs/definitions.ts";
import { cpuSecondsOf, startChild } from "../child.ts";
import type { Team } from "./landscape.ts";
import { type OperatorProcess, watchOperator } from "./process.ts";

/** What benches of the operator stand on: a real control plane with our CRDs, and the emulator as a process of its own. */

/** As the image starts it (Dockerfile), with the heap that Node.js takes by itself in a container of 512 MiB, the chart's limit. */
const asInContainer = ["--enable-source-maps", "--max-old-space-size=256", "--max-semi-space-size=8"];
const repository = fileURLToPath(new URL("../..", import.meta.url));
const crds = join(repository, "crds");

export interface Ground extends AsyncDisposable {
  readonly kubeconfigPath: string;
  /** as an administrator */
  readonly kube: KubeClient;
  /** base URL of the emulator, which refuses nothing for its rate */
  readonly platform: string;
  /** where the requests to the apiserver are noted, if they are */
  readonly auditLogPath: string;
  /** Processor time so far of kube-apiserver, etcd and controllers, and of the emulator, seconds; undefined where nobody says. */
  cpuSeconds(): { readonly cluster: number | undefined; readonly emulator: number | undefined };
  /** The operator as the image and the chart run it, with its default flags, its output thrown away. */
  startOperator(): Promise<OperatorProcess>;
}

interface GroundOptions {
  /** every request to the apiserver is noted */
  readonly audit?: boolean;
  /** folder where a profile of the operator's processor time is written when it ends */
  readonly profile?: string | undefined;
}

/** @param teams whose accounts and organizations the emulator has */
export async function openGround(
  teams: readonly Team[],
  { audit = false, profile }: GroundOptions = {},
): Promise<Ground> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await startControlPlane({ audit }));
  const { kubeconfigPath } = plane;
  await applyDefinitions(plane, crds);
  const folder = await mkdtemp(join(tmpdir(), "baas-bench-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { file: program } = stack.use(await bundle());
  const seed = join(folder, "seed.json");
  await writeFile(seed, JSON.stringify(seedOf(teams)));
  const serve = ["src/main.ts", "emulator", "--port", "0", "--no-limits", "--seed", seed, "--log-level", "error"];
  const emulator = stack.use(startChild(serve));
  const platform = await emulator.line();
  const common = { clock: systemClock, log: silentLogger };
  const transport = createKubeTransport({
    kubeConfig: { kind: "file", path: kubeconfigPath },
    meter: silentMeter,
    ...common,
  });
  stack.defer(() => transport.close());
  const kube = createKubeClient({ transport, random: systemRandom, ...common });
  const profiled = profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`];
  const owned = stack.move();
  return {
    kubeconfigPath,
    kube,
    platform,
    auditLogPath: plane.auditLogPath,
    cpuSeconds: () => ({ cluster: sumOfCpu(plane.pids()), emulator: emulator.cpuSeconds() }),
    startOperator: async () => {
      const health = `127.0.0.1:${await freePort()}`;
      const flags = ["--kubeconfig", kubeconfigPath, "--operator-namespace", "default", "--health-address", health];
      return watchOperator(
        startChild([...asInContainer, ...profiled, program, "run", ...flags], { unread: true }),
        health,
      );
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function sumOfCpu(pids: readonly number[]): number | undefined {
  const seconds = pids.map(cpuSecondsOf).filter((each) => each !== undefined);
  return seconds.length === 0 ? undefined : seconds.reduce((sum, each) => sum + each, 0);
}

function seedOf(teams: readonly Team[]): object {
  return {
    settings: AT_ONCE,
    users: teams.map(({ name }) => ({ username: name })),
    tokens: teams.map(({ name, token }) => ({ token, user: name })),
    organizations: teams.map(({ name, projects }) => ({
      slug: name,
      plan: "enterprise",
      members: { [name]: "Owner" },
      quotas: { projects: 10 * projects },
    })),
  };
}
