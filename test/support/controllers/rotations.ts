import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { aSigner, AUDIENCE, ISSUER, SUBJECT } from "../emulator/oauth.ts";
import { NAMESPACE, type Theatre } from "./life.ts";

/** Credentials of a Connection of each kind, and how somebody rotates them. */

const CALLBACK = "https://app.example.test/cb";
const FIRST_SECRET = "first secret of the app";
const SECOND_SECRET = "second secret of the app";

const signer = await aSigner();

/** Writes the token of the operator's ServiceAccount, as the kubelet would. @param file path */
export async function writeOwnToken(file: string): Promise<void> {
  await writeFile(file, await signer.sign({ expiresAt: Date.UTC(2026, 0, 2) / 1000 }));
}

/** A credential that somebody rotates. */
export interface Rotation {
  readonly what: string;
  /** Puts the first one there. @returns what the Connection says of it, and what rotates it: with `revoked`, the first one is no good any more */
  give(theatre: Theatre): Promise<{ readonly spec: object; readonly rotate: (revoked: boolean) => Promise<void> }>;
}

function putSecret({ kubernetes }: Theatre, values: Readonly<Record<string, string>>): void {
  const metadata = { name: "credential", namespace: NAMESPACE };
  const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")] as const);
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) });
}

/** The Secret that has them. */
export const secretRef = { name: "credential" };
const tokensSchema = z.looseObject({ refresh_token: z.string() });

export const token: Rotation = {
  what: "a token",
  give: async (theatre) => {
    const { tokens } = theatre.emulator.control;
    await tokens.add({ token: "second", user: "owner" });
    putSecret(theatre, { token: "token" });
    const rotate = async (revoked: boolean): Promise<void> => {
      putSecret(theatre, { token: "second" });
      if (revoked) await tokens.revoke({ token: "token" });
    };
    return { spec: { token: { secretRef } }, rotate };
  },
};

async function registerApp({ emulator }: Theatre, clientSecret: string): Promise<void> {
  const trust = { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks: signer.jwks };
  const jwtBearer = { ...trust, user: "owner", organization: "acme" };
  const app = { clientId: "app", clientSecret, redirectUris: [CALLBACK], jwtBearer };
  await emulator.control.oauth.addApp(app);
}

async function consent({ emulator }: Theatre): Promise<string> {
  const { code } = await emulator.control.oauth.approve({ clientId: "app", user: "owner", organization: "acme" });
  const client = { client_id: "app", client_secret: FIRST_SECRET, redirect_uri: CALLBACK };
  const body = new URLSearchParams({ ...client, grant_type: "authorization_code", code });
  const answer = await fetch(`${emulator.url}/v1/oauth/token`, { method: "POST", body });
  return tokensSchema.parse(await answer.json()).refresh_token;
}

async function giveApp(theatre: Theatre, second: (refresh: string) => Promise<Record<string, string>>) {
  await registerApp(theatre, FIRST_SECRET);
  const first = { "client-secret": FIRST_SECRET, refresh: await consent(theatre) };
  const later = { ...first, ...(await second(first.refresh)) };
  putSecret(theatre, first);
  const refreshToken = { secretRef: { ...secretRef, key: "refresh" } };
  const rotate = async (revoked: boolean): Promise<void> => {
    putSecret(theatre, later);
    await registerApp(theatre, later["client-secret"]);
    if (revoked) await theatre.emulator.control.oauth.expireTokens();
  };
  return { spec: { oauth: { clientId: "app", clientSecret: { secretRef }, refreshToken } }, rotate };
}

export const clientSecret: Rotation = {
  what: "an app's client secret",
  give: (theatre) => giveApp(theatre, () => Promise.resolve({ "client-secret": SECOND_SECRET })),
};

export const consentAnew: Rotation = {
  what: "an app's consent",
  give: (theatre) => giveApp(theatre, async () => ({ refresh: await consent(theatre) })),
};

export const ownIdentity: Rotation = {
  what: "the client secret of the operator's own identity",
  give: async (theatre) => {
    await registerApp(theatre, FIRST_SECRET);
    putSecret(theatre, { "client-secret": FIRST_SECRET });
    const rotate = async (revoked: boolean): Promise<void> => {
      putSecret(theatre, { "client-secret": SECOND_SECRET });
      await registerApp(theatre, SECOND_SECRET);
      if (revoked) await theatre.emulator.control.oauth.expireTokens();
    };
    return { spec: { workloadIdentity: { clientId: "app", clientSecret: { secretRef } } }, rotate };
  },
};
