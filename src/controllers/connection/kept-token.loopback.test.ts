import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { CLIENT, emulatorWithApps, someTokens } from "../../../test/support/emulator/oauth.ts";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { CredentialError } from "../../api/credentials/credentials.ts";
import { OAuthRefresh } from "../../api/credentials/oauth-refresh.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { KEPT_TYPE, KeptToken, keptPlace, type RefreshTokens } from "./kept-token.ts";
import type { ConnectionView } from "./view.ts";

/** Refresh tokens through the ends of processes, between the emulator, which rotates them, and an apiserver that keeps the Secret. */

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;
const place = { namespace: "ns", name: "baas-operator-connection-default" };
const owner: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Connection",
  metadata: { name: "default", namespace: "ns", uid: "uid-of-connection", resourceVersion: "1" },
};

let kept: Keeping;
let under: EmulatorUnderTest;

beforeEach(async () => {
  kept = await startKeeping();
  under = await emulatorWithApps();
});

afterEach(async () => {
  await kept[Symbol.asyncDispose]();
  await under[Symbol.asyncDispose]();
});

async function consent(): Promise<string> {
  return (await someTokens(under)).refresh_token;
}

function tokenOf(seed: string, process = "one"): KeptToken {
  return new KeptToken({ kube: kept.kube, place, owner, seed, process });
}

/** The credential of a process. @param changed what this one does otherwise */
function processOf(name: string, seed: string, changed: (own: KeptToken) => Partial<RefreshTokens> = () => ({})) {
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
}

/** `works`, or why not. */
async function outcome(credentials: OAuthRefresh): Promise<string> {
  try {
    await credentials.token(never);
    return "works";
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error;
    return `${error.fault}${error.answerLost ? ", lost" : ""}`;
  }
}

function data(): Readonly<Record<string, string>> {
  const values: unknown = kept.server.get("secrets", place.namespace, place.name)?.["data"];
  const entries = typeof values === "object" && values !== null ? Object.entries(values) : [];
  return Object.fromEntries(
    entries.map(([key, value]) => [key, Buffer.from(String(value), "base64").toString("utf8")]),
  );
}

/** Work that begins and is never heard of again: the process ended in it. */
function endingIn<A extends readonly unknown[], R>(
  reached: PromiseWithResolvers<void>,
  work: (...args: A) => Promise<R>,
) {
  return async (...args: A): Promise<R> => {
    await work(...args);
    reached.resolve();
    return new Promise<never>(() => undefined);
  };
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

interface Ending {
  readonly when: string;
  /** what the process does last */
  readonly last: (own: KeptToken, reached: PromiseWithResolvers<void>) => Partial<RefreshTokens>;
  readonly next: string;
}

const endings: readonly Ending[] = [
  {
    when: "before it records that it will use the token",
    last: (_own, reached) => ({ begin: endingIn(reached, async () => false) }),
    next: "works",
  },
  {
    when: "after that, before it sends",
    last: (own, reached) => ({ begin: endingIn(reached, own.begin) }),
    next: "works",
  },
  {
    when: "after the platform replaced the token, before that is stored",
    last: (_own, reached) => ({ store: endingIn(reached, nothing) as () => Promise<void> }),
    next: "refused, lost",
  },
  {
    when: "after it stored the new one, before it uses what came with it",
    last: (own, reached) => ({ store: endingIn(reached, own.store) }),
    next: "works",
  },
];

describe("a process that ends", () => {
  for (const rotated of [false, true]) {
    it.each(endings)(
      `$when leaves one that $next${rotated ? ", with a kept token too" : ""}`,
      async ({ last, next }) => {
        const seed = await consent();
        expect(rotated ? await outcome(processOf("zero", seed)) : "works").toBe("works");
        under.clock.advance(HOUR_MS);
        const reached = Promise.withResolvers<void>();
        void processOf("one", seed, (own) => last(own, reached)).token(never);
        await reached.promise;
        const following = processOf("two", seed);
        expect(await outcome(following)).toBe(next);
        expect(await outcome(processOf("three", seed))).toBe(next);
        expect(await under.control.oauth.grants()).toHaveLength(next === "works" ? 1 : 0);
      },
    );
  }
});

describe("the record of a use", () => {
  it("makes no loss of a process's own: what it sent in vain it sends again", async () => {
    const [one, two] = [tokenOf("seed", "one"), tokenOf("seed", "two")];
    expect([await one.begin("token", never), await one.begin("token", never)]).toEqual([false, false]);
    expect([await two.begin("another", never), await one.begin("another", never)]).toEqual([false, true]);
  });

  it("tells a loss as often as it is asked, whoever it was that lost the answer, and though the answer to the record is lost as well", async () => {
    const [one, two, again] = [tokenOf("seed", "one"), tokenOf("seed", "two"), tokenOf("seed", "two")];
    await one.begin("token", never);
    kept.server.failWrite(0, "lost");
    await expect(two.begin("token", never)).rejects.toThrow();
    expect([await two.begin("token", never), await two.begin("token", never)]).toEqual([true, true]);
    expect([await again.begin("token", never), await again.begin("token", never)]).toEqual([true, true]);
    expect(await again.begin("another", never)).toBe(false);
  });

  it("is one of a credential, not of its process: one that took another's place knows nothing of an answer that was lost", async () => {
    const seed = await consent();
    const lost = Promise.withResolvers<void>();
    void processOf("one", seed, () => ({ store: endingIn(lost, nothing) as () => Promise<void> })).token(never);
    await lost.promise;
    expect(await outcome(processOf("one", seed))).toBe("refused, lost");
    expect(await outcome(processOf("one", seed))).toBe("refused, lost");
  });
});

describe("a write that fails", () => {
  it.each([
    { why: "the record of the use is refused", skip: 0, kind: "refused", exchanges: 1 },
    { why: "the answer to the record is lost", skip: 0, kind: "lost", exchanges: 1 },
    { why: "the storing is refused", skip: 1, kind: "refused", exchanges: 1 },
    { why: "the answer to the storing is lost", skip: 1, kind: "lost", exchanges: 1 },
  ] as const)("loses nothing and spends nothing twice: $why", async ({ skip, kind, exchanges }) => {
    const seed = await consent();
    await under.control.log.clear();
    kept.server.failWrite(skip, kind);
    const credentials = processOf("one", seed);
    expect(await outcome(credentials)).toBe("unstored");
    expect(await outcome(credentials)).toBe("works");
    const { entries } = await under.control.log.read({ operation: "oauth.token" });
    expect(entries).toHaveLength(exchanges);
    expect(await outcome(processOf("two", seed))).toBe("works");
  });
});

describe("the user's refresh token", () => {
  it("is used once, and any that was used before is known, whichever the user's Secret holds", async () => {
    const [first, second] = [await consent(), await consent()];
    for (const seed of [first, second, first, second, first]) {
      under.clock.advance(HOUR_MS);
      expect(await outcome(processOf("one", seed))).toBe("works");
    }
    expect(await under.control.oauth.grants()).toHaveLength(2);
    const secret = await tokenOf(first).secret(never);
    expect(tokenOf(first).originIn(secret)).toBe(tokenOf(second).originIn(secret));
    expect(tokenOf("another").originIn(secret)).not.toBe(tokenOf(second).originIn(secret));
    expect(JSON.stringify(data())).not.toContain(first);
  });

  it("that is no good takes the place of none: put back, the one before it goes on", async () => {
    const seed = await consent();
    expect(await outcome(processOf("one", seed))).toBe("works");
    under.clock.advance(HOUR_MS);
    expect(await outcome(processOf("one", "pasted-wrongly"))).toBe("refused");
    expect(await outcome(processOf("one", seed))).toBe("works");
  });

  it("that the platform refuses leaves no record that would call it lost later", async () => {
    expect(await outcome(processOf("one", "revoked"))).toBe("refused");
    expect(await outcome(processOf("two", "revoked"))).toBe("refused");
  });
});

describe("the operator's own Secret", () => {
  it("belongs to the connection and holds what the next process needs, and no record at rest", async () => {
    expect(await outcome(processOf("one", await consent()))).toBe("works");
    expect(kept.server.get("secrets", place.namespace, place.name)).toMatchObject({
      type: KEPT_TYPE,
      metadata: { ownerReferences: [{ kind: "Connection", name: "default", uid: "uid-of-connection" }] },
    });
    expect(Object.keys(data()).toSorted()).toEqual(["refresh-token", "seeds"]);
  });

  it.each([
    { why: "of another connection of that name", type: KEPT_TYPE, uid: "uid-of-another" },
    { why: "of the user's own", type: "Opaque", uid: "uid-of-connection" },
  ])("is never read or written where it is one $why", async ({ type, uid }) => {
    const ownerReferences = [{ apiVersion: owner.apiVersion, kind: "Connection", name: "default", uid }];
    kept.server.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      type,
      metadata: { ...place, ownerReferences },
      data: {},
    });
    await expect(tokenOf("seed").secret(never)).rejects.toMatchObject({ reason: "SecretNotOwned" });
    expect(await outcome(processOf("one", await consent()))).toBe("unstored");
    expect(data()).toEqual({});
  });

  it("is put back as it was by the process that knows it", async () => {
    const own = tokenOf(await consent());
    await own.restore(never);
    expect(data()).toEqual({});
    await own.store("rotated", never);
    const before = data();
    kept.server.delete("secrets", place.namespace, place.name);
    await own.restore(never);
    expect(data()).toEqual(before);
  });

  it("is not put back over one that is there: what lies there is newer", async () => {
    const own = tokenOf("seed");
    await own.store("one", never);
    await tokenOf("seed").store("two", never);
    await own.restore(never);
    expect(data()["refresh-token"]).toBe("two");
  });

  it("is put back as it was stored last, whatever an older look has read", async () => {
    const own = tokenOf("seed");
    await own.store("one", never);
    const read = await own.secret(never);
    await own.store("two", never);
    if (read !== undefined) own.take(read);
    kept.server.delete("secrets", place.namespace, place.name);
    await own.restore(never);
    expect(data()["refresh-token"]).toBe("two");
  });

  it("is made again with all that it held by whatever writes first after it was deleted", async () => {
    const own = tokenOf("seed");
    await own.store("rotated", never);
    const { seeds } = data();
    kept.server.delete("secrets", place.namespace, place.name);
    expect(await own.begin("rotated", never)).toBe(false);
    expect(data()).toEqual({ "refresh-token": "rotated", seeds, exchange: expect.stringMatching(/^one\/\S+ \S+$/u) });
  });

  it("forgets no seed of before, also where it is made again for another one", async () => {
    await tokenOf("first").store("of-first", never);
    const second = tokenOf("second");
    expect(await second.refreshToken(never)).toBe("second");
    kept.server.delete("secrets", place.namespace, place.name);
    await second.begin("second", never);
    await second.store("of-second", never);
    expect(await tokenOf("first").refreshToken(never)).toBe("of-second");
  });
});

describe("the name of the Secret", () => {
  const nameOf = (kind: ConnectionView["kind"], name: string): string => {
    const view = { kind, name, namespace: kind === "Connection" ? "ns" : undefined };
    return keptPlace(view, "baas-system").name;
  };

  it("is another one for every connection, and never too long", () => {
    const long = "n".repeat(250);
    const names = [
      nameOf("Connection", "default"),
      nameOf("ClusterConnection", "default"),
      nameOf("Connection", `${long}a`),
      nameOf("Connection", `${long}b`),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...names.map(({ length }) => length))).toBe(253);
  });
});
