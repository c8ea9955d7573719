import { expect, it } from "vitest";
import { Play } from "../../../test/support/controllers/diagrams/play.ts";
import { shopRef } from "../../../test/support/controllers/diagrams/scenarios.ts";

/** engine.md §6: policies of the Connection reach objects at rest, and the effective ones stand in their status. */

const SOON_MS = 60_000;

it("objects at rest follow their Connection from Ignore, where nobody looks, to Report and to Correct, within moments", async () => {
  await using play = await Play.open();
  play.setDefaults({ driftPolicy: "Ignore" });
  const about = { kind: "Project", name: "shop" };
  await play.step(about, "applied", () => play.put("projects", "shop", { organization: "acme", name: "shop" }));
  const rename = (): Promise<unknown> => play.client.projects.update({ ref: shopRef(play), body: { name: "by hand" } });
  const effective = (): unknown => play.statusOf("projects", "shop")["effective"];
  expect(effective()).toMatchObject({ driftPolicy: { value: "Ignore", origin: "Connection" } });
  expect((await play.step(about, "ignored", rename)).path).toEqual(["True Available"]);
  const reported = await play.step(about, "reported", () => play.setDefaults({ driftPolicy: "Report" }), SOON_MS);
  expect(reported.path).toEqual(["True Available", "True Available drifted"]);
  expect(effective()).toMatchObject({ driftPolicy: { value: "Report", origin: "Connection" } });
  const corrected = await play.step(about, "corrected", () => play.setDefaults(undefined), SOON_MS);
  expect(corrected.path).toEqual(["True Available drifted", "True Available"]);
  expect(effective()).toMatchObject({ driftPolicy: { value: "Correct", origin: "Default" } });
});
