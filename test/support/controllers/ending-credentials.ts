import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { aSigner, AUDIENCE, ISSUER, SUBJECT } from "../emulator/oauth.ts";
import { NAMESPACE, type Theatre } from "./life.ts";

/** Credentials of a Connection, each with what ends its token before its time. */

const FIRST_TOKEN = "token";
const SECOND_TOKEN = "second-token";
const APP = { client_id: "deployer", client_secret: "secret-of-deployer", redirect_uri: "https://app.example.test/cb" };
const REGISTERED = { clientId: APP.client_id, clientSecret: APP.client_secret, redirectUris: [APP.redirect_uri] };

function putSecret({ kubernetes }: Theatre, values: Readonly<Record<string, string>>): void {
  const metadata = { name: "credential", namespace: NAMESPACE };
  const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")] as const);
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) });
}

export interface EndingCredential {
  readonly what: string;
  /** Puts it there. @param tokenFile of the operator's own identity. @returns what the Connection says of it */
  give(theatre: Theatre, tokenFile: string): Promise<object>;
  /** Ends it at once. */
  end(theatre: Theatre): void;
  /** Whether its end is for somebody to act on, and what the Connection then says. */
  readonly reason: string | undefined;
  /** What somebody does about it. */
  mend(theatre: Theatre): Promise<void>;
}

const tokensSchema = z.looseObject({ refresh_token: z.string() });

export const appsToken: EndingCredential = {
  what: "an app's access token",
  give: async (theatre) => {
    const { control, url } = theatre.emulator;
    await control.oauth.addApp(REGISTERED);
    const { code } = await control.oauth.approve({ clientId: APP.client_id, user: "owner", organization: "acme" });
    const body = new URLSearchParams({ ...APP, grant_type: "authorization_code", code });
    const answer = await fetch(`${url}/v1/oauth/token`, { method: "POST", body });
    const { refresh_token: refresh } = tokensSchema.parse(await answer.json());
    putSecret(theatre, { "client-secret": APP.client_secret, refresh });
    const refreshToken = { secretRef: { name: "credential", key: "refresh" } };
    return { oauth: { clientId: APP.client_id, clientSecret: { secretRef: { name: "credential" } }, refreshToken } };
  },
  end: ({ emulator }) => void emulator.control.oauth.expireTokens(),
  reason: undefined,
  mend: () => Promise.resolve(),
};

export const ownIdentity: EndingCredential = {
  what: "the own identity's access token",
  give: async (theatre, tokenFile) => {
    const { emulator } = theatre;
    const { jwks, sign } = await aSigner();
    const trust = { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks };
    const jwtBearer = { ...trust, user: "owner", organization: "acme" };
    const clientSecret = { secretRef: { name: "credential" } };
    await emulator.control.oauth.addApp({ ...REGISTERED, jwtBearer });
    await writeFile(tokenFile, await sign({ expiresAt: Date.UTC(2026, 1, 1) / 1000 }));
    putSecret(theatre, { "client-secret": APP.client_secret });
    return { workloadIdentity: { clientId: APP.client_id, clientSecret } };
  },
  end: (theatre) => appsToken.end(theatre),
  reason: undefined,
  mend: () => Promise.resolve(),
};

export const usersToken: EndingCredential = {
  what: "a user's token",
  give: (theatre) => {
    putSecret(theatre, { token: FIRST_TOKEN });
    return Promise.resolve({ token: { secretRef: { name: "credential" } } });
  },
  end: ({ emulator }) => void emulator.control.tokens.revoke({ token: FIRST_TOKEN }),
  reason: "False CredentialInvalid",
  mend: async (theatre) => {
    await theatre.emulator.control.tokens.add({ token: SECOND_TOKEN, user: "owner" });
    putSecret(theatre, { token: SECOND_TOKEN });
  },
};
