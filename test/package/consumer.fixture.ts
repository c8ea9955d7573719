import { setTimeout as wait } from "node:timers/promises";
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

while ((await client.projects.get({ ref: created.ref })).status !== "ACTIVE_HEALTHY") await wait(10);
// A database runs in a thread, from a file of its own in the package.
const answered = await client.database.query({ ref: created.ref, body: { query: "select 6 * 7 as answer" } });

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
    answered,
    names,
    refused: isApiError(refused) && refused.code,
    retry: operationFacts("projects.create").retry,
  }),
);
