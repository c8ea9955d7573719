import { expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { readings } from "../../../test/support/runtime/readings.ts";

/** What is asked by annotation is counted once it has come to an end, by how. */

const { meter, read } = readings();
const asked = askedInEach({}, { meter });

const VERB = "restart";
const counted = (state: string): number => read("baas_requests_total", { kind: "Project", verb: VERB, state });

it("a request is counted when it has ended, once, and as what it was", async () => {
  const life = await asked.withShop();
  await asked.begin(life, "Project", "shop", VERB);
  expect(counted("Running")).toBe(0);
  await asked.settle(life, "Project", "shop");
  expect(counted("Succeeded")).toBe(1);
  await life.run("Project", "shop");
  expect(counted("Succeeded")).toBe(1);
  const body = { message: "no" };
  await asked.theatre.emulator.control.faults.add({
    operation: "projects.restart",
    fault: { kind: "status", status: 400, body },
  });
  asked.ask("Project", "shop", VERB, "2");
  await asked.settle(life, "Project", "shop");
  expect(asked.requests("Project", "shop", VERB)).toMatchObject([{ state: "Succeeded" }, { state: "Failed" }]);
  expect([counted("Succeeded"), counted("Failed"), counted("Running")]).toEqual([1, 1, 0]);
});
