import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type KeptTokenBench,
  keptTokenBench,
  outcome,
  owner,
  place,
} from "../../../test/support/controllers/kept-token-bench.ts";
import { KEPT_TYPE, keptName } from "./kept-secret.ts";
import type { KeptToken, RefreshTokens } from "./kept-token.ts";

/** Refresh tokens through the ends of processes, between the emulator, which rotates them, and an apiserver that keeps the Secret. */

const never = new AbortController().signal;
const HOUR_MS = 3_600_000;

let bench: KeptTokenBench;

beforeEach(async () => {
  bench = await keptTokenBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

function data(): Readonly<Record<string, string>> {
  const values: unknown = bench.kept.server.get("secrets", place.namespace, place.name)?.["data"];
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
        const seed = await bench.consent();
        expect(rotated ? await outcome(bench.processOf("zero", seed)) : "works").toBe("works");
        bench.under.clock.advance(HOUR_MS);
        const reached = Promise.withResolvers<void>();
        void bench.processOf("one", seed, (own) => last(own, reached)).token(never);
        await reached.promise;
        const following = bench.processOf("two", seed);
        expect(await outcome(following)).toBe(next);
        expect(await outcome(bench.processOf("three", seed))).toBe(next);
        expect(await bench.under.control.oauth.grants()).toHaveLength(next === "works" ? 1 : 0);
      },
    );
  }
});

describe("the record of a use", () => {
  it("makes no loss of a process's own: what it sent in vain it sends again", async () => {
    const [one, two] = [bench.tokenOf("seed", "one"), bench.tokenOf("seed", "two")];
    expect([await one.begin("token", never), await one.begin("token", never)]).toEqual([false, false]);
    expect([await two.begin("another", never), await one.begin("another", never)]).toEqual([false, true]);
  });

  it("tells a loss as often as it is asked, whoever it was that lost the answer, and though the answer to the record is lost as well", async () => {
    const [one, two, again] = [
      bench.tokenOf("seed", "one"),
      bench.tokenOf("seed", "two"),
      bench.tokenOf("seed", "two"),
    ];
    await one.begin("token", never);
    bench.kept.server.failWrite(0, "lost");
    await expect(two.begin("token", never)).rejects.toThrow("no answer");
    expect([await two.begin("token", never), await two.begin("token", never)]).toEqual([true, true]);
    expect([await again.begin("token", never), await again.begin("token", never)]).toEqual([true, true]);
    expect(await again.begin("another", never)).toBe(false);
  });

  it("is one of a credential, not of its process: one that took another's place knows nothing of an answer that was lost", async () => {
    const seed = await bench.consent();
    const lost = Promise.withResolvers<void>();
    void bench.processOf("one", seed, () => ({ store: endingIn(lost, nothing) as () => Promise<void> })).token(never);
    await lost.promise;
    expect(await outcome(bench.processOf("one", seed))).toBe("refused, lost");
    expect(await outcome(bench.processOf("one", seed))).toBe("refused, lost");
  });
});

describe("a write that fails", () => {
  it.each([
    { why: "the record of the use is refused", skip: 0, kind: "refused", exchanges: 1 },
    { why: "the answer to the record is lost", skip: 0, kind: "lost", exchanges: 1 },
    { why: "the storing is refused", skip: 1, kind: "refused", exchanges: 1 },
    { why: "the answer to the storing is lost", skip: 1, kind: "lost", exchanges: 1 },
  ] as const)("loses nothing and spends nothing twice: $why", async ({ skip, kind, exchanges }) => {
    const seed = await bench.consent();
    await bench.under.control.log.clear();
    bench.kept.server.failWrite(skip, kind);
    const credentials = bench.processOf("one", seed);
    expect(await outcome(credentials)).toBe("unstored");
    expect(await outcome(credentials)).toBe("works");
    const { entries } = await bench.under.control.log.read({ operation: "oauth.token" });
    expect(entries).toHaveLength(exchanges);
    expect(await outcome(bench.processOf("two", seed))).toBe("works");
  });
});

describe("the user's refresh token", () => {
  it("is used once, and any that was used before is known, whichever the user's Secret holds", async () => {
    const [first, second] = [await bench.consent(), await bench.consent()];
    for (const seed of [first, second, first, second, first]) {
      bench.under.clock.advance(HOUR_MS);
      expect(await outcome(bench.processOf("one", seed))).toBe("works");
    }
    expect(await bench.under.control.oauth.grants()).toHaveLength(2);
    const secret = await bench.tokenOf(first).secret(never);
    expect(bench.tokenOf(first).originIn(secret)).toBe(bench.tokenOf(second).originIn(secret));
    expect(bench.tokenOf("another").originIn(secret)).not.toBe(bench.tokenOf(second).originIn(secret));
    expect(JSON.stringify(data())).not.toContain(first);
  });

  it("that is no good takes the place of none: put back, the one before it goes on", async () => {
    const seed = await bench.consent();
    expect(await outcome(bench.processOf("one", seed))).toBe("works");
    bench.under.clock.advance(HOUR_MS);
    expect(await outcome(bench.processOf("one", "pasted-wrongly"))).toBe("refused");
    expect(await outcome(bench.processOf("one", seed))).toBe("works");
  });

  it("that the platform refuses leaves no record that would call it lost later", async () => {
    expect(await outcome(bench.processOf("one", "revoked"))).toBe("refused");
    expect(await outcome(bench.processOf("two", "revoked"))).toBe("refused");
  });
});

describe("the operator's own Secret", () => {
  it("belongs to the connection and holds what the next process needs, and no record at rest", async () => {
    expect(await outcome(bench.processOf("one", await bench.consent()))).toBe("works");
    expect(bench.kept.server.get("secrets", place.namespace, place.name)).toMatchObject({
      type: KEPT_TYPE,
      metadata: { ownerReferences: [{ kind: "Connection", name: "default", uid: "uid-of-connection" }] },
    });
    expect(Object.keys(data()).toSorted()).toEqual(["refresh-token", "seeds"]);
  });

  it.each([
    {
      why: "of the former connection of that name, which waits for the garbage collector",
      type: KEPT_TYPE,
      uid: "uid-of-another",
      says: { message: expect.stringContaining("once the cluster's garbage collector"), recheckAfterMs: 15_000 },
    },
    { why: "of the user's own", type: "Opaque", uid: "uid-of-connection", says: { recheckAfterMs: undefined } },
  ])("is never read or written where it is one $why", async ({ type, uid, says }) => {
    const ownerReferences = [{ apiVersion: owner.apiVersion, kind: "Connection", name: "default", uid }];
    bench.kept.server.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      type,
      metadata: { ...place, ownerReferences },
      data: {},
    });
    await expect(bench.tokenOf("seed").secret(never)).rejects.toMatchObject({ reason: "SecretNotOwned", ...says });
    expect(await outcome(bench.processOf("one", await bench.consent()))).toBe("unstored");
    expect(data()).toEqual({});
  });

  it("is put back as it was by the process that knows it", async () => {
    const own = bench.tokenOf(await bench.consent());
    await own.restore(never);
    expect(data()).toEqual({});
    await own.store("rotated", never);
    const before = data();
    bench.kept.server.delete("secrets", place.namespace, place.name);
    await own.restore(never);
    expect(data()).toEqual(before);
  });

  it("is not put back over one that is there: what lies there is newer", async () => {
    const own = bench.tokenOf("seed");
    await own.store("one", never);
    await bench.tokenOf("seed").store("two", never);
    await own.restore(never);
    expect(data()["refresh-token"]).toBe("two");
  });

  it("is put back as it was stored last, whatever an older look has read", async () => {
    const own = bench.tokenOf("seed");
    await own.store("one", never);
    const read = await own.secret(never);
    await own.store("two", never);
    if (read !== undefined) own.take(read);
    bench.kept.server.delete("secrets", place.namespace, place.name);
    await own.restore(never);
    expect(data()["refresh-token"]).toBe("two");
  });

  it("is made again with all that it held by whatever writes first after it was deleted", async () => {
    const own = bench.tokenOf("seed");
    await own.store("rotated", never);
    const { seeds } = data();
    bench.kept.server.delete("secrets", place.namespace, place.name);
    expect(await own.begin("rotated", never)).toBe(false);
    expect(data()).toEqual({ "refresh-token": "rotated", seeds, exchange: expect.stringMatching(/^one\/\S+ \S+$/u) });
  });

  it("remembers 64 of the user's tokens, none of which is used again, and no more", async () => {
    for (let n = 0; n < 64; n += 1) await bench.tokenOf(`seed-${n}`).store(`of-${n}`, never);
    expect(await bench.tokenOf("seed-0").refreshToken(never)).toBe("of-63");
    await bench.tokenOf("seed-64").store("of-64", never);
    expect(await bench.tokenOf("seed-1").refreshToken(never)).toBe("of-64");
    expect(data()["seeds"]?.split("\n")).toHaveLength(64);
  });

  it("forgets no seed of before, also where it is made again for another one", async () => {
    await bench.tokenOf("first").store("of-first", never);
    const second = bench.tokenOf("second");
    expect(await second.refreshToken(never)).toBe("second");
    bench.kept.server.delete("secrets", place.namespace, place.name);
    await second.begin("second", never);
    await second.store("of-second", never);
    expect(await bench.tokenOf("first").refreshToken(never)).toBe("of-second");
  });
});

describe("the name of the Secret", () => {
  it("is another one for every connection, and never too long", () => {
    const long = "n".repeat(250);
    const names = [
      keptName("Connection", "default"),
      keptName("ClusterConnection", "default"),
      keptName("Connection", `${long}a`),
      keptName("Connection", `${long}b`),
    ];
    expect(new Set(names).size).toBe(names.length);
    expect(Math.max(...names.map(({ length }) => length))).toBe(253);
  });
});
