import { CLIENT, emulatorWithApps, someTokens } from "../emulator/oauth.ts";
import type { EmulatorUnderTest } from "../emulator/api.ts";
import { type Keeping, startKeeping } from "../kube-server/keeping-client.ts";
import { CredentialError } from "../../../src/api/credentials/credentials.ts";
import { OAuthRefresh } from "../../../src/api/credentials/oauth-refresh.ts";
import { KeptToken, type RefreshTokens } from "../../../src/controllers/connection/kept-token.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";

/** Refresh tokens of one connection, between the emulator, which rotates them, and an apiserver that keeps the Secret. */

export const place = { namespace: "ns", name: "baas-operator-connection-default" };
export const owner: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Connection",
  metadata: { name: "default", namespace: "ns", uid: "uid-of-connection", resourceVersion: "1" },
};

export interface KeptTokenBench extends AsyncDisposable {
  readonly kept: Keeping;
  readonly under: EmulatorUnderTest;
  /** A refresh token of a new consent. */
  consent(): Promise<string>;
  /** @param process default `one` */
  tokenOf(seed: string, process?: string): KeptToken;
  /** The credential of a process. @param changed what this one does otherwise */
  processOf(name: string, seed: string, changed?: (own: KeptToken) => Partial<RefreshTokens>): OAuthRefresh;
}

export async function keptTokenBench(): Promise<KeptTokenBench> {
  const kept = await startKeeping();
  const under = await emulatorWithApps();
  const tokenOf = (seed: string, process = "one"): KeptToken =>
    new KeptToken({ kube: kept.kube, place, owner, seed, process });
  return {
    kept,
    under,
    consent: async () => (await someTokens(under)).refresh_token,
    tokenOf,
    processOf: (name, seed, changed = () => ({})) => {
      const own = tokenOf(seed, name);
      const { refreshToken, store, begin, refused } = own;
      return new OAuthRefresh({
        baseUrl: under.emulator.url,
        clientId: CLIENT.client_id,
        clientSecret: CLIENT.client_secret,
        clock: under.clock,
        random: () => 0,
        refreshToken,
        store,
        begin,
        refused,
        ...changed(own),
      });
    },
    [Symbol.asyncDispose]: async () => {
      await kept[Symbol.asyncDispose]();
      await under[Symbol.asyncDispose]();
    },
  };
}

/** `works`, or why not. */
export async function outcome(credentials: OAuthRefresh): Promise<string> {
  try {
    await credentials.token(new AbortController().signal);
    return "works";
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    return `${error.fault}${error.answerLost ? ", lost" : ""}`;
  }
}
