import type { EmulatorOptions } from "../../../src/emulator/emulator.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { NAMESPACE, type Theatre } from "./life.ts";

/** A Project `shop` with what lives in it, as somebody applies it at once. */

export interface ShopSize {
  readonly branches: number;
  readonly functions: number;
  /** environment secrets, of one Secret object for each `perSecret` of them */
  readonly secrets: number;
  readonly perSecret?: number;
}

/** Options of an emulator that makes everything at once, so that no request does nothing but wait. */
export const AT_ONCE: EmulatorOptions = {
  timings: {
    bundleMs: 0,
    unknownMs: 0,
    comingUpMs: 0,
    serviceLagMs: 0,
    creatingBranchMs: 0,
    runningMigrationsMs: 0,
    migrationsPassedMs: 0,
  },
};

const PLURALS = { Project: "projects", Branch: "branches", EdgeFunction: "edgefunctions", Secret: "secrets" } as const;

export function putShop(
  { kubernetes }: Theatre,
  { branches, functions, secrets, perSecret = secrets }: ShopSize,
): void {
  const put = (kind: keyof typeof PLURALS, name: string, spec: object): void => {
    const metadata = { name, namespace: NAMESPACE };
    kubernetes.put(PLURALS[kind], { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
  };
  const projectRef = { name: "shop" };
  put("Project", "shop", { organization: "acme" });
  for (let n = 0; n < branches; n += 1) put("Branch", `branch-${n}`, { projectRef });
  for (let n = 0; n < functions; n += 1) {
    put("EdgeFunction", `function-${n}`, { projectRef, source: { inline: { files: { "index.ts": `// ${n}` } } } });
  }
  for (let from = 0; from < secrets; from += perSecret) {
    const names = Array.from({ length: Math.min(perSecret, secrets - from) }, (_, n) => `NAME_${from + n}`);
    const stringData = Object.fromEntries(names.map((name) => [name, `value of ${name}`]));
    const metadata = { name: `values-${from}`, namespace: NAMESPACE };
    kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData });
    put("Secret", `secrets-${from}`, { projectRef, from: [{ secretRef: { name: metadata.name } }] });
  }
}

/** What is not Ready yet. */
export function unready({ kubernetes }: Theatre): readonly KubeObject[] {
  const objects = Object.values(PLURALS).flatMap((plural) => kubernetes.list(plural));
  return objects.filter((object) => object.apiVersion !== "v1" && !isReady(object));
}

function isReady({ status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as { conditions?: readonly { type: string; status: string }[] };
  return conditions.some(({ type, status: value }) => type === "Ready" && value === "True");
}

/** Requests of the Management API since the log was cleared, by operation. */
export async function callsOf({ emulator }: Theatre): Promise<Readonly<Record<string, number>>> {
  return (await emulator.control.log.summary()).byOperation;
}

/**
 * The fewest calls that make a shop from nothing and see that it is there, when the platform makes everything at once:
 * - whose token it is: 1, or budgets could not be kept (engine.md §2)
 * - the project: looked for by name before it is created (§4), created, seen up, its services seen healthy: 4
 * - branches: the default one and each are looked for before they are created (§4), which always reads live (§3), and created; then the list that
 *   shows all of them; of each, its host and the health of its services, which no list tells
 * - functions: a list before the first one, a deployment of each, and a list that shows what came of them
 * - secrets: a list before, 100 in a request for each object, and a list that shows their digests
 */
export function fewestCalls({ branches, functions, secrets, perSecret = secrets }: ShopSize): number {
  const forBranches = branches === 0 ? 0 : 2 * (branches + 1) + 1 + 2 * branches;
  const forFunctions = functions === 0 ? 0 : 2 + functions;
  const objects = Math.ceil(secrets / Math.max(1, perSecret));
  const forSecrets = secrets === 0 ? 0 : 2 + objects * Math.ceil(Math.min(secrets, perSecret) / 100);
  return 1 + 4 + forBranches + forFunctions + forSecrets;
}
