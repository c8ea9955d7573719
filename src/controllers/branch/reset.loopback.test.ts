import { afterEach, beforeEach, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

let theatre: Theatre;
let asked: Asked;

beforeEach(async () => {
  theatre = await openTheatre();
  asked = new Asked(theatre);
});
afterEach(() => theatre[Symbol.asyncDispose]());

it("a branch that was reset has its database configured anew: what was in force before is no drift any more", async () => {
  const life = await asked.withShop();
  const database = { ssl: { enforced: true } };
  asked.put("Branch", "preview", { projectRef: { name: "shop" }, driftPolicy: "Report", database });
  expect(await life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
  const answer = await fetch(`${theatre.emulator.url}/v1/projects/${asked.branch("preview").ref}/ssl-enforcement`, {
    method: "PUT",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({ requestedConfig: { database: false } }),
  });
  expect(answer.status).toBe(200);
  await life.settle("Branch", "preview");
  await life.run("Branch", "preview", "drift");
  const ssl = () => asked.branch("preview").sections?.find(({ name }) => name === "database.ssl");
  expect(ssl()).toMatchObject({ state: "Drifted" });
  asked.ask("Branch", "preview", "reset", "1");
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "reset")).toMatchObject([{ state: "Succeeded" }]);
  await life.settle("Branch", "preview");
  expect(ssl()).toMatchObject({ state: "InSync" });
});
