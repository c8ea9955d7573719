import { describe, expect, it } from "vitest";
import type { Operation } from "../../src/api/contract/operation.ts";
import { secretValues } from "../../src/api/contract/secret-fields.ts";
import { done } from "../../src/emulator/control/call.ts";
import { CONTROL_PATH, callsByName } from "../../src/emulator/control/calls.ts";
import type { SeedInput } from "../../src/emulator/state/seed.ts";
import { type EmulatorUnderTest, emulatorUnderTest, TOKEN } from "../support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed, REF } from "../support/emulator/every-call.ts";
import { play } from "../support/emulator/play.ts";

/** Everything that a control call answers, over HTTP, where no schema strips what it does not know, while every operation is asked for. */

/** What the calls are asked with that take more than nothing, or than a project. A new call that answers something has to stand here. */
const ASKED: Readonly<Record<string, object>> = {
  "time.advance": { ms: 1 },
  "faults.add": { operation: "projects.list", skip: 1_000_000, fault: { kind: "reset" } },
  "faults.remove": { id: 1000 },
  "tokens.revoke": { token: "nobody-has-this" },
  "oauth.removeApp": { clientId: "nobody" },
  "oauth.approve": { clientId: "app", user: "owner", organization: "acme" },
  "oauth.revokeGrant": { id: "nothing" },
  "storage.removeBucket": { ref: REF, name: "none" },
  "snippets.put": { project: REF, name: "one", sql: "select 1" },
  "snippets.remove": { id: "00000000-0000-4000-8000-000000000000" },
};

/** What one is asked for: the token that stands in the mail to who is invited, which nobody sends. */
const TELLING = "jit.invitations";

/** Shorter ones are found by chance. */
const LEAST_LENGTH = 6;

/** Given by a seed and by control calls, whose schemas mark none as secret. */
const GIVEN = {
  password: "canary-of-database-password",
  secret: "canary-of-stored-secret",
  auth: "canary-of-auth-secret",
  app: "canary-of-app-secret",
  token: "canary-of-token",
  added: "canary-of-added-token",
  addedApp: "canary-of-added-app",
  seeded: "canary-of-seeded-secret",
} as const;

const seed: SeedInput = {
  ...everyCallSeed,
  tokens: [{ token: GIVEN.token, user: "owner" }],
  oauthApps: [
    ...(everyCallSeed.oauthApps ?? []),
    { clientId: "second", clientSecret: GIVEN.app, redirectUris: ["https://app.example.test/cb"] },
  ],
  projects: (everyCallSeed.projects ?? []).map((project) => ({
    ...project,
    databasePassword: GIVEN.password,
    secrets: { STORED: GIVEN.secret },
    auth: { saml_enabled: true, external_github_secret: GIVEN.auth },
  })),
};

/** The calls that answer more than that it is done, each with what it is asked with; undefined: nothing of what is known here fits. */
function answering(): readonly (readonly [string, object | undefined])[] {
  return [...callsByName]
    .filter(([, { output }]) => output !== done)
    .map(([name, { input }]) => [
      name,
      ASKED[name] ?? [{}, { ref: REF }].find((candidate) => input.safeParse(candidate).success),
    ]);
}

const successOf = ({ success }: Operation) => (success.kind === "json" ? success.schema : undefined);
const bodyOf = ({ body }: Operation) => (body?.encoding === "multipart" ? body.metadata : body?.schema);

/** What all of them answer now, and what they have refused; the log begins anew. */
async function answers(under: EmulatorUnderTest): Promise<readonly (readonly [string, string, number])[]> {
  const all: (readonly [string, string, number])[] = [];
  for (const [name, body] of answering()) {
    const { text, status } = await under.call("POST", `${CONTROL_PATH}/${name}`, { token: null, body });
    all.push([name, text, status]);
  }
  await under.control.log.clear();
  return all;
}

describe("what control calls answer", () => {
  it("is asked for by this test, whichever calls there are", () => {
    expect(answering().filter(([, input]) => input === undefined)).toEqual([]);
    expect(Object.keys(ASKED).filter((name) => !callsByName.has(name))).toEqual([]);
  });

  it("holds no secret that was given to the emulator or made by it", async () => {
    await using under = await emulatorUnderTest({ seed, limits: { requestsPerMinute: 0 } });
    await under.control.tokens.add({ token: GIVEN.added, user: "owner" });
    await under.control.oauth.addApp({ clientId: "third", clientSecret: GIVEN.addedApp });
    await under.control.state.seed({ projects: [{ name: "other", secrets: { SEEDED: GIVEN.seeded } }] });
    const secrets = new Set<string>([TOKEN, ...Object.values(GIVEN)]);
    /** each text once: what has not changed says nothing new */
    const said = new Map<string, string>();
    const accepted = new Set<string>();
    await play(under, EVERY_CALL, async ({ operation, body, received }) => {
      const sent = body instanceof URLSearchParams ? Object.fromEntries(body) : body;
      const request = bodyOf(operation);
      const success = received.status < 300 ? successOf(operation) : undefined;
      const found = [
        ...(request === undefined ? [] : secretValues(request, sent)),
        ...(success === undefined ? [] : secretValues(success, received.json)),
      ];
      for (const value of found) if (value.length >= LEAST_LENGTH) secrets.add(value);
      if (operation.retry === "read") return; // it has changed nothing
      for (const [name, text, status] of await answers(under)) {
        said.set(text, name);
        if (status === 200) accepted.add(name);
      }
    });
    expect(secrets.size).toBeGreaterThan(20);
    expect(answering().flatMap(([name]) => (accepted.has(name) ? [] : [name]))).toEqual([]);
    const leaks = [...said].flatMap(([text, name]) =>
      name === TELLING
        ? []
        : [...secrets].filter((secret) => text.includes(secret)).map((secret) => `${name}: ${secret}`),
    );
    expect([...new Set(leaks)]).toEqual([]);
  });
});
