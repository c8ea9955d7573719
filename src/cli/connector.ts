import { createClient } from "../api/client.ts";
import { CredentialError, type Credentials } from "../api/credentials/credentials.ts";
import { assertionFile, JwtBearer } from "../api/credentials/jwt-bearer.ts";
import { OAuthRefresh } from "../api/credentials/oauth-refresh.ts";
import { PersonalToken } from "../api/credentials/personal-token.ts";
import { ScopeLedger } from "../api/credentials/scope-ledger.ts";
import type { TokenEndpointOptions } from "../api/credentials/token-endpoint.ts";
import type { ClientSettings } from "../api/client-options.ts";
import type { Connect, Connected, Credential, CredentialNews } from "../controllers/connection/credential.ts";

/** What all clients of a process share: one pacer, one clock, what a request is sent through and when it may be. */
export type SharedSettings = Required<
  Pick<ClientSettings, "pacer" | "clock" | "random" | "log" | "meter" | "mayStart">
> &
  Pick<ClientSettings, "tracer" | "proxy" | "ca" | "limits">;

interface ConnectorOptions {
  readonly settings: SharedSettings;
  /** the projected token of the operator's ServiceAccount; read anew for each exchange, since the kubelet renews it in place */
  readonly workloadIdentityTokenFile: string | undefined;
}

/** Makes the clients of connections. */
export function connector({ settings, workloadIdentityTokenFile }: ConnectorOptions): Connect {
  const { clock, random, mayStart, proxy, ca, pacer, meter, tracer, limits } = settings;
  const trust = { ...(proxy === undefined ? {} : { proxy }), ...(ca === undefined ? {} : { ca }) };
  const seen = {
    ...(tracer === undefined ? {} : { tracer }),
    ...(limits?.maxWaitMs === undefined ? {} : { maxWaitMs: limits.maxWaitMs }),
  };
  return ({ baseUrl, credential, missingScopes, onNews }) => {
    const endpoint: TokenEndpointOptions = { baseUrl, clock, random, mayStart, pacer, meter, ...seen, ...trust };
    const { credentials, idle } = credentialsOf(credential, endpoint, workloadIdentityTokenFile ?? "");
    const scopes = credential.kind === "token" ? undefined : new ScopeLedger(missingScopes);
    return {
      client: createClient({ ...settings, baseUrl, credentials: telling(credentials, { scopes, onNews }) }),
      idle,
      missingScopes: () => scopes?.missing,
    };
  };
}

const nothing = (): Promise<void> => Promise.resolve();

function credentialsOf(
  credential: Credential,
  endpoint: TokenEndpointOptions,
  tokenFile: string,
): { readonly credentials: Credentials; readonly idle: Connected["idle"] } {
  switch (credential.kind) {
    case "token":
      return { credentials: new PersonalToken(credential.token), idle: nothing };
    case "oauth": {
      const { clientId, clientSecret, refreshTokens } = credential;
      const credentials = new OAuthRefresh({ ...endpoint, clientId, clientSecret, ...refreshTokens });
      return { credentials, idle: (signal) => credentials.idle(signal) };
    }
    case "workloadIdentity": {
      const { clientId, clientSecret } = credential;
      const secret = clientSecret === undefined ? {} : { clientSecret };
      const assertion = assertionFile(tokenFile);
      return { credentials: new JwtBearer({ ...endpoint, clientId, ...secret, assertion }), idle: nothing };
    }
    default:
      return credential satisfies never;
  }
}

/** Faults that the connection's own look tells, and that do not pass by themselves. */
const TOLD: ReadonlySet<CredentialError["fault"]> = new Set(["missing", "unusable", "refused"]);

interface AnswerListeners {
  readonly scopes: ScopeLedger | undefined;
  readonly onNews: (news: CredentialNews) => void;
}

/** Whoever finds that there is no token any more, or that it is not accepted or may not do something, lets the connection say so. */
function telling(credentials: Credentials, { scopes, onNews }: AnswerListeners): Credentials {
  const { identity } = credentials;
  return {
    token: async (signal) => {
      try {
        return await credentials.token(signal);
      } catch (error) {
        if (error instanceof CredentialError && TOLD.has(error.fault)) onNews("refused");
        throw error;
      }
    },
    onRejected: (token) => credentials.onRejected(token),
    // Not before: a 401 alone may be of a token that is had anew, or what a write is refused with for its body.
    onRefused: () => onNews("refused"),
    onAnswered: (operation, allowed) => {
      if (scopes?.answered(operation, allowed) === true) onNews("scopes");
    },
    ...(identity === undefined ? {} : { identity }),
  };
}
