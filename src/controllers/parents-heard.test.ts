import { describe, expect, it } from "vitest";
import {
  CHILDREN,
  IN_SHOP,
  nameOf,
  NEW,
  object,
  OLD,
  READY,
  shop,
  SOURCE,
  version,
  wokenByHistory,
  wokenByVersions,
} from "../../test/support/controllers/woken-in-shop.ts";
import type { KubeObject } from "../resources/meta.ts";

describe("a child that was refused, or waits", () => {
  const refusing = ({ status, ...rest }: KubeObject): KubeObject => {
    const says = { ...READY, reason: "Rejected", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const conditions = [
      { ...says, status: "False" },
      { ...says, type: "Stalled" },
    ];
    return { ...rest, status: { ...(status as object), conditions } };
  };
  const up = { ...shop(OLD), status: { ...(shop(OLD)["status"] as object), state: "ACTIVE_HEALTHY" } };
  const unready = (object: KubeObject): KubeObject => {
    const conditions = [{ ...READY, status: "Unknown", lastTransitionTime: "2026-01-01T00:00:00Z" }];
    return { ...object, status: { ...(object["status"] as object), conditions } };
  };
  const saying = (status: object): KubeObject => ({ ...up, status: { ...up.status, ...status } });
  const section = (state: string, applied?: string): object => ({ sections: [{ name: "addons", state, applied }] });
  const left = (state: string, more: object): object => ({ sections: [{ name: "addons", state, ...more }] });
  const effective = Object.fromEntries(
    [
      ["driftPolicy", "Correct"],
      ["managementPolicy", "Observe"],
      ["driftInterval", "10m"],
      ["deletionPolicy", "Retain"],
    ].map(([name = "", value]) => [name, { value, origin: "Object" }]),
  );
  const observed = (status: object): KubeObject => saying({ effective, ...status });
  const request = (state: string): object => ({
    requests: [{ verb: "allow-writes", id: "1", request: "1", state }],
  });
  const edited = version(up, "1", { generation: 2 });
  const carriedOut = (status: string): KubeObject => {
    const conditions = [{ ...READY, status, observedGeneration: 2, lastTransitionTime: "2026-01-01T00:00:00Z" }];
    return version(saying({ observedGeneration: 2, conditions }), "2", { generation: 2 });
  };
  const moved = { kind: "Connection", name: "other", identity: "i", server: "s" };

  it.each([
    { why: "it has another label", before: up, now: version(up, "2", { labels: { a: "b" } }) },
    { why: "it has another annotation", before: up, now: version(up, "2", { annotations: { a: "b" } }) },
    { why: "it answers a reconcile that was asked for", before: up, now: saying({ lastHandledReconcileAt: "1" }) },
    { why: "it lists what it outputs", before: up, now: saying({ outputs: { keys: ["a"] } }) },
    { why: "a section drifts", before: saying(section("InSync")), now: saying(section("Drifted")) },
    { why: "a look at a section fails", before: saying(section("InSync", "a")), now: saying(section("Waiting", "a")) },
    { why: "a section is written", before: saying(section("Failed")), now: saying(section("Applying")) },
    { why: "a request is sent", before: saying(request("Sending")), now: saying(request("Running")) },
    { why: "nothing is done of a request", before: up, now: saying(request("Ignored")) },
  ])("is left alone by its parent where $why", ({ before, now }) => {
    for (const { child } of CHILDREN) {
      expect(wokenByVersions(refusing(child), before, version(now, "2", now.metadata))).toEqual([]);
    }
  });

  it.each([
    { why: "it is Ready now", before: unready(up), now: up },
    { why: "it is in another state", before: up, now: saying({ state: "COMING_UP" }) },
    { why: "it stands for another project", before: up, now: saying({ ref: NEW }) },
    { why: "it is recorded for this very object", before: saying({ recordedFor: "another" }), now: up },
    { why: "its edit is carried out, and it was Ready all along", before: edited, now: carriedOut("True") },
    { why: "its edit is refused, and it was not Ready before", before: unready(edited), now: carriedOut("False") },
    {
      why: "a section that is only observed drifts no more",
      before: observed(section("Drifted")),
      now: observed(section("InSync")),
    },
    {
      why: "what was ignored in a section is as declared",
      before: saying(left("InSync", { applied: "a", left: { ignored: ["spec.addons.ipv4"] } })),
      now: saying(section("InSync", "a")),
    },
    { why: "a section is in sync now", before: saying(section("Applying")), now: saying(section("InSync")) },
    {
      why: "a section that waited is in sync for the first time",
      before: saying(section("Waiting")),
      now: saying(section("InSync", "a")),
    },
    { why: "a request is done", before: saying(request("Running")), now: saying(request("Succeeded")) },
    { why: "a request may be done", before: saying(request("Sending")), now: saying(request("Unknown")) },
    { why: "it was edited", before: up, now: version(up, "2", { generation: 2 }) },
    { why: "it was edited again", before: edited, now: version(up, "2", { generation: 3 }) },
    { why: "it goes", before: up, now: version(up, "2", { deletionTimestamp: "2026-01-01T00:00:00Z" }) },
    { why: "it is reached through another connection", before: up, now: saying({ connection: moved }) },
  ])("is woken by its parent where $why", ({ before, now }) => {
    for (const { child } of CHILDREN) {
      expect(wokenByVersions(refusing(child), before, version(now, "2", now.metadata))).toContain(nameOf(child));
    }
  });

  const stalled = (reason: string, status: object = {}): KubeObject => {
    const is = { ...READY, reason, lastTransitionTime: "2026-01-01T00:00:00Z" };
    const conditions = [
      { ...is, status: "False" },
      { ...is, type: "Stalled" },
    ];
    return saying({ ...status, conditions });
  };
  const passing = (reason: string, status: object = {}): KubeObject => {
    const is = { ...READY, reason, lastTransitionTime: "2026-01-01T00:00:00Z" };
    const conditions = [
      { ...is, status: "Unknown" },
      { ...is, type: "Reconciling" },
    ];
    return saying({ ...status, conditions });
  };
  const refusedFields = left("Failed", { applied: "a", reason: "Rejected", fields: ["spec.addons.ipv4"] });
  const drifted = left("Drifted", { applied: "a", reason: "DriftDetected", fields: ["spec.addons.ipv4"] });
  const inVain = (state: string, reason: string, more: object = { applied: "a" }): object =>
    left(state, { reason, fields: ["spec.addons"], ...more });

  it.each([
    {
      why: "something of it is refused, and a look fails",
      versions: [stalled("Rejected", refusedFields), passing("ServerError", inVain("Waiting", "ServerError"))],
      last: stalled("Rejected", refusedFields),
    },
    {
      why: "it must be seen to, and a run fails",
      versions: [stalled("DeadlineExceeded"), passing("ServerError")],
      last: stalled("DeadlineExceeded"),
    },
    {
      why: "drift in it is reported, and a look fails",
      versions: [saying(drifted), saying(inVain("Waiting", "ServerError"))],
      last: saying(drifted),
    },
    {
      why: "it is in sync, and a look fails",
      versions: [saying(section("InSync", "a")), saying(inVain("Waiting", "ServerError"))],
      last: saying(section("InSync", "a")),
    },
    {
      why: "a look comes to what nobody repeats",
      versions: [saying(section("InSync", "a")), stalled("Rejected", inVain("Failed", "Rejected"))],
      last: saying(section("InSync", "a")),
    },
    {
      why: "it is only observed, and a look fails",
      versions: [observed(section("InSync")), observed(inVain("Waiting", "ServerError", {}))],
      last: observed(section("InSync")),
    },
  ])("is left alone by each flap of its parent where $why", ({ versions: [first, other], last }) => {
    for (const { child } of CHILDREN) {
      if (first === undefined || other === undefined) throw new Error("there is no flap");
      const woken = wokenByHistory([refusing(child)], [first, other, last, other, last]);
      expect(woken).toEqual([[], [], [], []]);
    }
  });

  it.each([
    {
      why: "heals after its services were away for too long",
      versions: [up, stalled("DeadlineExceeded")],
      last: up,
    },
    { why: "was away for a while", versions: [up, passing("Unhealthy")], last: up },
    {
      why: "is as declared, of which a part drifted when a look failed",
      versions: [saying(drifted), saying(inVain("Waiting", "ServerError"))],
      last: saying(section("InSync", "a")),
    },
    {
      why: "is as declared, of which a part could not be written",
      versions: [
        saying(section("InSync", "a")),
        saying(left("Waiting", { applied: "a", fields: ["spec.addons.ipv4"] })),
      ],
      last: saying(section("InSync", "a")),
    },
    {
      why: "has in force what was sent, though no answer came",
      versions: [
        saying(section("InSync", "a")),
        saying(left("Waiting", { applied: "a", sending: "a", fields: ["spec.addons"] })),
      ],
      last: saying(section("InSync", "a")),
    },
    {
      why: "is as it was edited to be, after a look failed",
      versions: [saying(section("InSync", "a")), saying(inVain("Waiting", "ServerError"))],
      last: saying(section("InSync", "b")),
    },
    {
      why: "has in force what was on its way when a look failed",
      versions: [saying(section("Applying", "a")), saying(inVain("Waiting", "ServerError"))],
      last: saying(section("InSync", "a")),
    },
    {
      why: "must be seen to for something else",
      versions: [stalled("Rejected"), passing("ServerError")],
      last: stalled("DeadlineExceeded"),
    },
  ])("is woken once by its parent that $why", ({ versions: [first, ...others], last }) => {
    for (const { child } of CHILDREN) {
      if (first === undefined) throw new Error("there is no history");
      const woken = wokenByHistory([refusing(child)], [first, ...others, last]);
      expect(woken.at(-1)).toEqual([nameOf(child)]);
    }
  });

  it("in a Branch is woken by the Project, whatever the Branch says of it", () => {
    const inBranch = refusing(
      object("EdgeFunction", "in-preview", { branchRef: { name: "preview" }, source: SOURCE }, { ref: "b" }),
    );
    const preview = object("Branch", "preview", IN_SHOP, { ref: "b", parentRef: OLD });
    const woken = wokenByVersions([inBranch, preview], saying({ state: "PAUSED" }), version(up, "2"));
    expect(woken).toEqual(["EdgeFunction/ns/in-preview"]);
  });
});
