import { expect, it } from "vitest";
import { SHOP } from "../../../test/support/controllers/asked.ts";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { annotations } from "../../resources/annotations.ts";

/** What was asked of a project that is gone, when people let it be made again: it was meant for what is gone, its data for example. */

const asked = askedInEach();

it("is neither taken for done in the one that is made anew nor carried out on it, and can be asked for again", async () => {
  const life = await asked.withShop();
  asked.ask("Project", "shop", "restart", "1");
  asked.ask("Project", "shop", "shut-down-realtime", "2");
  await life.run("Project", "shop");
  expect(asked.requests("Project", "shop", "restart")).toMatchObject([{ state: "Running" }]);
  expect(asked.requests("Project", "shop", "shut-down-realtime")).toMatchObject([{ state: "Waiting" }]);
  const gone = asked.shopRef();
  await asked.theatre.emulator.control.projects.remove({ ref: gone });
  asked.put("Project", "shop", SHOP, { [annotations.recreate]: gone });
  await asked.settle(life, "Project", "shop");
  expect(asked.shopRef()).not.toBe(gone);
  expect(asked.requests("Project", "shop", "restart")).toMatchObject([
    { state: "Unknown", message: expect.stringContaining("gone") },
  ]);
  expect(asked.requests("Project", "shop", "shut-down-realtime")).toMatchObject([
    { state: "Refused", message: expect.stringContaining("another id") },
  ]);
  expect(await asked.calls("realtime.shutdown")).toBe(0);
  asked.ask("Project", "shop", "shut-down-realtime", "3");
  await asked.settle(life, "Project", "shop");
  expect(await asked.calls("realtime.shutdown")).toBe(1);
});
