import { visibleProject } from "../access.ts";
import { encryptionKeyOf } from "./project-keys.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** The root key of the database's encryption extension. What was encrypted with an older one is not looked at. */
export function encryptionKeyHandlers(world: World): SectionHandlers<"encryptionKey"> {
  return {
    get: ({ params, caller }) => ({
      root_key: encryptionKeyOf(world, visibleProject(world, caller, params.ref).ref),
    }),
    update: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      world.projectKeys.set(ref, { ...world.projectKeys.get(ref), encryptionKey: body.root_key });
      return { root_key: body.root_key };
    },
  };
}
