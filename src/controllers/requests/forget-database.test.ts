import { expect, it } from "vitest";
import { withoutDatabase } from "./forget-database.ts";

it("what was in force in the database and was sent to it is forgotten, and nothing else", () => {
  const remembered = { state: "InSync", applied: "digest", sent: "digest" };
  const documents = [{ name: "rules", uid: "1", resourceVersion: "2" }];
  const sections = [
    { name: "auth", ...remembered },
    { name: "database.settings", ...remembered, documents },
    { name: "databases", ...remembered },
  ];
  expect(withoutDatabase(sections)).toEqual([
    { name: "auth", ...remembered },
    { name: "database.settings", state: "InSync", documents },
    { name: "databases", ...remembered },
  ]);
  expect(withoutDatabase(undefined)).toBeUndefined();
});
