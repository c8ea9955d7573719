import type { Command } from "commander";
import { Option } from "commander";
import { z } from "zod";
import type { CliContext } from "./context.ts";
import { parseFlags } from "./flags.ts";
import { programVersion } from "../api/openapi/version.ts";

/** `baas openapi`: the Management API's contract as an OpenAPI document. */

const FORMATS = ["json", "yaml"] as const;

const flags = z.object({
  output: z.enum(FORMATS),
  server: z
    .string()
    .refine(isServer, "expected a base URL like https://api.example.com, or /")
    .refine(
      (text) => !/\/v[12]\/*$/i.test(text),
      "the base URL must not end in the version: the paths of the API begin with it",
    ),
});

function isServer(text: string): boolean {
  return text === "/" || /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

export function openapiVerb(program: Command, context: CliContext): void {
  program
    .command("openapi")
    .description("Print the OpenAPI 3.1 document of the Management API")
    .addOption(new Option("-o, --output <format>", "how it is written").choices(FORMATS).default("json"))
    .option("--server <url>", "base URL to name as the server; / means: where the document is found", "/")
    .action((options: unknown) => printDocument(parseFlags(flags, options), context));
}

async function printDocument({ output, server }: z.output<typeof flags>, { stdout }: CliContext): Promise<void> {
  const { operations } = await import("../api/contract/contract.ts");
  const { openApiDocument } = await import("../api/openapi/document.ts");
  const serverUrl = server === "/" ? server : server.replace(/\/+$/, "");
  const document = openApiDocument(operations, { version: programVersion(), serverUrl });
  stdout.write(output === "json" ? `${JSON.stringify(document, null, 2)}\n` : await asYaml(document));
}

async function asYaml(document: object): Promise<string> {
  const { stringify } = await import("yaml");
  return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false });
}
