import fc from "fast-check";
import { expect, it } from "vitest";
import { authConfigUpdateSchema } from "../../src/api/contract/auth-config.ts";
import { unfoldedAppleClients } from "../../src/controllers/sections/apple-clients.ts";
import {
  bodyOf,
  declaredRows,
  type FieldChange,
  planFields,
  wantedValues,
} from "../../src/controllers/sections/field-plan.ts";
import { readAuthConfig, withAuthUpdate } from "../../src/emulator/auth/auth-config-record.ts";
import { authSettings } from "../../src/resources/settings/auth/auth.ts";
import { settingsOf } from "../../src/resources/settings/setting.ts";
import { declaredSections, declaredSettings } from "../support/sections/declared.ts";

/** Laws of spec.auth, on what the platform makes of a request: no network, no cluster. */

const rows = settingsOf(authSettings);
const texts = new Map(rows.filter(({ source }) => source !== "spec").map(({ path }) => [path, `text of ${path}`]));

type Remote = Parameters<typeof readAuthConfig>[0];

function plan(declared: object, remote: Remote, secretsAreSent: boolean): readonly FieldChange[] {
  const mine = declaredRows(rows, declared);
  const answer = readAuthConfig(remote);
  const observed = { ...answer, ...unfoldedAppleClients(answer, wantedValues({ rows: mine, declared, texts })) };
  const secrets = new Map(mine.map(({ path }) => [path, { isChanged: !secretsAreSent, isTampered: false }]));
  return planFields({ prefix: "spec.auth", rows: mine, declared, texts, secrets, observed });
}

function write(remote: Remote, changes: readonly FieldChange[]): Remote {
  return withAuthUpdate(remote, authConfigUpdateSchema.parse(bodyOf(changes)));
}

/** A counterexample is as good as a smaller one, which takes minutes to find. */
const RUNS = { numRuns: 50, endOnFailure: true };

const sections = declaredSections(authSettings);

it("has values for every setting", () => {
  expect(declaredSettings(authSettings)).toHaveLength(rows.length);
});

it("any accepted section is written in one request that the contract takes, and then nothing is left to be written", () => {
  fc.assert(
    fc.property(sections, (declared) => {
      const remote = write({}, plan(declared, {}, false));
      expect(plan(declared, remote, true)).toEqual([]);
    }),
    RUNS,
  );
});

it("any accepted section is in force after one more request, whatever another accepted one made of the project before", () => {
  fc.assert(
    fc.property(sections, sections, (before, after) => {
      const start = write({}, plan(before, {}, false));
      const first = write(start, plan(after, start, false));
      const second = write(first, plan(after, first, true));
      expect(plan(after, second, true)).toEqual([]);
    }),
    RUNS,
  );
});

it("no request holds a field that is not declared", () => {
  fc.assert(
    fc.property(sections, sections, (before, after) => {
      const start = write({}, plan(before, {}, false));
      const declared = new Set(declaredRows(rows, after).map(({ wire }) => wire));
      const sent = Object.keys(bodyOf(plan(after, start, false)));
      expect(sent.filter((wire) => !declared.has(wire))).toEqual([]);
    }),
    RUNS,
  );
});
