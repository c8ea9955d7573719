import { actionControl } from "./actions.ts";
import type { ControlHandlers } from "./calls.ts";
import { functionControl } from "./functions.ts";
import { hostingControl } from "./hosting.ts";
import { infrastructureControl } from "./infrastructure.ts";
import { jitControl } from "./jit.ts";
import { lifeControl } from "./lives.ts";
import { oauthControl } from "./oauth.ts";
import { requestControl } from "./requests.ts";
import { rightsControl } from "./rights.ts";
import { snippetControl } from "./snippets.ts";
import { type ControlParts, stateControl } from "./state.ts";
import { thirdPartyAuthControl } from "./third-party-auth.ts";

/** What does each control call. */
export function controlHandlers(parts: ControlParts): ControlHandlers {
  const { world } = parts;
  return {
    ...stateControl(parts),
    ...requestControl(parts),
    ...rightsControl(world),
    ...lifeControl(world),
    ...functionControl(world),
    ...infrastructureControl(world),
    ...actionControl(world),
    ...jitControl(world),
    ...oauthControl(world),
    ...thirdPartyAuthControl(world),
    ...hostingControl(world),
    ...snippetControl(world),
  };
}
