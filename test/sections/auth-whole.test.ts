import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { authSettings } from "../../src/resources/settings/auth/auth.ts";
import { declaredSections, declaredSettings, keyOf, VALUES } from "../support/sections/declared.ts";
import { openSectionStage, type SectionStage } from "../support/sections/stage.ts";

/** Generated auth sections, one after the other on one project: each is in force after one read and one write, and then costs nothing but a read. */

let stage: SectionStage;

const SMTP = { host: "mail.test", port: 25, user: "shop", adminEmail: "shop@mail.test" };

beforeAll(async () => {
  stage = await openSectionStage();
  const keys = declaredSettings(authSettings)
    .filter(({ source }) => source !== "spec")
    .map(keyOf);
  stage.putSecret(VALUES, Object.fromEntries(keys.map((key) => [key, `secret ${key}`])));
  stage.putConfigMap(VALUES, Object.fromEntries(keys.map((key) => [key, `text ${key}`])));
});

afterAll(() => stage[Symbol.asyncDispose]());

/** Some fifty settings at least, so that no section means what the one before it did. */
const large = declaredSections(authSettings).filter((declared) => JSON.stringify(declared).length > 2000);
const sections = fc.sample(large, { numRuns: 8, seed: 5 });

it.each(sections.map((auth, index) => [index, auth] as const))(
  "section %i converges and then plans nothing",
  async (_index, auth) => {
    // Some fields need a mail server.
    const password = { secretKeyRef: { name: VALUES, key: "smtp.password" } };
    await stage.theatre.pass(120_000);
    await stage.calls();
    expect(await stage.apply({ auth: { ...auth, smtp: { ...SMTP, password } } })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual(["authConfig.get", "authConfig.update"]);
    expect(stage.entry("auth")).toMatchObject({ state: "InSync" });
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    await stage.run();
    expect(await stage.calls()).toEqual(["authConfig.get"]);
  },
);
