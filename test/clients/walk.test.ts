import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { run } from "../support/programs/run.ts";
import { areThere, BASH, CURL } from "./needs.ts";

/** The walk of docs/emulator.md as a reader takes it: its commands in one shell, from the first to the last, and what it says they print. */

const repository = fileURLToPath(new URL("../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "walk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Step {
  readonly command: string;
  readonly prints: string;
}

/** The commands of a section's console blocks, each with the lines below it. */
function steps(page: string, heading: string): readonly Step[] {
  const [, section = ""] = page.split(`\n${heading}\n`);
  const [own = ""] = section.split(/^## /mu);
  const blocks = [...own.matchAll(/^```console\n([\s\S]*?)^```/gmu)].map(([, text = ""]) => text);
  return blocks.flatMap((text) =>
    text
      .split(/^\$ /mu)
      .slice(1)
      .map((step) => {
        const [command = "", ...lines] = step.trimEnd().split("\n");
        return { command, prints: lines.join("\n") };
      }),
  );
}

/** What differs from run to run, replaced by what it is. */
function stable(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/gu, "<time>")
    .replaceAll(/(?<![a-z])[a-z]{20}(?![a-z])/gu, "<ref>")
    .replaceAll(/(?<=_emulator |:)\d{13}/gu, "<ms>")
    .replaceAll(/[0-9a-f]{32,}/gu, "<hash>");
}

/** The page's text as a pattern, in which `…` stands for anything within a line. */
function pattern(prints: string): RegExp {
  const literally = stable(prints).replaceAll(/[$()*+./?[\\\]^{|}]/gu, String.raw`\$&`);
  return new RegExp(`^${literally.replaceAll("…", ".*")}$`, "u");
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return String(typeof address === "object" && address !== null ? address.port : "");
}

describe.runIf(areThere([BASH, CURL]))("docs/emulator.md", () => {
  it("walks by curl from the start to the end, and prints what it says", async () => {
    const page = readFileSync(join(repository, "docs/emulator.md"), "utf8");
    const walk = steps(page, "## A first walk by curl");
    const port = await freePort();
    const here = (text: string): string => text.replaceAll("8787", port).replaceAll("/tmp/", `${folder}/`);
    const script = ["set -e", "trap 'kill $(jobs -p) 2>&-' EXIT", ...walk.map(({ command }) => here(command))];
    const { stdout, stderr, code } = await run("bash", ["-c", script.join("\nprintf '\\036'\n")], { cwd: repository });
    expect([code, stderr]).toEqual([0, ""]);
    const printed = stdout.split("\u001E").slice(2);
    expect(walk.length).toBeGreaterThan(10);
    const seen = walk.map(({ command }, index) => ({ command, prints: stable((printed[index] ?? "").trimEnd()) }));
    expect(seen).toEqual(
      walk.map(({ command, prints }) => ({ command, prints: expect.stringMatching(pattern(here(prints))) })),
    );
  });
});
