import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { Clients, tokenOf } from "./credential.ts";
import type { ConnectionView } from "./view.ts";

const view: ConnectionView = {
  id: "Connection/ns/default",
  kind: "Connection",
  name: "default",
  namespace: "ns",
  baseUrl: "https://api.example.com",
  secret: { namespace: "ns", name: "token", key: "pat" },
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

describe("the token of a connection", () => {
  it.each([
    { why: "as it is", text: "abc", token: "abc" },
    { why: "without what an editor or echo puts around it", text: "  abc\n", token: "abc" },
  ])("is read $why", ({ text, token }) => {
    expect(tokenOf(secret({ pat: text }), view)).toBe(token);
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
    expect(() => tokenOf(found, view)).toThrow(names);
    expect(() => tokenOf(found, view)).not.toThrow(/abc/u);
  });
});

/** Clients, with what each was made from and whether it was closed. */
function recorded() {
  const made: { readonly from: string; closed: boolean }[] = [];
  const clients = new Clients(({ baseUrl, token }) => {
    const entry = { from: `${baseUrl} ${token}`, closed: false };
    made.push(entry);
    const { client } = connectionOf("ns");
    return {
      ...client,
      close: async () => {
        entry.closed = true;
        await client.close();
      },
    };
  });
  return { clients, made };
}

const nothing = (): void => undefined;

describe("the client of a connection", () => {
  it("is the same one while URL and token are, whatever else changes", async () => {
    const { clients, made } = recorded();
    const first = clients.of(view, "one", nothing);
    expect(clients.of({ ...view, reservedSecretPrefix: "OTHER_" }, "one", nothing)).toBe(first);
    expect(made).toEqual([{ from: "https://api.example.com one", closed: false }]);
    await clients.close();
  });

  it.each([
    { why: "another token", next: view, token: "two" },
    { why: "another URL", next: { ...view, baseUrl: "https://other.example.com" }, token: "one" },
  ])("is another one with $why, and the former is closed", async ({ next, token }) => {
    const { clients, made } = recorded();
    clients.of(view, "one", nothing);
    clients.of(next, token, nothing);
    expect(made.map(({ closed }) => closed)).toEqual([true, false]);
    await clients.close();
    expect(made.map(({ closed }) => closed)).toEqual([true, true]);
  });

  it("is never shared by two connections, and each is let go alone", async () => {
    const { clients, made } = recorded();
    clients.of(view, "one", nothing);
    clients.of({ ...view, id: "Connection/ns/other" }, "one", nothing);
    clients.forget(view.id);
    expect(made.map(({ closed }) => closed)).toEqual([true, false]);
    await clients.close();
  });
});
