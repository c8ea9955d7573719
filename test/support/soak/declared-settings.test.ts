import { describe, expect, it } from "vitest";
import { DeclaredSettings } from "./declared-settings.ts";

/** What the soak holds the settings of a Project to, without one. */

const after = (act: (settings: DeclaredSettings) => void): ReadonlyMap<string, string | number> => {
  const settings = new DeclaredSettings();
  settings.declare("maxRows", 1);
  act(settings);
  return settings.found;
};

describe("a setting of the model whose Project leaves drift", () => {
  const left = (act: (settings: DeclaredSettings) => void): DeclaredSettings => {
    const settings = new DeclaredSettings();
    settings.begin("Report");
    settings.declare("siteUrl", "https://one.test");
    settings.declare("smtpPassword", "one");
    settings.declare("maxRows", 1);
    settings.setByHand("siteUrl", "https://by-hand.test");
    act(settings);
    return settings;
  };

  it.each<{ why: string; act: (settings: DeclaredSettings) => void; found: string; isDrifted: boolean }>([
    { why: "it stays", act: () => undefined, found: "https://by-hand.test", isDrifted: true },
    {
      why: "an edit of another section leaves it",
      act: (one) => void one.declare("maxRows", 2),
      found: "https://by-hand.test",
      isDrifted: true,
    },
    {
      why: "another password in the Secret that the section names is no edit of that",
      act: (one) => void one.declare("smtpPassword", "two"),
      found: "https://by-hand.test",
      isDrifted: true,
    },
    {
      why: "an edit of its section puts it right",
      act: (one) => {
        one.withdraw("smtpPassword");
        one.declare("smtpPassword", "two");
      },
      found: "https://one.test",
      isDrifted: false,
    },
    {
      why: "so does taking something else out of its section",
      act: (one) => one.withdraw("smtpPassword"),
      found: "https://one.test",
      isDrifted: false,
    },
    {
      why: "taken out of the spec itself it is left, and is no drift",
      act: (one) => one.withdraw("siteUrl"),
      found: "https://by-hand.test",
      isDrifted: false,
    },
    {
      why: "a project that was made anew lacks nothing",
      act: (one) => one.renew(),
      found: "https://one.test",
      isDrifted: false,
    },
  ])("is $found, drifted $isDrifted: $why", ({ act, found, isDrifted }) => {
    const settings = left(act);
    expect([settings.found.get("siteUrl"), settings.isDrifted]).toEqual([found, isDrifted]);
  });
});

describe("a setting of the model", () => {
  it.each<{ why: string; act: (settings: DeclaredSettings) => void; found: Readonly<Record<string, string | number>> }>(
    [
      { why: "it is declared", act: () => undefined, found: { maxRows: 1 } },
      { why: "what is set by hand is put back", act: (one) => one.setByHand("maxRows", 2), found: { maxRows: 1 } },
      { why: "what is declared no more is left", act: (one) => one.withdraw("maxRows"), found: { maxRows: 1 } },
      {
        why: "what nobody declares stays as somebody set it",
        act: (one) => {
          one.withdraw("maxRows");
          one.setByHand("maxRows", 2);
        },
        found: { maxRows: 2 },
      },
      {
        why: "of a paused Project nothing is put back, and no edit comes into force",
        act: (one) => {
          one.pause(true);
          one.setByHand("maxRows", 2);
          one.declare("maxRows", 3);
        },
        found: { maxRows: 2 },
      },
      {
        why: "of one that goes on all is as declared by then",
        act: (one) => {
          one.pause(true);
          one.declare("maxRows", 3);
          one.pause(false);
        },
        found: { maxRows: 3 },
      },
      {
        why: "of a project that was made anew nothing is known but what is declared",
        act: (one) => {
          one.setByHand("siteUrl", "https://theirs.test");
          one.renew();
        },
        found: { maxRows: 1 },
      },
    ],
  )("is $found: $why", ({ act, found }) => expect(Object.fromEntries(after(act))).toEqual(found));
});
