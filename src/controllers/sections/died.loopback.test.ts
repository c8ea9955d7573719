import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { operations } from "../../api/contract/contract.ts";

/** An operator that dies over sections: each comes to what is declared, and nothing is asked for a second time that a read shows to be there. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

/** Questions that are asked by other methods than GET. */
const QUESTIONS = new Set(["vanitySubdomain.checkAvailability", "customHostname.reverify"]);
const WRITES = new Set(
  operations.filter(({ id, method }) => method !== "GET" && !QUESTIONS.has(id)).map(({ id }) => id),
);
const SECRET = { secretKeyRef: { name: "smtp", key: "password" } };
/** Longer than any rest or restart. */
const LONG_MS = 86_400_000;

function declare(spec: object): void {
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: NAMESPACE },
    spec: { organization: "acme", ...spec },
  });
}

/** What was written, an add-on that is selected or taken away being one thing. */
async function writes(): Promise<readonly string[]> {
  const made = (await stage.calls()).filter((id) => WRITES.has(id));
  return made.map((id) => (id === "addons.remove" ? "addons.apply" : id)).toSorted();
}

/** Runs the Project until it rests, or waits for somebody's DNS. */
async function rest(life: Life): Promise<void> {
  for (let run = 0; run < 20; run += 1) {
    const outcome = await life.run("Project", "shop", run === 0 ? "change" : "progress");
    const isOver = outcome.kind === "done" || stage.condition("Ready")?.reason === "DnsPending";
    if (life.dead || isOver) return;
    await stage.theatre.pass("retryAfterMs" in outcome ? (outcome.retryAfterMs ?? 1000) : 1000);
  }
}

const even = (nth: number): boolean => nth % 2 === 0;

/** Sections of more than one request, each declared anew every time. */
const scenarios: readonly { readonly name: string; readonly spec: (nth: number) => object }[] = [
  {
    name: "add-ons with what needs them",
    spec: (nth) => ({
      addons: { ipv4: even(nth), customDomain: true },
      customHostname: { hostname: `api-${nth}.example.com` },
    }),
  },
  {
    name: "SSL enforcement and the compute size, which restart one after the other",
    spec: (nth) => ({ database: { ssl: { enforced: even(nth) } }, instanceSize: even(nth) ? "small" : "medium" }),
  },
  { name: "the disk, which is told by a read", spec: (nth) => ({ disk: { iops: 3500 + nth } }) },
  {
    name: "just-in-time access, network restrictions and the vanity subdomain",
    spec: (nth) => ({
      database: {
        jitAccess: even(nth) ? "Enabled" : "Disabled",
        networkRestrictions: { allowedCidrs: [`203.0.113.${nth}/32`] },
      },
      vanitySubdomain: { name: `shop-${nth}` },
    }),
  },
  {
    name: "what is read again since no answer tells it",
    spec: (nth) => ({
      storage: { fileSizeLimit: 1000 + nth },
      realtime: { maxConcurrentUsers: 100 + nth },
      legacyApiKeysEnabled: even(nth),
      database: {
        backups: { scheduleFor: `03:00:${String(nth).padStart(2, "0")}` },
        pooler: { defaultPoolSize: 20 + nth },
      },
    }),
  },
];

describe.each(scenarios)("an operator that dies over $name", ({ spec }) => {
  it("and comes again makes what is declared, by as many writes as one that lives", async () => {
    declare(spec(0));
    await rest(await stage.theatre.life());
    await stage.theatre.pass(LONG_MS);
    await stage.calls();
    declare(spec(1));
    const living = await stage.theatre.life();
    await rest(living);
    const wanted = await writes();
    const states = stage.stored().sections?.map(({ name, state }) => `${name} ${state}`);
    for (let survived = 0; survived < living.begun; survived += 1) {
      await stage.theatre.pass(LONG_MS);
      declare(spec(survived + 2));
      await rest(await stage.theatre.life(survived));
      await rest(await stage.theatre.life());
      expect(await writes(), `died after ${survived} requests`).toEqual(wanted);
      expect(stage.stored().sections?.map(({ name, state }) => `${name} ${state}`)).toEqual(states);
    }
  });
});

describe("an operator that dies over what no read shows", () => {
  it("sends it again, as what was sent last, and then no more", async () => {
    const fault = { kind: "status", status: 201, body: {} } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "database.enableWebhooks", count: null, fault });
    stage.putSecret("smtp", { password: "first" });
    const spec = (nth: number): object => ({
      auth: { smtp: { host: `smtp-${nth}.example.com`, port: 465, user: "u", password: SECRET, adminEmail: "a@b.co" } },
      ...(even(nth) ? {} : { database: { webhooksEnabled: true } }),
    });
    declare(spec(0));
    await (await stage.theatre.life()).settle("Project", "shop");
    await stage.theatre.pass(LONG_MS);
    declare(spec(1));
    const living = await stage.theatre.life();
    await living.settle("Project", "shop");
    for (let survived = 0; survived < living.begun; survived += 1) {
      declare(spec(0));
      await (await stage.theatre.life()).settle("Project", "shop");
      await stage.theatre.pass(LONG_MS);
      stage.putSecret("smtp", { password: `password-${survived}` });
      await stage.calls();
      declare(spec(2 * survived + 3));
      await (await stage.theatre.life(survived)).settle("Project", "shop");
      await (await stage.theatre.life()).settle("Project", "shop");
      const made = await writes();
      expect([1, 2]).toContain(made.filter((id) => id === "authConfig.update").length);
      expect([1, 2]).toContain(made.filter((id) => id === "database.enableWebhooks").length);
      expect(stage.stored().sections?.every(({ state }) => state === "InSync")).toBe(true);
      await (await stage.theatre.life()).settle("Project", "shop");
      expect(await writes()).toEqual([]);
    }
  });
});
