import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { eventually } from "../../../test/support/stage/eventually.ts";
import { type ApiClient, createClient } from "../../api/client.ts";
import { PersonalToken } from "../../api/credentials/personal-token.ts";
import { finalizers } from "../../resources/annotations.ts";

/**
 * engine.md §4, one owner per remote thing: two connections of different accounts reach one project that no object manages, and an object of each asks for
 * the same function, or the same secret, before either is there. Each account has lists of its own, which tell nothing of what the other just wrote.
 */

const REF = "unmanagedprojectrefx";
const { signal } = new AbortController();
const READ = { lane: "change", signal } as const;

let theatre: Theatre;
let life: Life;
let other: ApiClient;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  const { control, url } = theatre.emulator;
  await control.state.seed({ projects: [{ ref: REF, name: "unmanaged", organization: "acme" }] });
  await control.tokens.add({ token: "other", user: "other" });
  await control.organizations.patch({ slug: "acme", members: { other: "Owner" } });
  life = await theatre.life();
  other = createClient({ baseUrl: url, credentials: new PersonalToken("other"), clock: theatre.clock });
  const first = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
  if (first === undefined) throw new Error("the connection is not open");
  const { userId: account } = await other.identity();
  if (account === first.account) throw new Error("both tokens are one account's");
  const id = `Connection/${NAMESPACE}/other`;
  life.environment.sessions.set({ ...first, id, name: "other", client: other, account });
  const spec = { baseUrl: "http://127.0.0.1", token: { secretRef: { name: "token" } } };
  theatre.kubernetes.put("connections", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Connection",
    metadata: { name: "other", namespace: NAMESPACE, finalizers: [finalizers.connectionInUse] },
    spec,
  });
  for (const owner of ["mine", "theirs"]) {
    const metadata = { name: owner, namespace: NAMESPACE };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { BOTH: owner } });
  }
});

afterEach(async () => {
  await other.close();
  await theatre[Symbol.asyncDispose]();
});

function put(kind: string, plural: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

/** The object of each account: what each of them would set is told from the other's. */
const owners = [
  { name: "mine", connectionRef: { name: "default" } },
  { name: "theirs", connectionRef: { name: "other" } },
] as const;

function putBoth(kind: "EdgeFunction" | "Secret"): void {
  for (const { name, connectionRef } of owners) {
    const place = { projectRef: { ref: REF }, connectionRef };
    const source = { inline: { files: { "index.ts": `// ${name}` } } };
    if (kind === "Secret") put(kind, "secrets", name, { ...place, from: [{ secretRef: { name } }] });
    else put(kind, "edgefunctions", name, { ...place, slug: "both", source });
  }
}

/** What there is, by digest, with the version of each function. */
async function there(): Promise<object> {
  const { projects } = await theatre.emulator.control.state.read({});
  const own = projects.find(({ ref }) => ref === REF);
  return {
    functions: own?.functions.map(({ slug, version, files }) => [slug, version, files[0]?.sha256]),
    secrets: own?.secrets.filter(({ platform }) => !platform).map(({ name, digest }) => [name, digest]),
  };
}

/** The first one has it, the other one says so, writes nothing, and goes without touching it. */
async function expectOneOwner(kind: "EdgeFunction" | "Secret", plural: string): Promise<void> {
  expect(await life.settle(kind, "mine")).toMatchObject({ kind: "done" });
  const before = await there();
  expect(await life.settle(kind, "theirs")).toMatchObject({ kind: "terminal", reason: "Conflict" });
  expect(await life.settle(kind, "mine")).toMatchObject({ kind: "done" });
  await theatre.pass(600_000);
  expect(await life.run(kind, "mine", "drift")).toMatchObject({ kind: "done" });
  expect(await there()).toEqual(before);
  theatre.kubernetes.delete(plural, NAMESPACE, "theirs", theatre.clock.now());
  await life.settle(kind, "theirs");
  expect(theatre.kubernetes.get(plural, NAMESPACE, "theirs")).toBeUndefined();
  expect(await there()).toEqual(before);
}

describe("objects of two accounts that ask for one thing at the same time", () => {
  it("are one owner of a secret and one that says Conflict, where both had seen that it is not there", async () => {
    putBoth("Secret");
    expect(await life.environment.snapshots.of(other, REF).secrets.get(0, READ)).not.toContainEqual(
      expect.objectContaining({ name: "BOTH" }),
    );
    await expectOneOwner("Secret", "secrets");
  });

  it("are one owner of a function and one that says Conflict, where both came for their turn", async () => {
    const { control } = theatre.emulator;
    await control.faults.add({ operation: "functions.list", fault: { kind: "delay", ms: 5000 } });
    putBoth("EdgeFunction");
    const first = life.run("EdgeFunction", "mine");
    await eventually("the first one looks, in its turn", async () => {
      const { entries } = await control.log.read({ operation: "functions.list" });
      return entries.length > 0 ? true : undefined;
    });
    expect(await life.run("EdgeFunction", "theirs")).toMatchObject({ kind: "waiting" });
    expect(await life.environment.snapshots.of(other, REF).functions.get(0, READ)).toEqual([]);
    await theatre.pass(5000);
    await first;
    await expectOneOwner("EdgeFunction", "edgefunctions");
  });

  it.each([
    {
      meets: false,
      what: "what somebody has on another platform, which gives what refs it likes",
      on: { server: "https://far.example.com" },
    },
    { meets: true, what: "what a record without a platform may have here", on: {} },
  ])("meet: $meets, $what", async ({ meets, on }) => {
    putBoth("EdgeFunction");
    const kind = "EdgeFunction";
    const uid = "elsewhere";
    const connection = { kind: "Connection", name: "far", identity: "somebody", ...on };
    const status = { observedGeneration: 0, conditions: [], ref: REF, slug: "both", recordedFor: uid, connection };
    theatre.kubernetes.put("edgefunctions", {
      apiVersion: "baas.dev/v1alpha1",
      kind,
      metadata: { name: "far", namespace: NAMESPACE, uid, creationTimestamp: "2026-01-01T00:00:00Z" },
      spec: {
        projectRef: { ref: REF },
        connectionRef: { name: "far" },
        slug: "both",
        source: { inline: { files: { "index.ts": "" } } },
      },
      status,
    });
    const end = meets ? { kind: "terminal", reason: "Conflict" } : { kind: "done" };
    expect(await life.settle(kind, "mine")).toMatchObject(end);
  });
});
