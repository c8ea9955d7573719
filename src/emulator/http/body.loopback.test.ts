import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join("");
const METADATA = lines('Content-Disposition: form-data; name="metadata"', "", '{"entrypoint_path":"a.ts"}');
const file = (parameters: string): string => lines(`Content-Disposition: form-data; ${parameters}`, "", "1");

describe("a form", () => {
  it.each([
    { type: "multipart/form-data", body: "{}", says: /received something that is not$/, because: "it has no boundary" },
    {
      type: "multipart/form-data; boundary=b",
      body: "{}",
      says: /received something that is not$/,
      because: "its boundary is never there",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="file"; filename="a.ts"')}`,
      says: /received something that is not$/,
      because: "it does not end",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="file"; filename=""')}--b--\r\n`,
      says: /file: expected a file name/,
      because: "a file has an empty name",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="file"')}--b--\r\n`,
      says: /file: expected a file part with a file name/,
      because: "a file has no name at all",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${file('name="metadata"')}--b--\r\n`,
      says: /no file was uploaded|metadata/,
      because: "the metadata is no object",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="extra"; filename="a.ts"')}--b--\r\n`,
      says: /Unrecognized part: 'extra'/,
      because: "nobody knows the part",
    },
  ])("is refused with 400 when $because", async ({ type, body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const headers = { "content-type": type };
    const refused = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body, headers });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringMatching(says)]);
  });
});
