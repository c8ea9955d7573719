import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { branchOf } from "../support/stage/branches.ts";
import { conditionOf, type Room, type SeenObject } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** What annotations ask for once, on a real control plane and the emulator: woken by them alone, and told in the status that the apiserver stores. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage();
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

const requestsSchema = z.array(
  z.looseObject({
    verb: z.string(),
    id: z.string(),
    state: z.string(),
    message: z.string().optional(),
    run: z.object({ steps: z.array(z.object({ name: z.string(), status: z.string() })) }).optional(),
  }),
);

function requestsOf({ status }: SeenObject): z.infer<typeof requestsSchema> {
  return requestsSchema.parse(status["requests"] ?? []);
}

async function ask(room: Room, kind: "project" | "branch", name: string, request: string): Promise<void> {
  await room.kubectl("annotate", "--overwrite", kind, name, request);
}

/** The request once it has come to its end. */
async function ended(room: Room, kind: "Project" | "Branch", name: string, id: string) {
  const isOver = ({ state }: { readonly state: string }): boolean => !["Waiting", "Sending", "Running"].includes(state);
  const object = await room.until(kind, name, (seen) =>
    requestsOf(seen).some((request) => request.id === id && isOver(request)),
  );
  return { object, request: requestsOf(object).find((request) => request.id === id) };
}

describe("an annotation", () => {
  it("has a project restarted once; what is asked for while the object is paused follows when it is not", async () => {
    const room = await stage.room("restart");
    await room.apply(room.project("shop"));
    await room.ready("Project", "shop");
    await ask(room, "project", "shop", "baas.dev/restart=first");
    expect((await ended(room, "Project", "shop", "first")).request).toMatchObject({ state: "Succeeded" });
    await ask(room, "project", "shop", "baas.dev/paused=true");
    await room.until("Project", "shop", (seen) => conditionOf(seen, "Paused")?.status === "True");
    await ask(room, "project", "shop", "baas.dev/allow-writes=second");
    await ask(room, "project", "shop", "baas.dev/paused-");
    expect((await ended(room, "Project", "shop", "second")).request).toMatchObject({ state: "Succeeded" });
    await room.ready("Project", "shop");
    const writes = await room.writes();
    expect(writes.filter((write) => write.startsWith("projects.restart"))).toHaveLength(1);
    expect(writes.filter((write) => write.startsWith("readOnlyMode."))).toHaveLength(1);
  });

  it("that stands on a new object is ignored, and one that is not well-formed is told", async () => {
    const room = await stage.room("copied");
    const metadata = { namespace: room.namespace, name: "shop", annotations: { "baas.dev/restart": "from-elsewhere" } };
    await room.apply({ ...room.project("shop"), metadata });
    const object = await room.ready("Project", "shop");
    expect(requestsOf(object)).toMatchObject([{ id: "from-elsewhere", state: "Ignored" }]);
    await ask(room, "project", "shop", "baas.dev/restore-to=yesterday");
    const { object: told } = await ended(room, "Project", "shop", "yesterday");
    expect(conditionOf(told, "RequestFailed")?.message).toContain("write a request id, an @ and a time");
    expect(conditionOf(told, "Ready")).toMatchObject({ status: "True" });
    expect((await room.writes()).filter((write) => !write.startsWith("projects.create"))).toEqual([]);
  });

  it("has a branch merged, with the steps of the action run", async () => {
    const room = await stage.room("merge");
    await room.apply(room.project("shop"));
    await room.ready("Project", "shop");
    await room.apply(branchOf(room, "shop", "preview"));
    await room.ready("Branch", "preview");
    await ask(room, "branch", "preview", "baas.dev/merge=one");
    const { request } = await ended(room, "Branch", "preview", "one");
    expect(request).toMatchObject({ state: "Succeeded" });
    expect(request?.run?.steps.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => "EXITED"));
  });
});
