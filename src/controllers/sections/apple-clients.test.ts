import { describe, expect, it } from "vitest";
import { authSettings } from "../../resources/settings/auth/auth.ts";
import { settingsOf, type Wire } from "../../resources/settings/setting.ts";
import { unfoldedAppleClients } from "./apple-clients.ts";
import { declaredRows, planFields, wantedValues } from "./field-plan.ts";

const rows = settingsOf(authSettings);

interface Answer {
  readonly external_apple_client_id: string | null;
  readonly external_apple_additional_client_ids: string | null;
}

/** What is sent where that is declared and that is answered. */
function sent(apple: object, answer: Answer): Readonly<Record<string, Wire>> {
  const declared = { providers: { apple } };
  const mine = declaredRows(rows, declared);
  const texts = new Map<string, string>();
  const observed = { ...answer, ...unfoldedAppleClients(answer, wantedValues({ rows: mine, declared, texts })) };
  const changes = planFields({ prefix: "spec.auth", rows: mine, declared, texts, secrets: new Map(), observed });
  return Object.fromEntries(changes.map(({ wire, value }) => [wire.replace("external_apple_", ""), value]));
}

function folded(text: string | null): Answer {
  return { external_apple_client_id: text, external_apple_additional_client_ids: null };
}

interface Case {
  readonly because: string;
  readonly declared: object;
  readonly answer: Answer;
  readonly sends: Readonly<Record<string, Wire>>;
}

const both = { clientId: "a", additionalClientIds: ["b", "c"] };

const cases: readonly Case[] = [
  { because: "both are answered as one list", declared: both, answer: folded("a,b,c"), sends: {} },
  { because: "the order of the further ones means nothing", declared: both, answer: folded("a,c,b"), sends: {} },
  {
    because: "a service that does not fold answers both",
    declared: both,
    answer: { external_apple_client_id: "a", external_apple_additional_client_ids: "c,b" },
    sends: {},
  },
  {
    because: "the further ones are gone",
    declared: both,
    answer: folded("a"),
    sends: { additional_client_ids: "b,c" },
  },
  {
    because: "there is one too many, which may lie in either field",
    declared: both,
    answer: folded("a,z,b,c"),
    sends: { client_id: "a", additional_client_ids: "b,c" },
  },
  {
    because: "another one is the first",
    declared: both,
    answer: folded("b,a,c"),
    sends: { client_id: "a", additional_client_ids: "b,c" },
  },
  {
    because: "nothing is there",
    declared: both,
    answer: folded(null),
    sends: { client_id: "a", additional_client_ids: "b,c" },
  },
  {
    because: "none is to be there beside the first",
    declared: { clientId: "a", additionalClientIds: [] },
    answer: folded("a,b"),
    sends: { client_id: "a", additional_client_ids: null },
  },
  {
    because: "none is there beside the first",
    declared: { clientId: "a", additionalClientIds: [] },
    answer: folded("a"),
    sends: {},
  },
  { because: "further ones are nobody's business", declared: { clientId: "a" }, answer: folded("a,b"), sends: {} },
  {
    because: "the first is another one, and further ones are nobody's business",
    declared: { clientId: "a" },
    answer: folded("z,b"),
    sends: { client_id: "a" },
  },
  {
    because: "nothing is declared of them",
    declared: { enabled: false },
    answer: folded("a,b"),
    sends: { enabled: false },
  },
];

describe("Apple's clients, which are answered as one list", () => {
  it.each(cases)("$because: $declared and $answer", ({ declared, answer, sends }) => {
    expect(sent(declared, answer)).toEqual(sends);
  });
});
