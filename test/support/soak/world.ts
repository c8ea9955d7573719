import { fileURLToPath } from "node:url";
import { type ApiClient, createClient } from "../../../src/api/client.ts";
import { PersonalToken } from "../../../src/api/credentials/personal-token.ts";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { type Emulator, startEmulator } from "../../../src/emulator/emulator.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { createKubeTransport } from "../../../src/kube/transport.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { applyDefinitions } from "../programs/definitions.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import { consent, registerApp } from "./consents.ts";
import { Crew } from "./crew.ts";
import type { Garden } from "./garden.ts";
import { PlatformLine } from "./platform-line.ts";
import { SharedTime } from "./time.ts";

/**
 * test/support/soak: hours of shared time in minutes, in which people edit, meddle on the platform, and everything fails that can. This file:
 * the places of it, namely a real control plane, the emulator, and two operators of this process. garden.ts is the model of what should be,
 * *-actions.ts what people do to it, trouble.ts what goes wrong meanwhile, verdict.ts whether all is as it should be.
 */

const crds = fileURLToPath(new URL("../../../crds", import.meta.url));
/** Consents that are in stock at the beginning of a round: one in use, and one for each who may ask for another. */
const CONSENTS = 4;
const OPERATOR_NAMESPACE = "soak-operator";

/** A control plane that outlasts the worlds of several seeds. Watches come from etcd itself, so that a compaction is felt. */
export async function startSoakPlane(): Promise<ControlPlane> {
  const plane = await startControlPlane({ watchCache: false });
  await applyDefinitions(plane, crds);
  succeeded(await kubectl(plane, ["create", "namespace", OPERATOR_NAMESPACE]));
  return plane;
}

export interface World extends AsyncDisposable {
  readonly plane: ControlPlane;
  readonly emulator: Emulator;
  /** the way from the operators to the platform */
  readonly line: PlatformLine;
  /** base URL of the platform for operators */
  readonly platformUrl: string;
  /** as an administrator, past the relays */
  readonly kube: KubeClient;
  readonly time: SharedTime;
  readonly crew: Crew;
  /** A person who owns the organization, with the account that the operator does not use. */
  human(garden: Garden): ApiClient;
}

/** Opens an organization for each garden, with a person beside the operator's account, and starts the operators. */
export async function openWorld(plane: ControlPlane, gardens: readonly Garden[], seed: number): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const time = stack.use(new SharedTime());
  const emulator = await startEmulator({ tokens: ["soak-owner"], clock: time.clock, random: seededRandom(seed) });
  stack.defer(() => emulator.stop());
  const line = stack.use(await PlatformLine.open(emulator.url));
  time.countPlatform(emulator, line.url);
  for (const garden of gardens) await openOrganization(emulator, garden);
  const kubeConfig = { kind: "file", path: plane.kubeconfigPath } as const;
  const transport = createKubeTransport({ kubeConfig, meter: silentMeter, clock: systemClock, log: silentLogger });
  stack.defer(() => transport.close());
  const humans = new Map<Garden, ApiClient>();
  stack.defer(async () => {
    for (const client of humans.values()) await client.close();
  });
  const crew = stack.use(new Crew({ plane, time, operatorNamespace: OPERATOR_NAMESPACE }, transport));
  await crew.complete();
  const owned = stack.move();
  return {
    plane,
    emulator,
    line,
    platformUrl: line.url,
    kube: crew.kube,
    time,
    crew,
    human: (garden) => {
      const credentials = new PersonalToken(humanToken(garden));
      // Its budget passes with the platform's time, in which hours are minutes of the machine.
      const { clock } = time;
      const client = humans.get(garden) ?? createClient({ baseUrl: emulator.url, credentials, clock });
      humans.set(garden, client);
      return client;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function humanToken({ organization }: Garden): string {
  return `token-of-a-person-in-${organization}`;
}

/** Brings the consents to so many that nobody needs the token endpoint while it fails. Nothing where a token acts. */
export async function stockConsents({ emulator }: Pick<World, "emulator">, garden: Garden): Promise<void> {
  while (garden.credential === "app" && garden.consents.length < CONSENTS) {
    garden.consents.push(await consent(emulator, garden, accountOf(garden)));
  }
}

/** The operator's account in an organization. */
function accountOf({ organization }: Garden): string {
  return `operator-of-${organization}`;
}

async function openOrganization(emulator: Emulator, garden: Garden): Promise<void> {
  const { organization, token } = garden;
  const user = accountOf(garden);
  const person = `person-of-${organization}`;
  await emulator.control.state.seed({
    users: [{ username: user }, { username: person }],
    tokens: [
      { token, user },
      { token: humanToken(garden), user: person },
    ],
    organizations: [{ slug: organization, plan: "enterprise", members: { [user]: "Owner", [person]: "Owner" } }],
  });
  if (garden.credential === "token") return;
  await registerApp(emulator, garden);
  await stockConsents({ emulator }, garden);
}
