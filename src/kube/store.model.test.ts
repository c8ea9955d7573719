import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../resources/meta.ts";
import { widget, widgetType } from "../../test/support/kube-server/widgets.ts";
import { Store } from "./store.ts";
import type { StoreSource } from "./store-source.ts";

const names = ["a", "b", "c"] as const;
/** Near a power of ten, where comparing as text would go wrong. */
const FIRST_VERSION = 95;

/** An apiserver as far as one kind goes: a history in which every write has the next version. */
class ModelServer {
  readonly objects = new Map<string, KubeObject>();
  readonly history: { readonly type: "upsert" | "remove"; readonly object: KubeObject }[] = [];
  #uids = 0;

  get version(): number {
    return FIRST_VERSION + this.history.length;
  }

  /** Creates the object or changes it; answers as the apiserver does. */
  write(name: string): KubeObject {
    const current = this.objects.get(name);
    const uid = current?.metadata.uid ?? `uid-${++this.#uids}`;
    const object = widget(name, this.version + 1, { uid });
    this.objects.set(name, object);
    this.history.push({ type: "upsert", object });
    return object;
  }

  /** Answers with the object as it was, at the version of its deletion. */
  remove(name: string): KubeObject | undefined {
    const current = this.objects.get(name);
    if (current === undefined) return undefined;
    const object = widget(name, this.version + 1, { uid: current.metadata.uid });
    this.objects.delete(name);
    this.history.push({ type: "remove", object });
    return object;
  }
}

type Answer = { readonly type: "put" | "deleted"; readonly object: KubeObject };

/** What a process does with a store: one list and watch, and writes whose answers come whenever they like. */
class ModelClient {
  readonly store = new Store({ type: widgetType });
  readonly #server: ModelServer;
  readonly #source: StoreSource = this.store.source();
  readonly #answers: Answer[] = [];
  /** Taken, but not arrived; no watch runs meanwhile. */
  #list: { readonly objects: readonly KubeObject[]; readonly version: number } | undefined;
  #position = FIRST_VERSION;
  /** What handlers were told, put together. */
  readonly told = new Map<string, KubeObject>();
  readonly violations: string[] = [];
  /** Objects that we deleted and know to be gone. */
  readonly #gone = new Set<string>();
  /** The newest version that was ever shown, by name. */
  readonly #newest = new Map<string, number>();

  constructor(server: ModelServer) {
    this.#server = server;
    // A store keeps what handlers throw to itself, so what is wrong is noted.
    this.store.addHandler({
      added: (object) => this.#tell(undefined, object),
      updated: (previous, object) => this.#tell(previous, object),
      deleted: ({ metadata }) => {
        if (!this.told.delete(metadata.name)) this.violations.push(`${metadata.name} was deleted twice`);
      },
    });
    this.#source.replace([], String(FIRST_VERSION));
  }

  write(name: string): void {
    this.#answers.push({ type: "put", object: this.#server.write(name) });
  }

  remove(name: string): void {
    const object = this.#server.remove(name);
    if (object !== undefined) this.#answers.push({ type: "deleted", object });
  }

  /** One answer arrives, not always the oldest. */
  answer(choice: number): void {
    const [answer] = this.#answers.splice(choice % Math.max(1, this.#answers.length), 1);
    if (answer === undefined) return;
    const { name, uid } = answer.object.metadata;
    if (answer.type === "put") {
      this.store.put(answer.object);
      this.#checkOwnWrite(answer.object);
    } else {
      this.store.noteDeleted("ns", name, uid);
      this.#gone.add(uid);
    }
  }

  beginList(): void {
    this.#list ??= { objects: [...this.#server.objects.values()], version: this.#server.version };
  }

  endList(): void {
    if (this.#list === undefined) return;
    this.#source.replace(this.#list.objects, String(this.#list.version));
    this.#position = this.#list.version;
    this.#list = undefined;
  }

  watch(): void {
    const event = this.#list === undefined ? this.#server.history[this.#position - FIRST_VERSION] : undefined;
    if (event === undefined) return;
    this.#source[event.type](event.object);
    this.#position++;
  }

  bookmark(): void {
    const caughtUp = this.#list === undefined && this.#position === this.#server.version;
    if (caughtUp) this.#source.advance(String(this.#position));
  }

  /** Everything that is under way arrives. */
  settle(): void {
    this.endList();
    while (this.#position < this.#server.version) this.watch();
    while (this.#answers.length > 0) this.answer(0);
  }

  /** No name ever shows an older version than before, and nothing that we deleted comes back. */
  checkMonotonic(): void {
    for (const object of this.store.list()) {
      assert(!this.#gone.has(object.metadata.uid), "an own deletion was undone");
      const version = Number(object.metadata.resourceVersion);
      assert(version >= (this.#newest.get(object.metadata.name) ?? 0), "an older version came back");
      this.#newest.set(object.metadata.name, version);
    }
  }

  #tell(previous: KubeObject | undefined, object: KubeObject): void {
    const { name, resourceVersion } = object.metadata;
    if (this.told.get(name) !== previous) this.violations.push(`${name}@${resourceVersion} does not follow`);
    this.told.set(name, object);
  }

  #checkOwnWrite(written: KubeObject): void {
    const { name, resourceVersion, uid } = written.metadata;
    const shown = this.store.get("ns", name);
    const deletedSince = this.#server.history.some(
      ({ type, object }) => type === "remove" && object.metadata.uid === uid,
    );
    const newest = shown === undefined ? -1 : Number(shown.metadata.resourceVersion);
    assert(shown === undefined ? deletedSince : newest >= Number(resourceVersion), "an own write does not show");
  }
}

const step = fc.oneof(
  fc.record({
    do: fc.constantFrom("write", "remove", "foreignWrite", "foreignRemove"),
    name: fc.constantFrom(...names),
  }),
  fc.record({ do: fc.constantFrom("beginList", "endList", "watch", "watch", "bookmark") }),
  fc.record({ do: fc.constant("answer"), choice: fc.nat(5) }),
);

function take(client: ModelClient, server: ModelServer, taken: { do: string; name?: string; choice?: number }): void {
  const { name = "a", choice = 0 } = taken;
  switch (taken.do) {
    case "write":
      return client.write(name);
    case "remove":
      return client.remove(name);
    case "foreignWrite":
      return void server.write(name);
    case "foreignRemove":
      return void server.remove(name);
    case "beginList":
      return client.beginList();
    case "endList":
      return client.endList();
    case "bookmark":
      return client.bookmark();
    case "answer":
      return client.answer(choice);
    default:
      return client.watch();
  }
}

describe("a store, after any sequence of lists, events, own writes and their late answers", () => {
  it("equals the server once everything has arrived, never went back, and told its handlers the same", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const server = new ModelServer();
        const client = new ModelClient(server);
        for (const taken of steps) {
          take(client, server, taken);
          client.checkMonotonic();
        }
        client.settle();
        client.checkMonotonic();
        const shown = new Map(client.store.list().map((object) => [object.metadata.name, object]));
        expect(shown).toEqual(server.objects);
        expect(client.told).toEqual(server.objects);
        expect(client.violations).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
