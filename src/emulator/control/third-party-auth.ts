import { publishedJwksSeed } from "../auth/third-party-auth-state.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations } from "./call.ts";

/** What other issuers publish, which the emulator never fetches. */
export const thirdPartyAuthCalls = {
  thirdPartyAuth: {
    publish: call({
      summary: "Say which key set is found at an issuer's or key set's URL; null: nothing is, for ever unresolved",
      input: publishedJwksSeed,
      output: done,
    }),
  },
} as const;

export function thirdPartyAuthControl(world: World): Implementations<typeof thirdPartyAuthCalls> {
  return {
    thirdPartyAuth: {
      publish: ({ url, jwks }) => world.publishedJwks.set(url, { jwks }),
    },
  };
}
