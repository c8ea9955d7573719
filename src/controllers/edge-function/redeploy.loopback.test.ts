import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import {
  deployed,
  inline,
  inShop,
  RedeployBench,
  redeploying,
} from "../../../test/support/controllers/redeploy-bench.ts";
import { annotations } from "../../resources/annotations.ts";

/** K-36: what has functions deployed again, and what has not. */

let bench: RedeployBench;

beforeEach(async () => {
  bench = await RedeployBench.open();
});

afterEach(() => bench[Symbol.asyncDispose]());

const rotated = [["secrets.create", ""], ...deployed("one", "two")] as const;
const source = (name: string, more: object = {}): object => ({
  ...inShop,
  ...inline(name === "one" ? "1" : "2"),
  ...more,
});
/** Sets a value as a human would. */
const setByHand = (value: string): Promise<unknown> =>
  bench.client.secrets.create({ ref: bench.ref, body: [{ name: "A", value }] });
const deployByHand = (): Promise<unknown> => {
  const body = { metadata: { entrypoint_path: "a.ts" }, files: [{ path: "a.ts", content: "by hand" }] };
  return bench.client.functions.deploy({ ref: bench.ref, slug: "one", body });
};

const openByHand = (): Promise<unknown> =>
  bench.client.functions.update({ ref: bench.ref, function_slug: "one", body: { verify_jwt: false } });

describe("[K-36] each function is deployed again once", () => {
  it("after a value was rotated, and after one was taken away, which events tell without them", async () => {
    const before = bench.life.events.length;
    expect(await bench.after(() => bench.rotate())).toEqual(rotated);
    const removed = await bench.after(() => bench.values("values", { A: "2" }));
    expect(removed).toEqual([["secrets.delete", ""], ...deployed("one", "two")]);
    const told = bench.life.events.slice(before).filter(({ reason }) => reason === "Redeployed");
    const version = (await bench.versions())["one"] ?? 0;
    expect(told.map(({ note }) => note)).toEqual(
      expect.arrayContaining([
        `deployed one again as version ${version - 1} for its environment: Secret test/env`,
        `deployed one again as version ${version} for its environment: Secret test/env`,
      ]),
    );
    expect(told).toHaveLength(4);
  });

  it("after a value that somebody set otherwise was put back", async () => {
    expect(await bench.after(() => setByHand("theirs"))).toEqual([["secrets.create", ""], ...rotated]);
  });

  it("for a new Secret object, where it was there before, and not where it came later", async () => {
    bench.values("more-values", { C: "3" });
    expect(await bench.after(() => bench.put("secrets", "more", redeploying("more-values")))).toEqual(rotated);
    const created = await bench.after(() => bench.put("edgefunctions", "three", source("three")));
    expect(created).toEqual(deployed("three"));
    expect(await bench.after(() => bench.begin())).toEqual([]);
  });

  it("for any number of Secret objects that change at once", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const set = (value: string) => (): void => {
      for (const name of names) bench.values(`${name}-values`, { [`${name.toUpperCase()}_VALUE`]: value });
    };
    await bench.rest(() => {
      set("1")();
      for (const name of names) bench.put("secrets", name, redeploying(`${name}-values`));
    });
    const before = await bench.versions();
    const writes = await bench.after(set("2"));
    expect(writes).toEqual([...names.map(() => ["secrets.create", ""]), ...deployed("one", "two")]);
    const each = [before["one"] ?? 0, before["two"] ?? 0].map((version) => version + 1);
    expect(Object.values(await bench.versions())).toEqual(each);
  });

  it("within seconds, not at the next look for drift", async () => {
    const since = await bench.last();
    await bench.rest(() => bench.rotate(), 5000);
    expect(await bench.writes(since)).toEqual(rotated);
  });

  it("when another Secret object that had begun to change does so no more, or after a minute", async () => {
    const slow = { ...inShop, from: [{ secretRef: { name: "slow-values" }, keys: [{ key: "SLOW" }] }] };
    bench.values("slow-values", { SLOW: "1" });
    await bench.rest(() => bench.put("secrets", "slow", { ...slow, redeployOnSecretChange: true }));
    const change = async (value: string, ms: number): Promise<number> => {
      const since = await bench.last();
      await bench.rest(() => {
        bench.rotate(value);
        bench.values("slow-values", {});
      }, ms);
      return since;
    };
    const since = await change("2", 20_000);
    expect(await bench.writes(since)).toEqual([["secrets.create", ""]]);
    await bench.rest(() => bench.values("slow-values", { SLOW: "1" }), 5000);
    expect(await bench.writes(since)).toEqual(rotated);
    expect(await bench.writes(await change("3", 65_000))).toEqual(rotated);
  });

  it("with whatever changes while it waits for the other changes", async () => {
    const since = await bench.last();
    await bench.rest(() => bench.rotate("2"), 1000);
    await bench.rest(() => bench.rotate("3"), 500);
    await bench.rest();
    expect(await bench.writes(since)).toEqual([
      ["secrets.create", ""],
      ["secrets.create", ""],
      ...deployed("one", "two"),
    ]);
  });

  it("and no more where another reason had it deployed after the change", async () => {
    const since = await bench.last();
    await bench.rest(() => bench.rotate(), 500);
    await bench.rest(() => bench.put("edgefunctions", "one", { ...inShop, ...inline("other") }));
    expect(await bench.writes(since)).toEqual(rotated);
  });

  it("on the branch that the values are set in, and nowhere else", async () => {
    const onBranch = { branchRef: { name: "preview" } };
    bench.values("branch", { A: "1" });
    await bench.rest(() => {
      bench.put("branches", "preview", inShop);
      bench.put("edgefunctions", "there", { ...onBranch, ...inline("3") });
      bench.put("secrets", "there", redeploying("branch", onBranch));
    });
    const writes = await bench.after(() => bench.values("branch", { A: "2" }));
    expect(writes).toEqual([["secrets.create", ""], ...deployed("there")]);
    expect(await bench.after(() => bench.rotate())).toEqual(rotated);
  });

  it("also where it names the project by its ref", async () => {
    const byRef = { projectRef: { ref: bench.ref } };
    await bench.rest(() => bench.put("edgefunctions", "three", { ...byRef, ...inline("3") }));
    expect(await bench.after(() => bench.rotate())).toEqual([
      ["secrets.create", ""],
      ...deployed("one", "three", "two"),
    ]);
  });

  it.each([
    { driftPolicy: "Report", what: "deployed", byHand: deployByHand },
    { driftPolicy: "Report", what: "set", byHand: openByHand },
    { driftPolicy: "Ignore", what: "deployed", byHand: deployByHand },
    { driftPolicy: "Ignore", what: "set", byHand: openByHand },
  ])(
    "under driftPolicy $driftPolicy, unless that would write over what was $what by hand",
    async ({ driftPolicy, byHand }) => {
      await bench.rest(() => bench.put("edgefunctions", "one", source("one", { driftPolicy })));
      expect(await bench.after(() => bench.rotate("2"))).toEqual(rotated);
      await bench.rest(byHand);
      expect(await bench.after(() => bench.rotate("3"))).toEqual([["secrets.create", ""], ...deployed("two")]);
      const corrected = await bench.after(() => bench.put("edgefunctions", "one", source("one")));
      expect(corrected).toEqual(deployed("one"));
    },
  );

  it("once it is no longer paused or only observed", async () => {
    await bench.rest(() => {
      bench.put("edgefunctions", "one", source("one"), { annotations: { [annotations.paused]: "true" } });
      bench.put("edgefunctions", "two", source("two", { managementPolicy: "Observe" }));
    });
    expect(await bench.after(() => bench.rotate())).toEqual([["secrets.create", ""]]);
    const ended = await bench.after(() => {
      bench.put("edgefunctions", "one", source("one"), { annotations: { [annotations.paused]: "false" } });
      bench.put("edgefunctions", "two", source("two"));
    });
    expect(ended).toEqual(deployed("one", "two"));
  });

  it("and says Ready all the while where it waits for no other", async () => {
    await bench.rest(() => bench.theatre.kubernetes.delete("edgefunctions", NAMESPACE, "two"));
    const seen: string[] = [];
    bench.life.stores.ours
      .find(({ type }) => type.kind === "EdgeFunction")
      ?.addHandler({
        added: () => undefined,
        updated: (_before, { metadata }) => void seen.push(...bench.conditions("edgefunctions", metadata.name)),
        deleted: () => undefined,
      });
    await bench.rest(() => bench.rotate());
    expect(new Set(seen)).toEqual(new Set(["Ready=True"]));
  });
});

describe("[K-36] no function is deployed again", () => {
  it("without the flag, and not because it is set, unset, or set again", async () => {
    const without = { ...inShop, from: [{ secretRef: { name: "values" } }] };
    expect(await bench.after(() => bench.put("secrets", "env", without))).toEqual([]);
    expect(bench.status("secrets", "env")).not.toHaveProperty("environment");
    expect(await bench.after(() => bench.rotate())).toEqual([["secrets.create", ""]]);
    expect(await bench.after(() => bench.put("secrets", "env", redeploying("values")))).toEqual([]);
    expect(await bench.after(() => bench.rotate("3"))).toEqual(rotated);
  });

  it("at a restart, for a Kubernetes Secret that was only touched, or when drift is looked for", async () => {
    await bench.rest(() => bench.rotate());
    expect(await bench.after(() => bench.begin())).toEqual([]);
    expect(await bench.after(() => bench.values("values", { A: "2", B: "1" }, { labels: { touched: "yes" } }))).toEqual(
      [],
    );
  });

  it("where the values are left as they are: a Secret object that reports or only observes", async () => {
    await bench.rest(() => bench.put("secrets", "env", { ...redeploying("values"), driftPolicy: "Report" }));
    expect(await bench.after(() => setByHand("theirs"))).toEqual([["secrets.create", ""]]);
    await bench.rest(() => bench.put("secrets", "env", { ...redeploying("values"), managementPolicy: "Observe" }));
    expect(await bench.after(() => bench.rotate())).toEqual([]);
  });

  it("after the Secret object, or a function, lost its status or came back from a backup; the next change is one", async () => {
    await bench.rest(() => bench.rotate());
    expect(await bench.after(() => bench.wipeStatus("secrets", "env"))).toEqual([]);
    expect(await bench.after(() => bench.rotate("3"))).toEqual(rotated);
    expect(await bench.after(() => bench.restore("secrets", "env"))).toEqual([]);
    expect(await bench.after(() => bench.rotate("4"))).toEqual(rotated);
    // A function that lost what it was deployed with is deployed once, whatever its environment.
    expect(await bench.after(() => bench.restore("edgefunctions", "one"))).toEqual(deployed("one"));
    expect(await bench.after(() => bench.rotate("5"))).toEqual(rotated);
  });

  it("that is being deleted, nor after the Secret object was", async () => {
    const since = await bench.last();
    await bench.rest(() => {
      bench.rotate();
      bench.theatre.kubernetes.delete("edgefunctions", NAMESPACE, "one");
    });
    expect(await bench.writes(since)).toEqual([["secrets.create", ""], ...deployed("two")]);
    const gone = await bench.after(() => bench.theatre.kubernetes.delete("secrets", NAMESPACE, "env"));
    expect(gone).toEqual([["secrets.delete", ""]]);
  });
});
