import { afterEach, beforeEach, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** A section that is written in parts, since some of it is refused: each part that was taken is told and remembered, whatever becomes of the next. */

const WRITE = "authConfig.update";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
  stage.putSecret("github", { clientSecret: "one" });
});

afterEach(() => stage[Symbol.asyncDispose]());

it("a write that fails asks for no add-ons where none is needed", async () => {
  const fault = { kind: "status", status: 500 } as const;
  await stage.theatre.emulator.control.faults.add({ operation: "storage.update", count: 10, fault });
  await stage.calls();
  await stage.start({ storage: { fileSizeLimit: "10Mi" } });
  const calls = await stage.calls();
  expect(calls).toContain("storage.update");
  expect(calls).not.toContain("addons.list");
});

it("what was written before a later part failed is told, and its secret is sent once", async () => {
  const { faults, log } = stage.theatre.emulator.control;
  const body = { message: "password_min_length is bad" };
  await faults.add({ operation: WRITE, count: 2, fault: { kind: "status", status: 400, body } });
  await faults.add({ operation: WRITE, skip: 1, count: 1, fault: { kind: "status", status: 500 } });
  const github = { enabled: true, clientId: "x", clientSecret: { secretKeyRef: { name: "github" } } };
  const hooks = { sendSms: { enabled: true } };
  await stage.apply({
    auth: { passwords: { minLength: 99 }, siteUrl: "https://shop.test", providers: { github }, hooks },
  });
  const { entries } = await log.read({ operation: WRITE });
  const taken = entries.filter(({ status }) => status === 200).map((one) => JSON.stringify(one.body));
  expect(taken.filter((text) => text.includes("external_github_secret"))).toHaveLength(1);
  const told = stage.life.events.filter(({ reason }) => reason === "Updated").map(({ note }) => note);
  expect(told.join()).toContain("spec.auth.siteUrl");
});
