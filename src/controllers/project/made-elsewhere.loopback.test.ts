import { expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";

/** A Project that takes over a project which is in another region than declared: it is told of once, as nobody can move it. */

const REF = "abcdefghijklmnopqrst";
const asked = askedInEach({
  seed: { projects: [{ name: "shop", ref: REF, organization: "acme", region: "eu-west-1" }] },
});

const BY_REF = { ref: REF };
const BY_NAME = { name: "shop", adoptionPolicy: "IfNameMatches" };
const ELSEWHERE =
  "; it was made otherwise than declared, and stays so: spec.region.code is eu-west-1 and not us-east-1";

it.each([
  { why: "by its ref", how: BY_REF, region: { code: "us-east-1" }, note: `adopted the project ${REF}${ELSEWHERE}` },
  {
    why: "by its name",
    how: BY_NAME,
    region: { code: "us-east-1" },
    note: `adopted the project ${REF}, which has the declared name${ELSEWHERE}`,
  },
  { why: "where it is as declared", how: BY_REF, region: { code: "eu-west-1" }, note: `adopted the project ${REF}` },
  {
    why: "where a part of the world is declared",
    how: BY_REF,
    region: { group: "apac" },
    note: `adopted the project ${REF}`,
  },
  { why: "where nothing is declared", how: BY_REF, region: undefined, note: `adopted the project ${REF}` },
])("is told when it is adopted $why", async ({ how, region, note }) => {
  const spec = { organization: "acme", deletionPolicy: "Retain", ...how, ...(region === undefined ? {} : { region }) };
  asked.put("Project", "shop", spec);
  const life = await asked.theatre.life();
  expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  await life.run("Project", "shop", "drift");
  expect(life.events.filter(({ reason }) => reason === "Adopted").map((event) => event.note)).toEqual([note]);
  expect(asked.condition("Project", "shop", "Drifted")).toBeUndefined();
  expect(asked.project("shop").region).toBe("eu-west-1");
});
