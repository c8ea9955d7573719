import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../test/support/emulator/api.ts";
import { run, succeeded } from "../../test/support/programs/run.ts";
import { NoTokenError } from "./check-options.ts";
import { type Emulator, type EmulatorOptions, startEmulator } from "./emulator.ts";

/** What an emulator starts with, and what it does not start with. */

type SeedInput = NonNullable<EmulatorOptions["seed"]>;
const shop = { name: "shop" };
/** One key more than the type has. */
const red = { name: "shop", colour: "red" };
const unnamed = JSON.parse('{"projects":[{"nam":"x"}]}') as SeedInput;
const replica = { region: "us-west-1", identifier: "replica" } as const;
const trust = {
  issuer: "i",
  subject: "s",
  audience: "a",
  jwks: { keys: [{ kty: "RSA" }] },
  user: "owner",
  organization: "acme",
};
const misspelled = { users: [], project: [] };

describe("the organization of the start", () => {
  it.each<{ because: string; organization: NonNullable<SeedInput["organizations"]>[number]; status: number }>([
    { because: "the seed says no members", organization: { slug: "acme", plan: "free" }, status: 200 },
    { because: "no member is Owner", organization: { slug: "acme", members: { ann: "Developer" } }, status: 200 },
    { because: "the seed has an Owner", organization: { slug: "acme", members: { ann: "Owner" } }, status: 404 },
    { because: "it is another organization", organization: { slug: "beta" }, status: 404 },
  ])("is open to the first token with $status: $because", async ({ organization, status }) => {
    await using under = await emulatorUnderTest({ seed: { organizations: [organization] } });
    expect((await under.call("GET", `/v1/organizations/${organization.slug}`)).status).toBe(status);
  });

  it("keeps what the seed says of the first token's user, its plan and, without one, pro", async () => {
    const members = { owner: "Read-only" } as const;
    await using under = await emulatorUnderTest({ org: "beta", seed: { organizations: [{ slug: "beta", members }] } });
    expect((await under.call("GET", "/v1/organizations/beta")).json).toMatchObject({ plan: "pro" });
    const body = { name: "a", organization_slug: "beta", db_pass: "correct horse" };
    expect((await under.call("POST", "/v1/projects", { body })).status).toBe(403);
  });
});

describe("a seed is refused that no sequence of calls could bring about", () => {
  it.each<{ seed: SeedInput; says: string }>([
    { seed: { projects: [shop, shop] }, says: "seed: projects[1].name: project shop exists already" },
    { seed: { projects: [{ ...shop, secrets: { PLATFORM_URL: "x" } }] }, says: "must not start with the PLATFORM_" },
    {
      seed: { settings: { reservedSecretPrefix: "BAAS_" }, projects: [{ ...shop, secrets: { BAAS_X: "x" } }] },
      says: 'seed: projects[0].secrets.BAAS_X: Secret name "BAAS_X" must not start with the BAAS_ prefix',
    },
    { seed: { projects: [{ ...shop, secrets: { "": "x" } }] }, says: "projects[0].secrets" },
    { seed: { projects: [{ ...shop, secrets: { A: "x".repeat(24_577) } }] }, says: "projects[0].secrets.A: Too big" },
    {
      seed: { projects: [{ ...shop, branches: [{ name: "main" }, { name: "main" }] }] },
      says: "projects[0].branches[1]: there is a branch of this name before it",
    },
    {
      seed: { projects: [{ ...shop, functions: [{ slug: "f", files: {} }] }] },
      says: "seed: projects[0].functions[0].files: no file was uploaded",
    },
    {
      seed: { projects: [{ ...shop, functions: [{ slug: "f", files: { "main.ts": "" } }] }] },
      says: "seed: projects[0].functions[0].files: entrypoint_path 'index.ts' is not among the files",
    },
    {
      seed: { projects: [{ ...shop, functions: [{ slug: "f", importMap: "map.json", files: { "index.ts": "" } }] }] },
      says: "import_map_path 'map.json' is not among the files",
    },
    {
      seed: { projects: [{ ...shop, bans: [{ address: "203.0.113.7", identifier: "replica-9" }] }] },
      says: "seed: projects[0].bans[0].identifier: no database replica-9; known: ",
    },
    {
      seed: {
        projects: [{ ...shop, readReplicas: [replica], bans: [{ address: "203.0.113.7", identifier: "replika" }] }],
      },
      says: "projects[0].bans[0].identifier: no database replika; near: replica; known: ",
    },
    {
      seed: { projects: [shop, { name: "b", organization: "acne" }] },
      says: "seed: projects[1].organization: no organization acne; near: acme; known: acme",
    },
    {
      seed: { projects: [{ ...shop, postgresVersion: "15.8.1" }] },
      says: "seed: projects[0].postgresVersion: no version 15.8.1; near: 15.8.1.085, 15.8.1.121; known: ",
    },
    {
      seed: { organizations: [{ slug: "b" }, { slug: "b" }] },
      says: "seed: organizations[1].slug: there is b already",
    },
    {
      seed: { organizations: [{ slug: "b", projectRoles: [{ user: "ann", role: "Developer", projects: ["x"] }] }] },
      says: "seed: organizations[0].projectRoles[0].user: ann is no member of an organization b; none is known",
    },
    {
      seed: { oauthApps: [{ clientId: "a", clientSecret: "s", jwtBearer: { ...trust, organization: "acne" } }] },
      says: "seed: oauthApps[0].jwtBearer.organization: no organization acne; near: acme; known: acme",
    },
    {
      seed: { oauthApps: [{ clientId: "a", clientSecret: "s", jwtBearer: { ...trust, user: "ovner" } }] },
      says: "oauthApps[0].jwtBearer.user: ovner is no member of an organization acme; near: owner; known: owner",
    },
    {
      seed: { projects: [shop], snippets: [{ project: "shpo", name: "s", sql: "select 1" }] },
      says: "seed: snippets[0].project: no project shpo; near: shop; known: shop",
    },
    {
      seed: { projects: [shop], snippets: [{ project: "shop", name: "s", sql: "select 1", owner: "ovner" }] },
      says: "snippets[0].owner: no user ovner; near: owner; known: owner",
    },
    {
      seed: { projects: [shop], failingBundles: [{ slug: "f", project: "shpo" }] },
      says: "seed: failingBundles[0].project: no project shpo; near: shop; known: shop",
    },
    { seed: { users: [{ username: "ann" }, { username: "ann" }] }, says: "users[1]: there is a user of this name" },
    { seed: { tokens: [{ token: "a b", user: "ann" }] }, says: "tokens[0].token: expected a token of printable ASCII" },
    {
      seed: { tokens: [{ token: "t", user: "ann", permissions: ["projects"] }] },
      says: 'tokens[0].permissions[0]: no operation needs the permission "projects"',
    },
    {
      seed: { projects: [red] },
      says: 'projects[0]: Unrecognized key: "colour"; none of the 26 known is near',
    },
    {
      seed: unnamed,
      says: 'seed:\n  projects[0]: Unrecognized key: "nam"; near: name\n  projects[0].name: is missing (a string)',
    },
    {
      seed: misspelled,
      says: 'seed: Unrecognized key: "project"; near: projects; known: settings, users, tokens, organizations',
    },
  ])("$says", async ({ seed, says }) => {
    await expect(startEmulator({ tokens: [], seed })).rejects.toThrow(says); // before it is asked who could call
  });

  it("never with a token in the words", async () => {
    const token = { token: "hunter2", user: "ann" };
    const refused = startEmulator({ seed: { tokens: [token, token] } });
    await expect(refused).rejects.toThrow("seed: tokens[1]: there is a token like this before it");
  });

  it("but the same names in different places are different things, and a ban may be a replica's", async () => {
    const branches = [{ name: "main" }];
    const secrets = { platform_url: "lower case" };
    const functions = [{ slug: "f", entrypoint: "./index.ts", files: { "index.ts": "" } }];
    await using under = await emulatorUnderTest({
      seed: {
        organizations: [{ slug: "acme" }, { slug: "beta" }],
        projects: [
          { ...shop, branches, secrets, functions },
          { ...shop, branches, organization: "beta", readReplicas: [{ region: "us-west-1", identifier: "r" }] },
          {
            name: "bans",
            readReplicas: [{ region: "us-west-1", identifier: "r" }],
            bans: [{ address: "203.0.113.7", identifier: "r" }],
          },
        ],
      },
    });
    expect((await under.control.state.read()).projects).toHaveLength(3);
  });
});

describe("options that no type saw", () => {
  const start = startEmulator as (options: unknown) => Promise<Emulator>;
  it.each([
    { options: { token: "T" }, says: 'Unrecognized key: "token"; near: tokens; known: host, port, tokens' },
    { options: { tokens: "T" }, says: "startEmulator: tokens: expected a list, received a string" },
    { options: { tokens: ["hunter2 x"] }, says: "startEmulator: tokens[0]: expected a token of printable ASCII" },
    { options: { port: 70_000 }, says: "startEmulator: port: Too big" },
    { options: { port: "8787" }, says: "startEmulator: port: expected a" },
    { options: { speed: 0 }, says: "startEmulator: speed: " },
    { options: { timings: { commingUpMs: 5 } }, says: 'timings: Unrecognized key: "commingUpMs"; near: comingUpMs' },
    { options: { limits: { perMinute: 5 } }, says: "limits: Unrecognized key" },
    { options: { clock: Date }, says: "startEmulator: clock: expected a Clock" },
    { options: { org: "a b" }, says: "startEmulator: org: an organization slug" },
    { options: null, says: "startEmulator: expected an object, received null" },
  ])("are refused with TypeError: $says", async ({ options, says }) => {
    const refused = start(options);
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(says);
    await expect(refused).rejects.not.toThrow("hunter2");
  });

  it("no token at all is refused where tokens were to be, and allowed where a control call will add one", async () => {
    await expect(startEmulator({ tokens: [] })).rejects.toThrow(NoTokenError);
    await using under = await emulatorUnderTest({
      tokens: [],
      seed: { tokens: [{ token: "test-token", user: "ann" }] },
    });
    expect((await under.call("GET", "/v1/profile")).json).toMatchObject({ username: "ann" });
    const alone = await startEmulator();
    await alone.control.tokens.add({ token: "T", user: "owner" });
    const found = await fetch(`${alone.url}/v1/organizations`, { headers: { authorization: "Bearer T" } });
    expect(await found.json()).toMatchObject([{ slug: "acme" }]);
    await alone.stop();
  });
});

it("a start whose port is taken leaves nothing open: a program that does nothing else ends by itself", async () => {
  await using other = await emulatorUnderTest();
  const port = Number(new URL(other.emulator.url).port);
  const program = [
    `import { startEmulator } from ${JSON.stringify(new URL("emulator.ts", import.meta.url).href)};`,
    `await startEmulator({ port: ${port} }).catch(({ name, message }) => console.log(name + ": " + message));`,
  ];
  const ended = await run(process.execPath, ["--input-type=module", "-e", program.join("\n")], { timeoutMs: 60_000 });
  expect(succeeded(ended)).toContain(`ListenError: startEmulator: port: ${port} is in use at 127.0.0.1`);
});

describe("a data folder", () => {
  const folders: string[] = [];
  afterEach(async () => {
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
  });

  async function folderWith(...names: readonly string[]): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "baas-start-"));
    folders.push(folder);
    for (const name of names) await writeFile(join(folder, name), "");
    return folder;
  }

  /** What every file says, by its path; of a folder nothing. */
  async function contentsOf(folder: string): Promise<Readonly<Record<string, string>>> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const said = entries.map(async (entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? await readFile(path, "utf8") : ""];
    });
    return Object.fromEntries(await Promise.all(said));
  }

  it.each([["package.json"], [".git", "main.ts"], ["snapshot-1.json"]])(
    "of somebody else is refused: %s",
    async (...names) => {
      const dataDir = await folderWith(...names);
      await expect(startEmulator({ tokens: ["T"], dataDir })).rejects.toThrow(
        `${dataDir} holds files of something else`,
      );
    },
  );

  it.each([
    { folder: "a new folder", found: [] },
    { folder: "a folder that holds a state", found: ["first"] },
  ])("is as it was after a start whose port was taken: $folder", async ({ found }) => {
    const dataDir = await folderWith();
    if (found.length > 0) await (await startEmulator({ tokens: found, dataDir })).stop();
    await using other = await emulatorUnderTest();
    const port = Number(new URL(other.emulator.url).port);
    const before = await contentsOf(dataDir);
    const failed = startEmulator({ tokens: ["failed"], seed: { projects: [{ name: "failed" }] }, dataDir, port });
    await expect(failed).rejects.toMatchObject({
      code: "EADDRINUSE",
      message: `startEmulator: port: ${port} is in use at 127.0.0.1: choose another one, or 0 for any free one`,
    });
    expect(await contentsOf(dataDir)).toEqual(before);
    await using under = await emulatorUnderTest({ tokens: ["T"], seed: { projects: [shop] }, dataDir });
    expect((await under.call("GET", "/v1/profile", { token: "failed" })).status).toBe(401);
    const { projects } = await under.control.state.read();
    expect(projects.map(({ name }) => name)).toEqual(found.length > 0 ? [] : ["shop"]);
  });

  /** Everything that is in a folder, and the folder itself. */
  const namesIn = (folder: string): Promise<readonly string[]> => readdir(folder, { recursive: true });

  it.each([
    { because: "its port was taken", refused: { code: "EADDRINUSE" } },
    { because: "nobody has a token", refused: { name: "NoTokenError" }, tokens: [] },
    { because: "its seed contradicts itself", refused: { name: "SeedError" }, seed: { projects: [shop, shop] } },
  ])("of a start that failed since $because is not there, where it was not, nor what was in none", async (row) => {
    const parent = await folderWith(".gitkeep");
    await using other = await emulatorUnderTest();
    const port = Number(new URL(other.emulator.url).port);
    const { refused, because: _, ...options } = { tokens: ["T"], seed: { projects: [shop] }, ...row };
    for (const dataDir of [parent, join(parent, "deep", "state")]) {
      await expect(startEmulator({ port, ...options, dataDir })).rejects.toMatchObject(refused);
      expect(await namesIn(parent)).toEqual([".gitkeep"]);
    }
    await mkdir(join(parent, "deep"));
    await expect(startEmulator({ port, ...options, dataDir: join(parent, "deep", "state") })).rejects.toMatchObject(
      refused,
    );
    expect(await namesIn(parent)).toEqual([".gitkeep", "deep"]); // somebody else's
    await using _under = await emulatorUnderTest({ dataDir: join(parent, "deep", "state") });
  });

  it("that is empty but for what no program made is taken, also a second time, with what was laid beside", async () => {
    const dataDir = await folderWith(".gitkeep");
    await mkdir(join(dataDir, "lost+found"));
    await (await startEmulator({ tokens: ["T"], dataDir })).stop();
    await writeFile(join(dataDir, "notes.txt"), "");
    await using under = await emulatorUnderTest({ tokens: [], dataDir }); // the token is in the folder
    expect((await under.call("GET", "/v1/profile", { token: "T" })).status).toBe(200);
  });
});
