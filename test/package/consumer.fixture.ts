import { createClient, isApiError, operationFacts } from "baas-operator/client";
import type { ApiClient, InputOf, OutputOf } from "baas-operator/client";
import { startEmulator } from "baas-operator/emulator";

/** A program of somebody else, who installed the package: type-checked and run there by package.test.ts. Prints JSON of what it saw. */

const emulator = await startEmulator({ tokens: ["T"], speed: 1000 });
const client: ApiClient = createClient({ baseUrl: emulator.url, token: "T" });

const input: InputOf<"projects.create"> = {
  body: { name: "shop", organization_slug: "acme", db_pass: "correct horse" },
};
const created: OutputOf<"projects.create"> = await client.projects.create(input);
// @ts-expect-error the types are the contract's: a ref is a string
const wrong: number = created.ref;

const names: string[] = [];
for await (const { name } of client.organizations.listProjects.each({ slug: "acme" })) names.push(name);

// @ts-expect-error no such region; refused before it is sent, too
const elsewhere: InputOf<"projects.create"> = { body: { ...input.body, region: "moon" } };
const refused: unknown = await client.projects.create(elsewhere).catch((error: unknown) => error);

await client.close();
await emulator.stop();
console.log(
  JSON.stringify({
    ref: typeof wrong,
    names,
    refused: isApiError(refused) && refused.code,
    retry: operationFacts("projects.create").retry,
  }),
);
