import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { readSecret } from "../shared/core-objects.ts";

/** engine.md §4: a generated password is stored before the project is made with it, generated for no other reason, and lives as long as that. */

const SECRET = "shop-database-password";

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

async function applied(spec: object): Promise<void> {
  const metadata = { name: "shop", namespace: NAMESPACE };
  const kind = "Project";
  theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata,
    spec: { organization: "acme", ...spec },
  });
  expect(await life.settle(kind, "shop")).toMatchObject({ kind: "done" });
}

/** What the platform tells of the password of the only project. */
async function remotePassword(): Promise<object | undefined> {
  return (await theatre.emulator.control.state.read({})).projects[0]?.databasePassword;
}

describe("a generated password", () => {
  it("is the one of its Secret, and never set again", async () => {
    await applied({});
    const place = { namespace: NAMESPACE, name: SECRET };
    const stored = await readSecret(life.environment.kube, place, new AbortController().signal);
    const text = stored?.data["password"]?.toString("utf8") ?? "";
    expect(text).toMatch(/^[\w-]{32}$/u);
    const digest = createHash("sha256").update(text).digest("hex");
    expect(await remotePassword()).toEqual({ digest, changes: 0 });
  });

  it.each([
    { deletionPolicy: "Retain", owners: undefined },
    { deletionPolicy: "Delete", owners: [expect.objectContaining({ kind: "Project", name: "shop" })] },
  ])("goes with the object only where the project does: $deletionPolicy", async ({ deletionPolicy, owners }) => {
    await applied({ deletionPolicy });
    expect(theatre.kubernetes.get("secrets", NAMESPACE, SECRET)?.metadata.ownerReferences).toEqual(owners);
  });
});

describe("a project that was there before", () => {
  it("keeps its password where none is declared, and gets no Secret with another", async () => {
    const body = { name: "theirs", organization_slug: "acme", db_pass: "set by somebody else" };
    const { ref } = await life.client.projects.create({ body });
    await applied({ ref });
    await theatre.pass(600_000);
    await life.run("Project", "shop", "drift");
    expect(await remotePassword()).toMatchObject({ changes: 0 });
    expect(theatre.kubernetes.get("secrets", NAMESPACE, SECRET)).toBeUndefined();
  });
});
