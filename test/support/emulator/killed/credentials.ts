import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { bodyAs, type Received } from "../api.ts";
import type { Called } from "./process.ts";
import { nextName, type Plan, type Reading, type Writing } from "./writer.ts";
import { SHOP } from "./writings.ts";

/** What clients are told once and hold on to: it has to be good after the end, and what was void by then has to stay so. */

/** An app that has to be there, of an organization of this slug whose member it asks. */
export const APP = { clientId: "deployer", clientSecret: "of-deployer", redirectUris: ["https://app.test/"] } as const;
const CONSENT = { clientId: APP.clientId, user: "owner", organization: "acme" };
const CLIENT = { client_id: APP.clientId, client_secret: APP.clientSecret };
const [REDIRECT_URI] = APP.redirectUris;

const codeSchema = z.object({ code: z.string() });
const tokensSchema = z.looseObject({ access_token: z.string(), refresh_token: z.string() });

/** What was told last, and the one before it, which is used. */
interface Held {
  readonly refresh: string;
  readonly used?: string;
  readonly access: string;
}

/** Statuses by what was asked: of what was told last, of what was used, and of what its second use makes void. */
interface Family extends Reading {
  readonly found?: unknown;
}

/** What is known of tokens goes with each look, which uses them: that nothing is held is right as well. */
const AS_TOLD: Family = {};

/**
 * Codes that are exchanged and refresh tokens that are rotated. To look is to use them: after each end the family is asked for all of its
 * tokens, and another one is begun.
 */
export function tokens(): Writing<Family> {
  let held: Held | undefined;
  /** of another family, of which nothing is under way: what was told of it is known */
  let still: Held | undefined;
  /** what is under way: nobody knows whether it is used */
  let asked: string | undefined;
  const ask = (emulator: Called, fields: Readonly<Record<string, string>>): Promise<Received> =>
    emulator.call("POST", "/v1/oauth/token", new URLSearchParams({ ...CLIENT, ...fields }));
  const refresh = (emulator: Called, token: string): Promise<Received> =>
    ask(emulator, { grant_type: "refresh_token", refresh_token: token });
  const take = (received: Received, used?: string): Received => {
    asked = undefined;
    if (received.status !== 200) return received;
    const { access_token: access, refresh_token: token } = bodyAs(tokensSchema, received);
    held = { refresh: token, access, ...(used === undefined ? {} : { used }) };
    return received;
  };
  return {
    name: "tokens of OAuth",
    start: AS_TOLD,
    read: async (emulator) => {
      const [family, other] = [held, still];
      const isUnsure = asked !== undefined;
      [held, still, asked] = [undefined, undefined, undefined];
      const isVoid = other !== undefined && (await refresh(emulator, other.refresh)).status !== 200;
      if (isVoid) return { found: "a token that was told is void" };
      if (family === undefined) return AS_TOLD;
      const access = (await emulator.call("GET", "/v1/projects", undefined, family.access)).status;
      const last = await refresh(emulator, family.refresh);
      const used = family.used ?? family.refresh;
      const after = [(await refresh(emulator, used)).status];
      if (last.status === 200) {
        const next = bodyAs(tokensSchema, last);
        after.push((await refresh(emulator, next.refresh_token)).status);
        after.push((await emulator.call("GET", "/v1/projects", undefined, next.access_token)).status);
      }
      const good = { access: 200, last: 200, after: [400, 400, 401] };
      const gone = { access: 200, last: 400, after: [400] }; // the rotation that was under way came to be
      const found = { access, last: last.status, after };
      const isRight = isDeepStrictEqual(found, good) || (isUnsure && isDeepStrictEqual(found, gone));
      return isRight ? AS_TOLD : { found };
    },
    plan: async (emulator): Promise<Plan<Family>> => {
      if (held !== undefined && still === undefined && held.used !== undefined) [held, still] = [undefined, held];
      if (held === undefined) {
        const { code } = bodyAs(codeSchema, await emulator.call("POST", "/_emulator/oauth.approve", CONSENT));
        const fields = { grant_type: "authorization_code", code, redirect_uri: REDIRECT_URI };
        return { next: AS_TOLD, send: async () => take(await ask(emulator, fields)) };
      }
      const { refresh: token } = held;
      asked = token;
      return { next: AS_TOLD, send: async () => take(await refresh(emulator, token), token) };
    },
  };
}

interface Keys extends Reading {
  readonly names: readonly string[];
  /** keys that are another than the one that was told */
  readonly changed: readonly string[];
}

const keySchema = z.looseObject({ id: z.string(), name: z.string(), type: z.string(), api_key: z.string() });

/** Secret API keys, each of which is the one that was told when it was made. */
export function apiKeys(): Writing<Keys> {
  const path = `/v1/projects/${SHOP}/api-keys`;
  const told = new Map<string, string>();
  const list = async (emulator: Called) => {
    const keys = bodyAs(z.array(keySchema), await emulator.call("GET", `${path}?reveal=true`));
    return keys.filter(({ name }) => name.startsWith("made_"));
  };
  return {
    name: "API keys",
    start: { names: [], changed: [] },
    read: async (emulator) => {
      const keys = await list(emulator);
      const changed = keys.filter(({ name, api_key }) => (told.get(name) ?? api_key) !== api_key);
      return { names: keys.map(({ name }) => name), changed: changed.map(({ name }) => name) };
    },
    plan: async (emulator, { names }): Promise<Plan<Keys>> => {
      const [oldest] = names;
      if (oldest !== undefined && names.length >= 4) {
        const id = (await list(emulator)).find(({ name }) => name === oldest)?.id ?? "";
        const send = () => emulator.call("DELETE", `${path}/${id}`);
        return { next: { names: names.slice(1), changed: [] }, send };
      }
      const name = nextName("made_");
      const send = async (): Promise<Received> => {
        const made = await emulator.call("POST", `${path}?reveal=true`, { type: "secret", name });
        if (made.status === 201) told.set(name, bodyAs(keySchema, made).api_key);
        return made;
      };
      return { next: { names: [...names, name], changed: [] }, send };
    },
  };
}

const signingKeys = z.object({
  keys: z.array(z.looseObject({ id: z.string(), algorithm: z.string(), status: z.string() })),
});

/** Made, moved to use, which moves the one before it out of use, and revoked. */
export const signing: Writing<{ readonly statuses: readonly string[] }> = {
  name: "signing keys",
  start: { statuses: [] },
  read: async (emulator) => ({ statuses: (await made(emulator)).map(({ status }) => status) }),
  plan: async (emulator, { statuses }) => {
    const path = `/v1/projects/${SHOP}/config/auth/signing-keys`;
    const keys = await made(emulator);
    const move = (index: number, status: string) => () =>
      emulator.call("PATCH", `${path}/${keys[index]?.id ?? ""}`, { status });
    const [last, before] = [statuses.length - 1, statuses.lastIndexOf("previously_used")];
    if (statuses[last] === "standby") {
      const used = statuses.map((status) => (status === "in_use" ? "previously_used" : status));
      return { next: { statuses: used.with(last, "in_use") }, send: move(last, "in_use") };
    }
    if (before !== -1) return { next: { statuses: statuses.with(before, "revoked") }, send: move(before, "revoked") };
    const send = () => emulator.call("POST", path, { algorithm: "ES256" });
    return { next: { statuses: [...statuses, "standby"] }, send };
  },
};

async function made(emulator: Called) {
  const path = `/v1/projects/${SHOP}/config/auth/signing-keys`;
  const { keys } = bodyAs(signingKeys, await emulator.call("GET", path));
  return keys.filter(({ algorithm }) => algorithm === "ES256");
}
