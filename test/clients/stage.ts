import { z } from "zod";
import { type Emulator, startEmulator } from "../../src/emulator/emulator.ts";
import { run, succeeded } from "../support/programs/run.ts";

export const TOKEN = "clients-token";
export const REF = "abcdefghijklmnopqrst";

/** What a program is told, in its environment. */
export interface Stage extends AsyncDisposable {
  readonly emulator: Emulator;
  readonly environment: Readonly<Record<string, string>>;
}

/** An emulator with a project, a branch whose name has a slash, forty secrets and an OAuth app whose user has consented. */
export async function aStage(): Promise<Stage> {
  const emulator = await startEmulator({
    tokens: [TOKEN],
    seed: {
      oauthApps: [{ clientId: "app", clientSecret: "app-secret", redirectUris: ["https://app.test/done"] }],
      projects: [
        {
          name: "shop",
          ref: REF,
          branches: [{ name: "main" }, { name: "feature/one" }],
          secrets: Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`SECRET_${index}`, "value"])),
        },
      ],
    },
  });
  const { code } = await emulator.control.oauth.approve({ clientId: "app", user: "owner", organization: "acme" });
  return {
    emulator,
    environment: { BASE_URL: emulator.url, TOKEN, REF, CODE: code, NO_PROXY: "127.0.0.1" },
    [Symbol.asyncDispose]: () => emulator.stop(),
  };
}

const observed = z.record(z.string(), z.string());

/** What a program saw, by claim. Fails with its last words where it fails. */
export async function observations(
  program: string,
  args: readonly string[],
  { environment }: Stage,
): Promise<Readonly<Record<string, string>>> {
  return observed.parse(JSON.parse(succeeded(await run(program, args, { env: environment }))));
}
