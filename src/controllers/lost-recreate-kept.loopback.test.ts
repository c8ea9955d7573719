import { describe, expect, it } from "vitest";
import { z } from "zod";
import { NAMESPACE } from "../../test/support/controllers/life.ts";
import { lifeInEach } from "../../test/support/controllers/life-in-each.ts";
import { annotations } from "../resources/annotations.ts";
import { RELEASES_NAME } from "./shared/releases.ts";

/** What a lost request made in the place of what was gone is kept with its object's policy, and told of like the rest (engine.md §5). */

const stage = lifeInEach();

const apiVersion = "baas.dev/v1alpha1";
const GONE_FOR_CERTAIN_MS = 600_000;

function put(plural: "projects" | "branches", name: string, spec: object): void {
  const kind = plural === "projects" ? "Project" : "Branch";
  stage.theatre.kubernetes.put(plural, { apiVersion, kind, metadata: { name, namespace: NAMESPACE }, spec });
}

function refOf(plural: string, name: string): string {
  const status: unknown = stage.theatre.kubernetes.get(plural, NAMESPACE, name)?.["status"];
  return z.looseObject({ ref: z.string() }).parse(status).ref;
}

function annotate(plural: string, added: Readonly<Record<string, string>>): void {
  const stored = stage.theatre.kubernetes.get(plural, NAMESPACE, "a");
  if (stored === undefined) throw new Error("it is gone");
  const { metadata } = stored;
  const given = { ...metadata.annotations, ...added };
  stage.theatre.kubernetes.put(plural, {
    ...stored,
    metadata: { ...metadata, namespace: NAMESPACE, annotations: given },
  });
}

/** The recreation of what is gone is asked for, which takes effect or not, and its answer is lost. */
async function recreateUnanswered(plural: "projects" | "branches", phase: "before" | "after"): Promise<void> {
  const kind = plural === "projects" ? "Project" : "Branch";
  await stage.theatre.pass(GONE_FOR_CERTAIN_MS);
  await stage.life.settle(kind, "a");
  annotate(plural, { [annotations.recreate]: refOf(plural, "a") });
  const fault = { kind: "reset", phase } as const;
  await stage.theatre.emulator.control.faults.add({ operation: `${plural}.create`, count: 1, fault });
  const asked = (): boolean =>
    JSON.stringify(stage.theatre.kubernetes.get(plural, NAMESPACE, "a")?.["status"]).includes('"intent"');
  for (let n = 0; n < 6 && !asked(); n += 1) {
    await stage.life.run(kind, "a");
    await stage.theatre.pass(61_000);
  }
  expect(asked()).toBe(true);
}

async function removeAndList(plural: "projects" | "branches"): Promise<readonly string[]> {
  stage.theatre.kubernetes.delete(plural, NAMESPACE, "a", stage.theatre.clock.now());
  await stage.life.settle(plural === "projects" ? "Project" : "Branch", "a");
  expect(stage.theatre.kubernetes.get(plural, NAMESPACE, "a")).toBeUndefined();
  const { data = {} } = z
    .looseObject({ data: z.record(z.string(), z.string()).optional() })
    .parse(stage.theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME) ?? {});
  const lines = Object.values(data).map((line) =>
    z.looseObject({ remote: z.string(), message: z.string() }).parse(JSON.parse(line)),
  );
  return lines.map(({ remote, message }) => `${remote}: ${message.split(" with ")[1] ?? ""}`).toSorted();
}

/** Refs of what the events of the object tell that it is kept. */
function told(): readonly (string | undefined)[] {
  const kept = stage.life.events.filter(
    ({ regarding, reason }) => regarding.kind !== "Namespace" && reason === "Retained",
  );
  return kept.map(({ note }) => /project (?<ref>\S+) is kept/u.exec(note)?.groups?.["ref"]);
}

/** How a look comes to nothing: what is kept waits for none. */
const NO_LOOK = [
  { status: 404, operation: "organizations.listProjects" },
  { status: 401, operation: "*" },
  { status: 429, operation: "*" },
] as const;

describe("a Project that is deleted with Retain after a recreation that got no answer", () => {
  async function loseIt(phase: "before" | "after"): Promise<string> {
    put("projects", "a", { organization: "acme", name: "x", deletionPolicy: "Retain" });
    await stage.life.settle("Project", "a");
    const ref = refOf("projects", "a");
    await stage.life.client.projects.delete({ ref });
    await recreateUnanswered("projects", phase);
    return ref;
  }

  it("lists what that made by its ref", async () => {
    const old = await loseIt("after");
    const { projects } = await stage.theatre.emulator.control.state.read({});
    const made = projects.find(({ name, ref }) => name === "x" && ref !== old)?.ref ?? "none";
    const both = [old, made].map((ref) => `project ${ref}: spec.ref: ${ref}`);
    expect(await removeAndList("projects")).toEqual(both.toSorted());
  });

  it("tells of each once, where the list takes no more than the first at once", async () => {
    const old = await loseIt("after");
    stage.theatre.kubernetes.failWrite(2, "refused"); // after a status and the first line
    expect(await removeAndList("projects")).toHaveLength(2);
    expect(stage.life.events.map(({ reason }) => reason)).toContain("DeletionBlocked");
    expect(told()).toEqual([old, expect.not.stringContaining(old)]);
  });

  it("lists nothing of what a look does not find", async () => {
    const old = await loseIt("before");
    expect(await removeAndList("projects")).toEqual([`project ${old}: spec.ref: ${old}`]);
  });

  it.each(NO_LOOK)(
    "lists it by its name, and goes, where the look is answered $status",
    async ({ status, operation }) => {
      const old = await loseIt("after");
      await stage.theatre.emulator.control.faults.add({ operation, count: null, fault: { kind: "status", status } });
      const byName = "project acme/x: adoptionPolicy: IfNameMatches";
      expect(await removeAndList("projects")).toEqual([byName, `project ${old}: spec.ref: ${old}`].toSorted());
    },
  );
});

describe("a Branch that is deleted with Retain after a recreation that got no answer", () => {
  async function loseIt(phase: "before" | "after"): Promise<string> {
    put("projects", "shop", { organization: "acme" });
    await stage.life.settle("Project", "shop");
    const parentRef = refOf("projects", "shop");
    await stage.life.client.branches.create({ ref: parentRef, body: { branch_name: "main" } });
    put("branches", "a", { projectRef: { name: "shop" }, name: "x", persistent: true, deletionPolicy: "Retain" });
    await stage.life.settle("Branch", "a");
    const ref = refOf("branches", "a");
    const { id = "" } =
      (await stage.life.client.branches.list({ ref: parentRef })).find(({ name }) => name === "x") ?? {};
    await stage.life.client.branches.update({ branch_id_or_ref: id, body: { persistent: false } }, { parentRef });
    await stage.life.client.branches.delete({ branch_id_or_ref: id }, { parentRef });
    await recreateUnanswered("branches", phase);
    return ref;
  }

  const namesOf = (lines: readonly string[]): readonly string[] => lines.map((line) => line.split(":")[0] ?? "");

  it.each([
    { phase: "after", also: ["branch x"] },
    { phase: "before", also: [] },
  ] as const)("lists $also as well where it was lost $phase its effect", async ({ phase, also }) => {
    const ref = await loseIt(phase);
    expect(namesOf(await removeAndList("branches"))).toEqual([`branch ${ref}`, ...also].toSorted());
  });

  it.each([{ status: 404, operation: "branches.list" } as const, ...NO_LOOK.slice(1)])(
    "lists it by its name, and goes, where the look is answered $status",
    async ({ status, operation }) => {
      const ref = await loseIt("after");
      await stage.theatre.emulator.control.faults.add({ operation, count: null, fault: { kind: "status", status } });
      expect(namesOf(await removeAndList("branches"))).toEqual([`branch ${ref}`, "branch x"].toSorted());
    },
  );
});
