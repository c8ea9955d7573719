import { describe, expect, it } from "vitest";
import { connectionOf } from "../../test/support/controllers/connection.ts";
import { conflict, rival as object } from "../../test/support/controllers/rival.ts";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { StoreSource } from "../kube/store-source.ts";
import { finalizers } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import { keyToString } from "../runtime/key.ts";
import { storeOf } from "./watched-stores.ts";
import { wire } from "./wiring.ts";

/** Who lost a name or ref to another object has its turn once that lets go of it, not ten minutes later (ADR 4). */

const REF = "abcdefghijklmnopqrst";

type Sessions = ReturnType<typeof testEnvironment>["sessions"];

function told(reason: string, { status, ...rest }: KubeObject): KubeObject {
  return { ...rest, status: { ...(status as object), conditions: [{ ...conflict, reason }] } };
}

/** Its first run has not come to its end, and perhaps recorded what it asked for. */
function unsaid({ status, ...rest }: KubeObject): KubeObject {
  return { ...rest, status: { ...(status as object), conditions: [] } };
}

/** What it says is of before the edit, but for what is recorded before a request. */
function edited(before: KubeObject): KubeObject {
  const { status, metadata, ...rest } = told("QuotaExceeded", before);
  return {
    ...rest,
    metadata: { ...metadata, generation: 2 },
    status: { ...(status as object), observedGeneration: 2 },
  };
}

const acme = { organization: "acme" };
const intent = { name: "acme/shop", uid: "owner", fingerprint: "f", time: "2026-01-01T00:00:00Z" };
const inShop = { projectRef: { name: "shop" } };
const loser = object("Project", "loser", { ...acme, name: "shop" });
const adopter = object("Project", "loser", { ...acme, ref: REF });
const branch = object("Branch", "loser", { ...inShop, name: "preview" });

it.each([
  { what: "is renamed", of: loser, before: [{ ...acme, name: "shop" }], now: [acme] },
  { what: "names another ref", of: adopter, before: [{ ...acme, ref: REF }], now: [acme] },
  {
    what: "goes over to another connection",
    of: adopter,
    before: [{ ...acme, ref: REF }],
    now: [{ ...acme, ref: REF, connectionRef: { kind: "Connection", name: "far" } }],
  },
  {
    what: "is renamed while the first run of another one is under way",
    of: unsaid(loser),
    before: [{ ...acme, name: "shop" }],
    now: [acme],
  },
  {
    what: "is renamed while an edit of another one is looked at",
    of: edited(loser),
    before: [{ ...acme, name: "shop" }],
    now: [acme],
  },
  { what: "has its answer", of: told("ConfirmingAbsence", loser), before: [acme, { intent }], now: [acme] },
  { what: "has its answer, by a name that is not free", of: loser, before: [acme, { intent }], now: [acme], wakes: 0 },
  {
    what: "lets go of a name that the platform refused as well",
    of: told("QuotaExceeded", loser),
    before: [{ ...acme, name: "shop" }],
    now: [acme],
    wakes: 0,
  },
  {
    what: "lets go of the name in the same project",
    of: object("Branch", "loser", { projectRef: { ref: REF }, name: "preview" }),
    before: [{ projectRef: { ref: REF }, name: "preview" }],
    now: [{ projectRef: { ref: REF } }],
  },
  {
    what: "lets go of the name in another project",
    of: object("Branch", "loser", { projectRef: { ref: REF }, name: "preview" }),
    before: [{ projectRef: { ref: "tsrqponmlkjihgfedcba" }, name: "preview" }],
    now: [{ projectRef: { ref: "tsrqponmlkjihgfedcba" } }],
    wakes: 0,
  },
  {
    what: "has another project",
    of: adopter,
    before: [acme, { ref: REF, recordedFor: "owner" }],
    now: [acme, { ref: "tsrqponmlkjihgfedcba", recordedFor: "owner" }],
  },
  {
    what: "has another branch",
    of: branch,
    before: [inShop, { name: "preview", recordedFor: "owner", parentRef: REF }],
    now: [inShop, { name: "owner", recordedFor: "owner", parentRef: REF }],
  },
  {
    what: "stays as it is",
    of: loser,
    before: [{ ...acme, name: "shop" }],
    now: [{ ...acme, name: "shop" }],
    wakes: 0,
  },
  {
    what: "is recorded as well",
    of: adopter,
    before: [{ ...acme, ref: REF }],
    now: [{ ...acme, ref: REF }, { ref: REF }],
    wakes: 0,
  },
])("an object that $what wakes who lost to it", ({ of, before, now, wakes = 1 }) => {
  const { kind } = of;
  const owner = ([spec = {}, status]: readonly object[], version: number): KubeObject => {
    const made = object(kind, "owner", spec, status);
    return { ...made, metadata: { ...made.metadata, resourceVersion: `${version}`, generation: version } };
  };
  const asked: string[] = [];
  const stores = storesWith([of, owner(before, 1)]);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key) => void asked.push(keyToString(key)),
  });
  wire(environment, stores);
  asked.length = 0;
  storeOf(stores.ours, kind).source().upsert(owner(now, 2));
  expect(asked.filter((key) => key === keyToString({ kind, namespace: "ns", name: "loser" }))).toHaveLength(wakes);
});

describe("whose name or ref another object holds", () => {
  const session = connectionOf("ns");
  const spec = { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } };
  const connection = object("Connection", session.name, spec);
  const version = (more: object): KubeObject => ({
    ...connection,
    metadata: { ...connection.metadata, resourceVersion: "2", ...more },
  });
  const elsewhere = (object: KubeObject): KubeObject => ({
    ...object,
    metadata: { ...object.metadata, namespace: "elsewhere" },
  });
  const byFar = { connectionRef: { kind: "Connection", name: "far" } };
  const far = object("Project", "loser", { ...acme, ...byFar });
  const near = object("Project", "loser", acme);
  const holder = object("Project", "holder", { ...acme, name: "loser" });
  const asking = object("Project", "holder", acme, { intent: { ...intent, name: "acme/loser", uid: "holder" } });
  const recorded = object("Project", "holder", acme, { ref: REF, recordedFor: "holder" });
  const inHeld = { projectRef: { ref: REF } };
  const shop = object("Project", "shop", acme, { ref: REF, recordedFor: "shop" });
  const source = { inline: { files: { "index.ts": "1" } } };
  const from = { from: [{ secretRef: { name: "values" } }] };

  function wokenBy(of: KubeObject, act: (of: Wired) => void, holds = holder): number {
    const asked: string[] = [];
    const stores = storesWith([connection, shop, of, holds]);
    const environment = testEnvironment({
      clock: new ManualClock(),
      stores,
      onEnqueue: ({ name }) => void asked.push(name),
    });
    wire(environment, stores);
    asked.length = 0;
    act({ environment, connections: storeOf(stores.ours, "Connection").source() });
    return asked.filter((name) => name === "loser").length;
  }

  interface Wired {
    readonly environment: ReturnType<typeof testEnvironment>;
    readonly connections: StoreSource;
  }

  it.each([
    { who: "lost it", of: far },
    { who: "waits for another's request", of: told("ConfirmingAbsence", far), holds: asking },
    { who: "was told that another one has what that merely asks for", of: told("ConfirmingAbsence", far), wakes: 0 },
    { who: "lost it in another namespace", of: elsewhere(far) },
    { who: "has not told yet what it found", of: unsaid(far) },
    { who: "lost another name", of: object("Project", "loser", { ...acme, ...byFar, name: "another" }), wakes: 0 },
    { who: "wants another name", of: unsaid(object("Project", "loser", { ...acme, ...byFar, name: "b" })), wakes: 0 },
    { who: "lost its ref", of: object("Project", "loser", { ...acme, ...byFar, ref: REF }), holds: recorded },
    {
      who: "lost it in the same project",
      of: elsewhere(object("Branch", "loser", inHeld)),
      holds: object("Branch", "holder", { ...inHeld, name: "loser" }),
    },
    {
      who: "lost it by another parent of it",
      of: elsewhere(object("Branch", "loser", inHeld)),
      holds: object("Branch", "holder", { ...inShop, name: "loser" }),
    },
    {
      who: "lost its slug by another parent of it",
      of: elsewhere(object("EdgeFunction", "loser", { ...inHeld, source })),
      holds: object("EdgeFunction", "holder", { ...inShop, slug: "loser", source }),
    },
    {
      who: "lost a secret by another parent of it",
      of: elsewhere(object("Secret", "loser", { ...inHeld, ...from })),
      holds: object("Secret", "holder", { ...inShop, ...from }),
    },
    {
      who: "lost it in another project",
      of: elsewhere(object("Branch", "loser", { projectRef: { ref: "tsrqponmlkjihgfedcba" } })),
      holds: object("Branch", "holder", { ...inHeld, name: "loser" }),
      wakes: 0,
    },
    {
      who: "lost a secret to one beside it",
      of: elsewhere(object("Secret", "loser", { ...inHeld, ...from, ...byFar })),
      holds: object("Secret", "holder", { ...inHeld, ...from }),
    },
    { who: "was refused by the platform", of: told("Rejected", far), wakes: 0 },
    { who: "was refused by it elsewhere", of: elsewhere(told("Rejected", near)), wakes: 0 },
    { who: "cannot be read elsewhere", of: elsewhere({ ...told("Rejected", far), spec: {} }), wakes: 0 },
  ])(
    "and who $who looks when the connection of that comes, is edited, or works no more",
    ({ of, holds, wakes = 1 }) => {
      expect(wokenBy(of, ({ connections }) => connections.upsert(version({ generation: 2 })), holds)).toBe(wakes);
      const ends: readonly ((sessions: Sessions) => void)[] = [
        (sessions) => sessions.drop(session.id),
        (sessions) => sessions.set({ ...session, deletionOnly: true }),
        (sessions) => sessions.set({ ...session, account: "another" }),
        (sessions) => sessions.set({ ...session, allowedRefs: [] }),
      ];
      for (const end of ends) {
        const woken = wokenBy(
          of,
          ({ environment: { sessions } }) => {
            sessions.set(session);
            end(sessions);
          },
          holds,
        );
        expect(woken).toBe(wakes);
      }
      expect(wokenBy(of, ({ connections }) => connections.remove(connection), holds)).toBe(wakes);
      const comes = ({ connections }: Wired): void => {
        connections.remove(connection);
        connections.upsert(connection);
      };
      expect(wokenBy(of, comes, holds)).toBe(2 * wakes);
    },
  );

  it.each([
    { what: "begins to work", before: [] },
    { what: "works again", before: [{ ...session, deletionOnly: true }] },
    { what: "has another token of the same account", before: [{ ...session, client: connectionOf("ns").client }] },
    { what: "sets other policies", before: [{ ...session, defaults: { driftPolicy: "Report" } as const }] },
  ])("is left alone when the connection of that $what: nobody lets go of anything by that", ({ before }) => {
    const holds = object("Branch", "holder", { ...inHeld, name: "loser" });
    const woken = wokenBy(
      elsewhere(object("Branch", "loser", inHeld)),
      ({ environment: { sessions } }) => {
        for (const one of [...before, session]) sessions.set(one);
      },
      holds,
    );
    expect(woken).toBe(0);
  });

  it.each([
    { what: "is in use", more: { finalizers: [finalizers.connectionInUse] } },
    { what: "has a label", more: { labels: { a: "b" } } },
  ])("is left alone when the connection of that $what", ({ more }) => {
    expect(wokenBy(far, ({ connections }) => connections.upsert(version(more)))).toBe(0);
  });
});
