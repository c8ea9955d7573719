import { namespaceType } from "../../../src/controllers/shared/core-types.ts";
import type { ObjectId } from "../../../src/kube/resource-path.ts";
import { apiVersionOf } from "../../../src/resources/meta.ts";
import { deleteIfThere } from "../matrix/delete-if-there.ts";
import type { Choice } from "./choosing.ts";
import { clientSecretOf } from "./consents.ts";
import type { Garden } from "./garden.ts";
import { ADMITTED, draft, specs, types } from "./manifests.ts";
import type { World } from "./world.ts";

/** The ClusterConnection that one garden is reached by: by its name nobody there has to ask for it. It outlasts the garden's namespaces. */

const SHARED: ObjectId = { namespace: "", name: "default" };

/** The connection of a garden. */
export function connectionOf(garden: Garden) {
  return garden.shared
    ? { type: types.clusterConnection, id: SHARED }
    : { type: types.connection, id: { namespace: garden.namespace, name: "default" } };
}

/** The Secrets of a garden's credential, by name. */
export function credentialSecrets(garden: Garden): Readonly<Record<string, Readonly<Record<string, string>>>> {
  if (garden.credential === "token") return { token: { token: garden.token } };
  return {
    app: { "client-secret": clientSecretOf(garden) },
    consent: { "refresh-token": garden.consent.refreshToken },
  };
}

export async function openShared({ kube, platformUrl }: World, garden: Garden): Promise<void> {
  const namespace = garden.credentialNamespace;
  garden.isOpen = true;
  await kube.create(namespaceType, { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (const [name, stringData] of Object.entries(credentialSecrets(garden))) {
    await kube.create(types.coreSecret, draft({ namespace }, types.coreSecret, name, { stringData }));
  }
  const type = types.clusterConnection;
  const { name } = SHARED;
  const spec = specs.clusterConnection(platformUrl, garden);
  await kube.create(type, { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name }, spec });
}

/** It is deleted, and stays for as long as anything depends on it. */
export async function closeShared({ kube }: World, garden: Garden): Promise<void> {
  garden.isOpen = false;
  await deleteIfThere(kube, types.clusterConnection, SHARED);
}

/** For a while the ClusterConnection does not admit the namespace any more. */
export const refuseEntry: Choice = ({ world, garden, chance }) => {
  if (!garden.shared) return undefined;
  const { namespace, organization } = garden;
  const ms = chance.between(1000, 900_000);
  const label = async (value: string | null): Promise<void> => {
    const metadata = { labels: { [ADMITTED]: value } };
    await world.kube.patchMerge(namespaceType, { namespace: "", name: namespace }, { metadata });
  };
  return {
    what: `do not admit ${namespace} for ${ms} ms`,
    act: async () => {
      await label(null);
      await world.time.run(ms);
      await label(organization);
    },
  };
};
