import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { emulatorUnderTest, TOKEN } from "../../../test/support/emulator/api.ts";
import { REF } from "../../../test/support/emulator/every-call.ts";

const A_REF = "ref: a project ref is exactly 20 lower-case letters, received ";
const LONG = "a".repeat(12_000);

/** Asks for a target as it stands, which a client with URLs would refuse or correct. */
async function ask(url: string, target: string, token: string | undefined): Promise<unknown> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const sent = request(url, { path: target, headers: authorization }).end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage]; // as the event is documented
  return [answer.statusCode, answer.headers["x-ratelimit-limit"] !== undefined, await text(answer)];
}

describe("a target", () => {
  it.each([
    { target: "/v1/nothing/%zz", status: 404, says: "Cannot GET /v1/nothing/%zz", because: "leads nowhere" },
    { target: "/%c3%28", status: 404, says: "Cannot GET /%c3%28", because: "leads nowhere, not even as text" },
    { target: "/v1/profile%", status: 404, says: "Cannot GET /v1/profile%", because: "is none of the operations" },
    { target: "/v1/projects/%zz", status: 400, says: `${A_REF}'%zz'`, because: "has no ref" },
    { target: "http://a/v1/projects/%c3?x=%zz", status: 400, says: `${A_REF}'%c3'`, because: "names the server too" },
    { target: `/v1/projects/${LONG}`, status: 400, says: A_REF, because: "has far too much for a ref" },
    {
      target: `/v1/projects/${REF}/branches/%41%zz`,
      status: 404,
      says: "Branch not found",
      because: "names no branch",
    },
    { target: "/v1/projects/%zz", token: "nobody", status: 401, says: "Unauthorized", because: "is nobody's" },
    { target: "http:///v1/profile", status: 400, says: "The target of the request", because: "says no server" },
  ])("that $because is told so in the API's own words, also where it cannot be decoded: $status", async (asked) => {
    const { target, token = TOKEN, status, says } = asked;
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] } });
    expect(await ask(under.emulator.url, target, token)).toEqual([
      status,
      true,
      expect.stringMatching(new RegExp(`^\\{"message":"${says.replaceAll(/[.%/]/g, "\\$&")}[^"]*"\\}$`)),
    ]);
    const { entries } = await under.control.log.read();
    expect(entries.map(({ path }) => path)).toEqual([target.replace(/^http:\/\/a?/, "").replace(/\?.*/, "")]);
  });

  it("may have any escape that stands for something", async () => {
    await using under = await emulatorUnderTest();
    expect(await ask(under.emulator.url, "/v1/%70rofile?", TOKEN)).toMatchObject([200, true, expect.anything()]);
  });
});
