import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked, SHOP } from "../../../test/support/controllers/asked.ts";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/**
 * A request that arrived, and whose operator died before it knew. What it took away, somebody has brought about anew by the time that the next life looks:
 * that is what nobody asked to be taken away, and nothing is sent a second time.
 */

let theatre: Theatre;
let asked: Asked;

async function open(): Promise<void> {
  theatre = await openTheatre();
  asked = new Asked(theatre);
}

beforeEach(open);
afterEach(() => theatre[Symbol.asyncDispose]());

type Kind = "Project" | "Branch";

interface Sought {
  readonly kind: Kind;
  readonly name: string;
  readonly verb: string;
  readonly operation: string;
}

interface Arriving extends Sought {
  /** all that comes before the request is sent, and the asking */
  readonly prepare: () => Promise<void>;
}

/** A theatre in which the request has arrived once, the status does not say so, and nothing of it can arrive any more. */
async function arriveUnheard({ kind, name, verb, operation, prepare }: Arriving): Promise<void> {
  for (let survived = 1; survived < 20; survived += 1) {
    await theatre[Symbol.asyncDispose]();
    await open();
    await prepare();
    await (await theatre.life(survived)).run(kind, name);
    const [record] = asked.requests(kind, name, verb);
    if (record?.state !== "Sending" || (await asked.calls(operation)) !== 1) continue;
    await theatre.pass(130_000);
    return;
  }
  throw new Error(`no life ends right after ${operation}`);
}

/** What the next life makes of it. */
async function outcome({ kind, name, verb, operation }: Sought): Promise<object> {
  await asked.settle(await theatre.life(), kind, name);
  const [{ state, message } = {}] = asked.requests(kind, name, verb);
  return { state, message, sent: await asked.calls(operation) };
}

const UNKNOWN = { state: "Unknown", message: expect.stringContaining("it is not sent again"), sent: 1 };

async function byHand(method: string, path: string, body?: object): Promise<void> {
  const { ok, status } = await fetch(`${theatre.emulator.url}/v1/${path}`, {
    method,
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!ok) throw new Error(`${method} ${path} is answered ${status}`);
}

describe("nothing is sent again", () => {
  it("to let addresses in, where another one was banned since", async () => {
    const lifting: Arriving = {
      kind: "Project",
      name: "shop",
      verb: "lift-network-bans",
      operation: "networkBans.delete",
      prepare: async () => {
        await asked.withShop();
        await theatre.emulator.control.network.ban({ ref: asked.shopRef(), address: "198.51.100.7" });
        asked.ask("Project", "shop", "lift-network-bans", "1");
      },
    };
    await arriveUnheard(lifting);
    await theatre.emulator.control.network.ban({ ref: asked.shopRef(), address: "203.0.113.66" });
    expect(await outcome(lifting)).toEqual(UNKNOWN);
  });

  it.each([
    { lasts: 0, why: "is being restored once more" },
    { lasts: 600_000, why: "was restored once more, which is no end of the restoration that was meant" },
  ])("to cancel a restoration, where the project $why", async ({ lasts }) => {
    const cancelling: Arriving = {
      kind: "Project",
      name: "shop",
      verb: "cancel-restore",
      operation: "projects.cancelRestore",
      prepare: async () => {
        await asked.withShop();
        await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), pitr: true });
        await theatre.pass(120_000);
        const time = new Date(theatre.clock.now() - 60_000).toISOString().replace(/\.\d+Z$/u, "Z");
        asked.ask("Project", "shop", "restore-to", `1@${time}`);
        await (await theatre.life()).run("Project", "shop");
        asked.ask("Project", "shop", "cancel-restore", "1");
      },
    };
    await arriveUnheard(cancelling);
    await byHand("POST", `projects/${asked.shopRef()}/restore`, {});
    await theatre.pass(lasts);
    expect(await outcome(cancelling)).toEqual(UNKNOWN);
    expect(asked.project("shop").state).toBe("ACTIVE_HEALTHY");
  });

  it("to keep a branch, where somebody scheduled its deletion once more", async () => {
    const deleteSoftly = (): Promise<void> => byHand("DELETE", `branches/${asked.branch("preview").ref}?force=false`);
    const restoring: Arriving = {
      kind: "Branch",
      name: "preview",
      verb: "restore",
      operation: "branches.restore",
      prepare: async () => {
        await asked.withShop();
        await theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
        asked.put("Branch", "preview", { projectRef: { name: "shop" } });
        await (await theatre.life()).settle("Branch", "preview");
        await deleteSoftly();
        await theatre.pass(10_000);
        asked.ask("Branch", "preview", "restore", "1");
      },
    };
    await arriveUnheard(restoring);
    await deleteSoftly();
    expect(await outcome(restoring)).toEqual(UNKNOWN);
  });

  it("to replace a root key, where somebody has replaced it since", async () => {
    const encryptionRootKey = { secretKeyRef: { name: "root", key: "rootKey" } };
    const replacing: Arriving = {
      kind: "Project",
      name: "shop",
      verb: "replace-root-key",
      operation: "encryptionKey.update",
      prepare: async () => {
        const data = { rootKey: Buffer.from("0f".repeat(32)).toString("base64") };
        const metadata = { name: "root", namespace: NAMESPACE };
        theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data });
        await asked.withShop();
        asked.put("Project", "shop", { ...SHOP, encryptionRootKey });
        asked.ask("Project", "shop", "replace-root-key", "1");
      },
    };
    await arriveUnheard(replacing);
    await byHand("PUT", `projects/${asked.shopRef()}/pgsodium`, { root_key: "3c".repeat(32) });
    expect(await outcome(replacing)).toEqual({ ...UNKNOWN, sent: 2 }); // the one by hand among them
  });

  it("to ask for a review, where somebody asked for one since", async () => {
    const life = await asked.withShop();
    asked.put("Branch", "preview", { projectRef: { name: "shop" } });
    await life.settle("Branch", "preview");
    const operation = "branches.update";
    await theatre.emulator.control.faults.add({ operation, fault: { kind: "reset", phase: "before" } });
    const reviewing = { kind: "Branch", name: "preview", verb: "request-review", operation } as const;
    asked.ask("Branch", "preview", "request-review", "1");
    await life.run("Branch", "preview");
    await theatre.pass(5000);
    await byHand("PATCH", `branches/${asked.branch("preview").ref}`, { request_review: true });
    expect(await outcome(reviewing)).toEqual({ ...UNKNOWN, sent: 2 }); // the one by hand among them
  });

  it("to let a database write, where that is over by then", async () => {
    const letting: Arriving = {
      kind: "Project",
      name: "shop",
      verb: "allow-writes",
      operation: "readOnlyMode.disableTemporarily",
      prepare: async () => {
        await asked.withShop();
        await theatre.emulator.control.disk.fill({ ref: asked.shopRef(), usedPercent: 97 });
        asked.ask("Project", "shop", "allow-writes", "1");
      },
    };
    await arriveUnheard(letting);
    await theatre.pass(900_000);
    expect(await outcome(letting)).toEqual(UNKNOWN);
  });
});
