import { createClient, isApiError } from "baas-operator/client";
import type { ApiClient, OutputOf } from "baas-operator/client";

/**
 * The Management API without Kubernetes: makes a project, waits until it is up, deploys a function, sets a secret, lists and deletes.
 * Against the emulator: docs/client.md.
 */

type Project = OutputOf<"projects.create">;

const { PLATFORM_URL = "http://127.0.0.1:8787", PLATFORM_TOKEN = "T", ORGANIZATION = "acme" } = process.env;

class WrongEnvironment extends Error {}

/** What the client does not take is a mistake of whoever set the variables: of the service it asks nothing yet. */
function clientOfEnvironment(): ApiClient {
  try {
    return createClient({ baseUrl: PLATFORM_URL, token: PLATFORM_TOKEN });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new WrongEnvironment(`PLATFORM_URL or PLATFORM_TOKEN: ${reason}`, { cause });
  }
}

/** A name is taken once per organization: a project that is there already is the one of an earlier run. */
async function projectNamed(client: ApiClient, name: string): Promise<Pick<Project, "ref">> {
  try {
    return await client.projects.create({
      body: { name, organization_slug: ORGANIZATION, db_pass: crypto.randomUUID() },
    });
  } catch (error) {
    if (!isApiError(error, "CONFLICT")) throw error;
    for await (const project of client.organizations.listProjects.each({ slug: ORGANIZATION, search: name })) {
      if (project.name === name) return project;
    }
    throw error;
  }
}

/** Asks every second, politely: polling leaves budget to whoever waits for an edit. */
async function whenHealthy(client: ApiClient, ref: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const { status } = await client.projects.get({ ref }, { signal, lane: "progress" });
    console.log(`${ref} is ${status}`);
    if (status === "ACTIVE_HEALTHY") return;
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function main(): Promise<void> {
  const client = clientOfEnvironment();
  console.log(`I am ${(await client.identity()).username}`);

  const { ref } = await projectNamed(client, "from-the-client");
  await whenHealthy(client, ref, AbortSignal.timeout(300_000));

  const files = [{ path: "index.ts", content: "Deno.serve(() => new Response('hello'));" }];
  const deployed = await client.functions.deploy({
    ref,
    slug: "hello",
    body: { metadata: { entrypoint_path: "index.ts", verify_jwt: false }, files },
  });
  console.log(`function ${deployed.slug}, version ${deployed.version}`);

  await client.secrets.create({ ref, body: [{ name: "GREETING", value: "hello" }] });
  console.log(`secrets: ${(await client.secrets.list({ ref })).map(({ name }) => name).join(", ")}`);

  try {
    await client.functions.get({ ref, function_slug: "nowhere" });
  } catch (error) {
    if (!isApiError(error, "GONE")) throw error;
    console.log(`${error.operation}: ${error.status} ${error.message}`);
  }

  await client.projects.delete({ ref });
  console.log(`${ref} is deleted`);
}

// What the service or the way to it says, and what to do about it; anything else is a mistake of this program.
await main().catch((error: unknown) => {
  if (isApiError(error)) console.error(`${error.operation}: ${error.message}. ${error.advice}`);
  else if (error instanceof WrongEnvironment) console.error(error.message);
  else throw error;
  process.exitCode = 1;
});
