import { describe, expect, it } from "vitest";
import { appsToken, ownIdentity, usersToken } from "../../../test/support/controllers/ending-credentials.ts";
import { type EndingOperation, playEnds } from "../../../test/support/controllers/ending-token.ts";

/** A token that ends before any one request of an operation: access tokens, which are had anew without anybody, and a user's own. */

const operations: readonly EndingOperation[] = [
  {
    what: "a create",
    needs: [],
    begin: (stage) => stage.put("projects"),
    changes: { operation: "projects.create", times: 1 },
    remote: ["project shop"],
  },
  {
    what: "a function deployment",
    needs: ["projects"],
    begin: (stage) => stage.put("edgefunctions"),
    changes: { operation: "functions.deploy", times: 1 },
    remote: ["project shop", "function hello"],
  },
  {
    what: "a deletion",
    needs: ["projects"],
    begin: (stage) => stage.delete("projects"),
    goes: "projects",
    changes: { operation: "projects.delete", times: 1 },
    remote: [],
  },
  {
    what: "a drift check",
    needs: ["projects", "edgefunctions"],
    begin: async ({ theatre: { emulator } }) => {
      await emulator.control.tokens.add({ token: "somebody", user: "owner" });
      const [ref = ""] = (await emulator.control.state.read({})).projects.map((project) => project.ref);
      const headers = { authorization: "Bearer somebody" };
      await fetch(`${emulator.url}/v1/projects/${ref}/functions/hello`, { method: "DELETE", headers });
    },
    changes: { operation: "functions.deploy", times: 1 },
    remote: ["project shop", "function hello"],
  },
  {
    what: "a branch",
    needs: ["projects"],
    begin: (stage) => stage.put("branches"),
    changes: { operation: "branches.create", times: 2 }, // the default one comes first
    remote: ["project shop", "branch preview"],
  },
  {
    what: "a branch's deletion",
    needs: ["projects", "branches"],
    begin: (stage) => stage.delete("branches"),
    goes: "branches",
    changes: { operation: "branches.delete", times: 1 },
    remote: ["project shop"],
  },
  {
    what: "a write of secrets",
    needs: ["projects"],
    begin: (stage) => stage.put("secrets"),
    changes: { operation: "secrets.create", times: 1 },
    remote: ["project shop", "secret A"],
  },
  {
    what: "a write of a section",
    needs: ["projects"],
    begin: (stage) => stage.put("projects", { dataApi: { maxRows: 77 } }),
    changes: { operation: "dataApi.update", times: 1 },
    remote: ["project shop"],
  },
  {
    what: "a restart that an annotation asks for",
    needs: ["projects"],
    begin: (stage) => stage.ask("projects", "restart"),
    changes: { operation: "projects.restart", times: 1 },
    remote: ["project shop"],
  },
];

describe.each([appsToken, ownIdentity, usersToken])("$what that ends before any one request", (credential) => {
  it.each(operations)(
    "of $what: one thing is done once, and it is told where somebody must act, without a restart",
    { timeout: 120_000 },
    async (operation) => {
      const all = await playEnds(operation, credential);
      for (const { played, wanted } of all) expect(played).toMatchObject(wanted);
      expect(all.filter(({ played: { refused } }) => refused).length).toBeGreaterThan(1);
    },
  );
});
