import { expect } from "vitest";
import type { EmulatorUnderTest, Received } from "./api.ts";
import { CALLBACK, CLIENT } from "./oauth.ts";

/** A browser whose user answers an app, as tests of the consent page need it. */

export const BROWSER = { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
export const ASKED = { client_id: CLIENT.client_id, response_type: "code", redirect_uri: CALLBACK, state: "st&te" };

export const authorizePath = (query: Readonly<Record<string, string>>) =>
  `/v1/oauth/authorize?${new URLSearchParams(query).toString()}`;

/** What a browser does with the answer: it remembers the cookie and follows. */
export interface Consent {
  readonly path: string;
  readonly cookie: string;
  readonly page: Received;
}

export async function consent(
  { call }: EmulatorUnderTest,
  query: Readonly<Record<string, string>> = {},
  path = authorizePath({ ...ASKED, ...query }),
): Promise<Consent> {
  const sent = await call("GET", path, { headers: BROWSER });
  expect([sent.status, sent.headers["location"]]).toEqual([
    303,
    expect.stringMatching(/^\/oauth\/consent\/[\w-]{32}$/),
  ]);
  const location = sent.headers["location"] ?? "";
  const [cookie = ""] = (sent.headers["set-cookie"] ?? "").split(";", 1);
  return { path: location, cookie, page: await call("GET", location, { token: null, headers: BROWSER }) };
}

/** The answer of the page's form. */
export function answer(
  { call, emulator }: EmulatorUnderTest,
  { path, cookie }: Consent,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  const body = new URLSearchParams(fields);
  return call("POST", path, { token: null, body, headers: { origin: emulator.url, cookie, ...headers } });
}

export const accountsIn = (page: Received) => [...page.text.matchAll(/<option value="([^"]*)">([^<]*)</g)];
export const account = (page: Received, label: string) =>
  accountsIn(page).find(([, , text]) => text === label)?.[1] ?? `no ${label}`;
