import { isKubeError } from "../../../src/kube/errors.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { stalledFor } from "../matrix/seen.ts";
import type { Garden } from "./garden.ts";
import { types } from "./manifests.ts";
import { connectionOf } from "./shared-connection.ts";
import { placed } from "./verdict.ts";
import { stockConsents, type World } from "./world.ts";

/**
 * What people do where the platform takes the refresh token no more, since its answer to the last exchange was lost (docs/operations.md, Authorize an
 * app again): once more the user lets the app act. That it is told from a consent that was taken back, which nobody does here, is part of the verdict.
 */
export async function renewLost(world: World, garden: Garden): Promise<void> {
  if (garden.credential !== "app") return;
  const connection = await readConnection(world, garden);
  if (connection === undefined || stalledFor(placed(connection)) !== "RefreshTokenLost") return;
  garden.consents.shift();
  await stockConsents(world, garden);
  const data = { "refresh-token": Buffer.from(garden.consent.refreshToken).toString("base64") };
  const place = { namespace: garden.credentialNamespace, name: "consent" };
  await world.kube.patchMerge(types.coreSecret, place, { data });
  world.crew.note("consent lost");
}

async function readConnection({ kube }: World, garden: Garden): Promise<KubeObject | undefined> {
  const { type, id } = connectionOf(garden);
  try {
    return await kube.get(type, id);
  } catch (error) {
    if (isKubeError(error, "NotFound")) return undefined;
    throw error;
  }
}
