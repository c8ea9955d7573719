import { isKubeError } from "../../../src/kube/errors.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { seenSchema, stalledFor } from "../matrix/seen.ts";
import type { Garden } from "./garden.ts";
import { types } from "./manifests.ts";
import { stockConsents, type World } from "./world.ts";

/**
 * What people do where the platform takes the refresh token no more, since its answer to the last exchange was lost (docs/operations.md, Authorize an
 * app again): once more the user lets the app act. That it is told from a consent that was taken back, which nobody does here, is part of the verdict.
 */
export async function renewLost(world: World, garden: Garden): Promise<void> {
  if (garden.credential !== "app") return;
  const { namespace } = garden;
  const connection = await connectionOf(world, namespace);
  if (connection === undefined || stalledFor(seenSchema.parse(connection)) !== "RefreshTokenLost") return;
  garden.consents.shift();
  await stockConsents(world, garden);
  const data = { "refresh-token": Buffer.from(garden.consent.refreshToken).toString("base64") };
  await world.kube.patchMerge(types.coreSecret, { namespace, name: "consent" }, { data });
  world.crew.note("consent lost");
}

async function connectionOf({ kube }: World, namespace: string): Promise<KubeObject | undefined> {
  try {
    return await kube.get(types.connection, { namespace, name: "default" });
  } catch (error) {
    if (isKubeError(error, "NotFound")) return undefined;
    throw error;
  }
}
