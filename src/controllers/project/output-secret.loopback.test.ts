import { expect, it } from "vitest";
import { Play } from "../../../test/support/controllers/diagrams/play.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";

/** engine.md §4: a Secret that the operator would write to, and that was not made for this object, is never written. */

const rows = [
  { what: "the default one", secret: "shop-database-password", spec: {} },
  {
    what: "the one that the spec names",
    secret: "mine",
    spec: { databasePassword: { generate: { secretName: "mine" } } },
  },
];

it.each(rows)("is left as it is, and nothing is created, until it is gone: $what", async ({ secret, spec }) => {
  await using play = await Play.open();
  const about = { kind: "Project", name: "shop" };
  const { emulator, kubernetes } = play.theatre;
  play.putCore("secrets", secret, { password: "somebody else's" });
  const before = kubernetes.get("secrets", NAMESPACE, secret);
  const { path } = await play.step(about, "applied", () =>
    play.put("projects", "shop", { organization: "acme", ...spec }),
  );
  expect(path.at(-1)).toBe("False SecretNotOwned stalled");
  expect(kubernetes.get("secrets", NAMESPACE, secret)).toEqual(before);
  expect((await emulator.control.state.read({})).projects).toEqual([]);
  await play.step(about, "gone", () => kubernetes.delete("secrets", NAMESPACE, secret));
  expect(play.statusOf("projects", "shop")).toMatchObject({
    state: "ACTIVE_HEALTHY",
    databasePassword: { secretName: secret },
  });
});
