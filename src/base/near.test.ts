import { describe, expect, it } from "vitest";
import { near, nearInWords } from "./near.ts";

const KNOWN = ["projects.create", "projects.get", "projects.delete", "secrets.create", "profile.get"];

describe("names near one that is not known", () => {
  it.each([
    { written: "projects.creat", names: ["projects.create", "projects.get"], because: "a letter is missing" },
    { written: "ad", names: [], because: "three letters would have to change, which makes another word" },
    { written: "secrets.craete", names: ["secrets.create"], because: "two letters are swapped: one change" },
    { written: "Projects.Get", names: ["projects.get"], because: "case is a slip as well" },
    {
      written: "projects.remove",
      names: ["projects.create", "projects.get", "projects.delete"],
      because: "none is near, so those of the section",
    },
    { written: "nothing.alike", names: [], because: "there is no such section" },
    { written: "x", names: [], because: "one letter is near everything and means nothing" },
  ])("$written: $because", ({ written, names }) => {
    expect(near(written, KNOWN)).toEqual(names);
  });

  it("end a message, or leave it as it is", () => {
    expect(nearInWords("profil.get", KNOWN)).toBe("; near: profile.get");
    expect(nearInWords("nothing", KNOWN)).toBe("");
  });
});
