import { afterEach, beforeEach, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** A secret that somebody replaced by hand where nothing is corrected. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const FIELD = "spec.auth.smtp.password";

it("[K-13] is told at each look, not at the first alone: what was answered then is not what was sent", async () => {
  stage.putSecret("smtp", { password: "first" });
  const password = { secretKeyRef: { name: "smtp", key: "password" } };
  const smtp = { host: "mail.example.com", port: 587, user: "shop", password, adminEmail: "no-reply@example.com" };
  await stage.apply({ driftPolicy: "Report", auth: { smtp } });
  await stage.client.authConfig.update({ ref: stage.ref, body: { smtp_pass: "somebody else's" } });
  for (const look of [1, 2, 3]) {
    await stage.run();
    expect(stage.entry("auth"), `look ${look}`).toMatchObject({ state: "Drifted", fields: [FIELD] });
  }
});
