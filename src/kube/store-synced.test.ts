import { expect, it } from "vitest";
import { widget, widgetType } from "../../test/support/kube-server/widgets.ts";
import { Store } from "./store.ts";

it("tells handlers once that it is in sync, after they were told of all that its sources have listed", () => {
  const store = new Store({ type: widgetType });
  const [one, other] = [store.source("one"), store.source("other")];
  const told: string[] = [];
  store.addHandler({
    added: ({ metadata }) => void told.push(metadata.name),
    updated: () => undefined,
    deleted: () => undefined,
    synced: () => void told.push("in sync"),
  });
  one.replace([widget("a", 1)], "1");
  other.replace([], "1");
  one.replace([widget("a", 1), widget("b", 2)], "2");
  expect(told).toEqual(["a", "in sync", "b"]);
});

it("tells whoever comes after a handler that throws", () => {
  const store = new Store({ type: widgetType });
  const nothing = (): void => undefined;
  const told: string[] = [];
  const fails = (): void => {
    throw new Error("it fails");
  };
  store.addHandler({ added: nothing, updated: nothing, deleted: nothing, synced: fails });
  store.addHandler({ added: nothing, updated: nothing, deleted: nothing, synced: () => void told.push("in sync") });
  store.source().replace([], "1");
  expect(told).toEqual(["in sync"]);
});
