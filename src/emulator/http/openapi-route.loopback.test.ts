import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { operations } from "../../api/contract/contract.ts";
import { programVersion } from "../../api/openapi/version.ts";
import { openApiDocument } from "../../api/openapi/document.ts";
import { OPENAPI_PATH } from "./openapi-route.ts";

describe("the contract's document", () => {
  it("is served to everyone, and is no request of the API", async () => {
    await using under = await emulatorUnderTest();
    const { status, headers, json } = await under.call("GET", OPENAPI_PATH, { token: null });
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
    expect(json).toEqual(openApiDocument(operations, { version: programVersion(), serverUrl: under.emulator.url }));
    expect(headers["x-ratelimit-limit"]).toBeUndefined();
    expect(await under.control.log.read({})).toMatchObject({ entries: [] });
  });

  it("names the server as the caller reaches it", async () => {
    await using under = await emulatorUnderTest();
    const { json } = await under.call("GET", OPENAPI_PATH, { headers: { host: "emulator.test:1234" } });
    expect(json).toMatchObject({
      servers: [{ url: "http://emulator.test:1234" }],
      info: { version: programVersion() },
    });
  });
});
