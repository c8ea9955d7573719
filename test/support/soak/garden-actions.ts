import { namespaceType } from "../../../src/controllers/shared/core-types.ts";
import { annotations } from "../../../src/resources/annotations.ts";
import { deleteIfThere } from "../matrix/delete-if-there.ts";
import { eventually } from "../stage/eventually.ts";
import type { Chance } from "./chance.ts";
import type { Action } from "./choosing.ts";
import { anyDriftPolicy } from "./drift-policy.ts";
import type { Garden } from "./garden.ts";
import { refOf } from "./hand-actions.ts";
import { ADMITTED, DATABASE, draft, specs, types } from "./manifests.ts";
import { credentialSecrets } from "./shared-connection.ts";
import type { World } from "./world.ts";

/** A namespace with a Project, reached by a Connection of its own or by the one that is shared, and nothing in it yet. */
export function plantAnew({ kube, platformUrl }: World, garden: Garden, chance: Chance): Action {
  const { namespace, organization, shared, password } = garden;
  const name = `shop-${garden.life}`;
  const driftPolicy = anyDriftPolicy(chance);
  garden.found(name, driftPolicy);
  // A consent that was used once is spent for whoever comes next.
  if (!shared && garden.consents.length > 1) garden.consents.shift();
  const secrets = shared ? {} : credentialSecrets(garden);
  const labels = shared ? { [ADMITTED]: organization } : {};
  const make = (type: (typeof types)[keyof typeof types], object: string, rest: object): Promise<unknown> =>
    kube.create(type, draft({ namespace }, type, object, rest));
  return {
    what: `plant ${namespace}, driftPolicy ${driftPolicy}`,
    act: async () => {
      const metadata = { name: namespace, labels };
      await kube.create(namespaceType, { apiVersion: "v1", kind: "Namespace", metadata });
      for (const [secret, stringData] of Object.entries(secrets)) await make(types.coreSecret, secret, { stringData });
      await make(types.coreSecret, DATABASE.name, { stringData: { [DATABASE.key]: password } });
      if (!shared) await make(types.connection, "default", { spec: specs.connection(platformUrl, garden) });
      await make(types.project, "shop", { spec: specs.project(organization, name, driftPolicy) });
    },
  };
}

/** The Project is paused as it is, or goes on as it is declared by then. */
export function pause({ kube }: World, garden: Garden, paused: boolean): Action {
  const { namespace } = garden;
  garden.pause(paused);
  const noted = { [annotations.paused]: paused ? "true" : null };
  return {
    what: `${paused ? "pause" : "go on with"} the Project of ${namespace}`,
    act: async () => {
      await kube.patchMerge(types.project, { namespace, name: "shop" }, { metadata: { annotations: noted } });
    },
  };
}

/**
 * Somebody deletes the project by hand. It is never made again by itself (engine.md §4): some time later people say that it may be.
 *
 * @param afterMs milliseconds of shared time between the two
 */
export function lose(world: World, garden: Garden, afterMs: number): Action {
  const { kube, time, emulator } = world;
  const { namespace } = garden;
  garden.forgetTheirs();
  return {
    what: `delete the project of ${namespace} by hand, and ${afterMs} ms later let it be made again`,
    act: async () => {
      const ref = await refOf(emulator, garden);
      await emulator.control.projects.remove({ ref });
      await time.run(afterMs);
      const noted = { [annotations.recreate]: ref };
      await kube.patchMerge(types.project, { namespace, name: "shop" }, { metadata: { annotations: noted } });
    },
  };
}

interface Withering {
  /** the namespace itself is deleted */
  readonly whole: boolean;
  /** with the Project on Retain, so that the platform keeps all of it; goes with the namespace alone */
  readonly kept: boolean;
}

/** Everything in a namespace is deleted, in the order in which it comes. */
export function wither(world: World, garden: Garden, { whole, kept }: Withering): Action {
  const { kube } = world;
  const { namespace } = garden;
  const retained = whole && kept;
  garden.leave(retained);
  return {
    what: `delete ${whole ? "the namespace" : "all objects"}${retained ? ", which keeps the project" : ""}`,
    act: async () => {
      if (retained) {
        await kube.patchMerge(types.project, { namespace, name: "shop" }, { spec: { deletionPolicy: "Retain" } });
      }
      if (whole) {
        await deleteIfThere(kube, namespaceType, { namespace: "", name: namespace });
        await eventually(`all in ${namespace} is being deleted`, () => isGoing(world, namespace), 60_000);
        return;
      }
      for (const type of OURS) {
        const { items } = await kube.listPage(type, { namespace, limit: 0 });
        for (const { metadata } of items) await deleteIfThere(kube, type, { namespace, name: metadata.name });
      }
    },
  };
}

const OURS = [types.project, types.function, types.connection, types.secret, types.branch];

/** What deletes the contents of a namespace has the machine's time. */
async function isGoing({ kube }: World, namespace: string): Promise<true | undefined> {
  const lists = await Promise.all(OURS.map((type) => kube.listPage(type, { namespace, limit: 0 })));
  const staying = lists
    .flatMap(({ items }) => items)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return staying.length === 0 ? true : undefined;
}
