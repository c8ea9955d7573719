import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { Clients, type Credential, type CredentialNews, valueIn } from "./credential.ts";
import type { ConnectionView } from "./view.ts";

const view: ConnectionView = {
  id: "Connection/ns/default",
  kind: "Connection",
  name: "default",
  namespace: "ns",
  baseUrl: "https://api.example.com",
  credential: { kind: "token", token: { namespace: "ns", name: "token", key: "pat" } },
  reservedSecretPrefix: "PLATFORM_",
  defaults: undefined,
  allowedOrganizations: undefined,
  allowedRefs: undefined,
};

function secret(data: Readonly<Record<string, string>>): CoreSecret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "token", namespace: "ns", uid: "uid", resourceVersion: "1" },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)])),
  };
}

function read(found: CoreSecret | undefined): string {
  return valueIn(new Map([["ns/token", found]]), { namespace: "ns", name: "token", key: "pat" }, "the token");
}

describe("a value of a connection's Secret", () => {
  it.each([
    { why: "as it is", text: "abc", token: "abc" },
    { why: "without what an editor or echo puts around it", text: "  abc\n", token: "abc" },
  ])("is read $why", ({ text, token }) => {
    expect(read(secret({ pat: text }))).toBe(token);
  });

  it.each([
    {
      why: "there is no Secret",
      found: undefined,
      names: /no Secret token in namespace ns: create it with the key pat/u,
    },
    { why: "the key is another", found: secret({ token: "abc" }), names: /has no key pat/u },
    { why: "nothing but blanks lies there", found: secret({ pat: " \n" }), names: /has no key pat/u },
  ])("is missing by name and key, and no value is told, where $why", ({ found, names }) => {
    expect(() => read(found)).toThrow(names);
    expect(() => read(found)).not.toThrow(/abc/u);
  });
});

const refreshTokens = {
  refreshToken: () => Promise.resolve("kept"),
  store: () => Promise.resolve(),
  begin: () => Promise.resolve(false),
  refused: () => Promise.resolve(),
};

function token(text: string): Credential {
  return { kind: "token", token: text };
}

function app(parts: Partial<Extract<Credential, { readonly kind: "oauth" }>> = {}): Credential {
  return {
    kind: "oauth",
    clientId: "app",
    clientSecret: "secret",
    origin: "seed",
    owner: "uid",
    refreshTokens,
    ...parts,
  };
}

function workload(clientId: string, clientSecret?: string): Credential {
  return { kind: "workloadIdentity", clientId, clientSecret };
}

interface Made {
  readonly from: string;
  readonly credential: Credential;
  readonly onNews: (news: CredentialNews) => void;
  readonly exchange: PromiseWithResolvers<void>;
  closed: boolean;
  /** ends its attempts to store what came of the exchange */
  storing?: AbortSignal;
}

/** Clients, with what each was made from, whether it was closed, and an exchange of tokens that the test ends. */
function recorded() {
  const made: Made[] = [];
  const clients = new Clients(({ baseUrl, credential, onNews }) => {
    const entry: Made = { from: baseUrl, credential, onNews, exchange: Promise.withResolvers(), closed: false };
    made.push(entry);
    const { client } = connectionOf("ns");
    const close = async (): Promise<void> => {
      entry.closed = true;
      await client.close();
    };
    const idle = (signal: AbortSignal): Promise<void> => {
      entry.storing = signal;
      return entry.exchange.promise;
    };
    return { client: { ...client, close }, idle, missingScopes: () => undefined };
  });
  return { clients, made };
}

const told = { missingScopes: [], onNews: () => undefined, onFormerRefused: () => undefined };
const never = new AbortController().signal;
const aborted = AbortSignal.abort(new Error("time is up"));

describe("the client of a connection", () => {
  it.each([
    { why: "a token", credential: () => token("one") },
    { why: "an app, whose refresh token changes all the time", credential: () => app() },
    { why: "the operator's own identity", credential: () => workload("app") },
  ])("is the same one while URL and credential are, whatever else changes: $why", async ({ credential }) => {
    const { clients, made } = recorded();
    const { client } = clients.of(view, credential(), told);
    expect(clients.of({ ...view, reservedSecretPrefix: "OTHER_" }, credential(), told).client).toBe(client);
    expect(made.map(({ from, closed }) => ({ from, closed }))).toEqual([
      { from: "https://api.example.com", closed: false },
    ]);
    await clients.close();
  });

  it.each([
    { why: "another token", before: token("one"), after: token("two") },
    { why: "another URL", next: { ...view, baseUrl: "https://other.example.com" }, before: app(), after: app() },
    { why: "another app", before: app(), after: app({ clientId: "other" }) },
    { why: "a rotated client secret", before: app(), after: app({ clientSecret: "rotated" }) },
    { why: "a new consent", before: app(), after: app({ origin: "another seed" }) },
    { why: "a connection that was made anew", before: app(), after: app({ owner: "another uid" }) },
    { why: "another kind of the same text", before: workload("app", "secret"), after: app() },
    { why: "a client secret where there was none", before: workload("app"), after: workload("app", "secret") },
  ])(
    "is another one with $why, and the former is closed once that is in use",
    async ({ next = view, before, after }) => {
      const { clients, made } = recorded();
      clients.of(view, before, told);
      clients.noteInUse(view.id);
      const { client } = clients.of(next, after, told);
      expect(made.map(({ closed }) => closed)).toEqual([false, false]);
      expect([clients.isOf(next, after, client), clients.isOf(view, before, client)]).toEqual([true, false]);
      clients.noteInUse(view.id);
      expect(made.map(({ closed }) => closed)).toEqual([true, false]);
      await clients.close();
      expect(made.map(({ closed }) => closed)).toEqual([true, true]);
    },
  );

  const threeMade = ["one", "two", "three"] as const;
  it.each([
    { why: "of the others, only the one in use stays", end: () => undefined, closed: [false, true, false] },
    { why: "no session is left", end: (clients: Clients) => clients.noteUnused(view.id), closed: [true, true, false] },
    { why: "the connection is gone", end: (clients: Clients) => clients.forget(view.id), closed: [true, true, true] },
    {
      why: "it was made anew, and its session is of the former one yet",
      end: (clients: Clients) => void clients.memoryOf(view.id, "anew"),
      closed: [false, true, true],
    },
    { why: "all is closed", end: (clients: Clients) => void clients.close(), closed: [true, true, true] },
  ])("is made anew again and again while none is let in: $why", async ({ end, closed }) => {
    const { clients, made } = recorded();
    clients.memoryOf(view.id, "uid");
    for (const text of threeMade) {
      clients.of(view, token(text), told);
      if (text === "one") clients.noteInUse(view.id);
    }
    end(clients);
    expect(made.map((entry) => entry.closed)).toEqual(closed);
    await clients.close();
  });

  it("sends no refresh token any more once another one was made, which has it", async () => {
    const { clients, made } = recorded();
    clients.of(view, app(), told);
    clients.noteInUse(view.id);
    const former = made[0]?.credential;
    if (former?.kind !== "oauth") throw new RangeError("the first client is the app's");
    expect(await former.refreshTokens.begin("kept", never)).toBe(false);
    clients.of(view, app({ clientSecret: "two" }), told);
    await expect(former.refreshTokens.begin("kept", never)).rejects.toThrow("another client");
    for (const { exchange } of made) exchange.resolve();
    await clients.close();
  });

  it("is heard while it is the session's: a former one of its refusal alone, one that is not let in yet of nothing", async () => {
    const { clients, made } = recorded();
    const heard: string[] = [];
    const listeners = (name: string) => ({
      missingScopes: [],
      onNews: () => void heard.push(`news of ${name}`),
      onFormerRefused: () => void heard.push(`${name} refused`),
    });
    const tell = (...all: readonly CredentialNews[]): readonly string[] => {
      for (const { onNews } of made) for (const news of all) onNews(news);
      return heard.splice(0);
    };
    clients.of(view, token("one"), listeners("one"));
    expect(tell("refused", "scopes")).toEqual([]);
    clients.noteInUse(view.id);
    expect(tell("refused", "scopes")).toEqual(["news of one", "news of one"]);
    clients.of(view, token("two"), listeners("two"));
    expect(tell("refused", "scopes")).toEqual(["one refused"]);
    clients.noteInUse(view.id);
    expect(tell("scopes")).toEqual(["news of two"]);
    clients.noteUnused(view.id);
    expect(tell("refused", "scopes")).toEqual([]);
    await clients.close();
  });

  it("is never shared by two connections, and each is let go alone", async () => {
    const { clients, made } = recorded();
    clients.of(view, token("one"), told);
    clients.of({ ...view, id: "Connection/ns/other" }, token("one"), told);
    clients.forget(view.id);
    expect(made.map(({ closed }) => closed)).toEqual([true, false]);
    await clients.close();
  });

  it("reads no refresh token while a former one's exchange is under way, which would be a second use of the same", async () => {
    const { clients, made } = recorded();
    for (const clientSecret of ["one", "two", "three"]) clients.of(view, app({ clientSecret }), told);
    const last = made[2]?.credential;
    if (last?.kind !== "oauth") throw new RangeError("the third client is the app's");
    const seen: string[] = [];
    const reading = last.refreshTokens.refreshToken(never).then((text) => seen.push(text));
    made[1]?.exchange.resolve();
    await new Promise(setImmediate);
    expect(seen).toEqual([]);
    made[0]?.exchange.resolve();
    await reading;
    expect(seen).toEqual(["kept"]);
    await clients.close();
  });

  it("is waited for at the end, those that were let go included", async () => {
    const { clients, made } = recorded();
    clients.of(view, app(), told);
    clients.forget(view.id);
    clients.of(view, app({ clientSecret: "two" }), told);
    let idle = false;
    const waiting = clients.idle(never).then(() => (idle = true));
    made[1]?.exchange.resolve();
    await new Promise(setImmediate);
    expect(idle).toBe(false);
    made[0]?.exchange.resolve();
    await waiting;
    await clients.close();
  });

  it.each([
    { why: "the next client waits for it", end: () => undefined, givenUp: false },
    { why: "the connection is gone", end: (clients: Clients) => clients.forget(view.id), givenUp: true },
    { why: "it was made anew", end: (clients: Clients) => void clients.memoryOf(view.id, "anew"), givenUp: true },
    { why: "the process waits no longer", end: (clients: Clients) => void clients.idle(aborted), givenUp: true },
    { why: "all is closed", end: (clients: Clients) => void clients.close(), givenUp: true },
  ])("that was let go stores what came of its exchange, or gives up ($givenUp): $why", async ({ end, givenUp }) => {
    const { clients, made } = recorded();
    clients.memoryOf(view.id, "uid");
    clients.of(view, app(), told);
    clients.of(view, app({ clientSecret: "two" }), told);
    end(clients);
    expect(made[0]?.storing?.aborted).toBe(givenUp);
    for (const { exchange } of made) exchange.resolve();
    await clients.close();
  });
});
