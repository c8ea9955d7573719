import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { classify } from "../../runtime/outcome.ts";
import type { Environment } from "../environment.ts";
import { sessionFor } from "./connection-lookup.ts";

const ID = "Connection/ns/default";

function environmentWith(): Environment {
  const metadata = { name: "default", namespace: "ns", uid: "uid", resourceVersion: "1" };
  const spec = { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } };
  const connection = { apiVersion: "baas.dev/v1alpha1", kind: "Connection", metadata, spec };
  return testEnvironment({ clock: new ManualClock(), stores: storesWith([connection]) });
}

/** How a run ends that asks for the connection. */
function ask(environment: Environment): string {
  try {
    return `has ${sessionFor(environment, { namespace: "ns" }).id}`;
  } catch (error) {
    const outcome = classify(error);
    return "reason" in outcome ? `${outcome.kind} ${outcome.reason}` : outcome.kind;
  }
}

describe("the connection of an object, as a process finds it", () => {
  it("says nothing of the object before it was tried, so that a start makes nothing that was Ready look otherwise", () => {
    expect(ask(environmentWith())).toBe("aborted");
  });

  it("is waited for once it was tried in vain", () => {
    const environment = environmentWith();
    environment.sessions.noteTried(ID);
    expect(ask(environment)).toBe("waiting ConnectionNotReady");
  });

  it("is there once it was opened", () => {
    const environment = environmentWith();
    environment.sessions.set(connectionOf("ns"));
    expect(ask(environment)).toBe(`has ${ID}`);
  });
});
