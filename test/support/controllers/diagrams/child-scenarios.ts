import { NAMESPACE } from "../life.ts";
import type { Play } from "./play.ts";
import { type Happening, LONG_MS, putShop, shopRef, troubles } from "./scenarios.ts";

/** What happens to what lives in a project and has no ref of its own. */

export function functionLife(play: Play): readonly Happening[] {
  const { functions: ordered, faults } = play.theatre.emulator.control;
  const projectRef = { name: "shop" };
  const put = (text: string, more: object = {}): void =>
    play.put("edgefunctions", "one", { projectRef, source: { inline: { files: { "index.ts": text } } }, ...more });
  const at = (): { ref: string; function_slug: string } => ({ ref: shopRef(play), function_slug: "one" });
  const set = (verifyJwt: boolean): Promise<unknown> =>
    play.client.functions.update({ ...at(), body: { verify_jwt: verifyJwt } });
  const deploy = (): Promise<unknown> => {
    const body = { metadata: { entrypoint_path: "a.ts" }, files: [{ path: "a.ts", content: "by hand" }] };
    return play.client.functions.deploy({ ref: shopRef(play), slug: "one", body });
  };
  const remove = (): Promise<unknown> => play.client.functions.delete(at());
  return [
    { what: "applied with its Project", act: () => put("1"), moves: true },
    { what: "given another source", act: () => put("2") },
    { what: "given another setting", act: () => put("2", { verifyJwt: false }) },
    { what: "set otherwise by hand", act: () => set(true) },
    { what: "deployed by hand", act: deploy },
    { what: "deleted by hand", act: remove },
    { what: "set to Report", act: () => put("2", { driftPolicy: "Report" }) },
    { what: "set otherwise by hand again", act: () => set(false) },
    { what: "set to Correct", act: () => put("2") },
    { what: "set to Report again", act: () => put("2", { driftPolicy: "Report" }) },
    { what: "deleted by hand, and left so", act: remove, moves: true },
    { what: "set to Correct again", act: () => put("2"), moves: true },
    ...troubles(play, "edgefunctions", "one"),
    { what: "set to Observe", act: () => put("2", { name: "x", managementPolicy: "Observe" }) },
    { what: "set to Manage", act: () => put("2") },
    {
      what: "given a source that does not bundle",
      act: async () => {
        await ordered.failBundle({ slug: "one", count: null });
        put("3");
      },
      moves: true,
    },
    {
      what: "given one that does",
      act: async () => {
        await ordered.mendBundles({});
        put("4");
      },
      moves: true,
    },
    {
      what: "deployed while somebody else deploys",
      act: async () => {
        await faults.add({ operation: "functions.deploy", count: 2, fault: { kind: "status", status: 409 } });
        put("5");
      },
      moves: true,
    },
    {
      what: "given a setting that the platform does not keep",
      act: async () => {
        const body = await play.client.functions.get(at());
        await faults.add({ operation: "functions.update", count: null, fault: { kind: "status", status: 200, body } });
        put("5", { verifyJwt: false });
      },
      moves: true,
      restMs: LONG_MS,
    },
    {
      what: "given back the setting that it has",
      act: async () => {
        await faults.clear({});
        put("5");
      },
    },
    {
      what: "given a source that is not there",
      act: () => play.put("edgefunctions", "one", { projectRef, source: { configMapRef: { name: "files" } } }),
      moves: true,
    },
    { what: "the source put there", act: () => play.putCore("configmaps", "files", { "index.ts": "6" }), moves: true },
    { what: "the source changed", act: () => play.putCore("configmaps", "files", { "index.ts": "7" }) },
    { what: "its Project paused", act: () => putShop(play, { state: "Paused" }), moves: true },
    { what: "its Project resumed", act: () => putShop(play, { state: "Running" }), moves: true },
    { what: "deleted", act: () => play.theatre.kubernetes.delete("edgefunctions", NAMESPACE, "one") },
  ];
}

export function secretLife(play: Play): readonly Happening[] {
  const { faults } = play.theatre.emulator.control;
  const put = (more: object = {}): void =>
    play.put("secrets", "one", { projectRef: { name: "shop" }, from: [{ secretRef: { name: "values" } }], ...more });
  const values = (given: Readonly<Record<string, string>>): void => play.putCore("secrets", "values", given);
  const set = (name: string, value: string): Promise<unknown> =>
    play.client.secrets.create({ ref: shopRef(play), body: [{ name, value }] });
  return [
    { what: "applied with its Project, without values", act: () => put() },
    { what: "the values put there", act: () => values({ A: "1", B: "2" }), moves: true },
    { what: "a value rotated, and one taken away", act: () => values({ A: "3" }) },
    { what: "set otherwise by hand", act: () => set("A", "theirs") },
    { what: "set to Report", act: () => put({ driftPolicy: "Report" }) },
    { what: "set otherwise by hand again", act: () => set("A", "theirs") },
    { what: "set to Correct", act: () => put() },
    ...troubles(play, "secrets", "one"),
    {
      what: "set to Observe, and otherwise by hand",
      act: async () => {
        await set("A", "theirs");
        put({ managementPolicy: "Observe" });
      },
    },
    { what: "set to Manage", act: () => put() },
    {
      what: "given a name that somebody has",
      act: async () => {
        await set("THEIRS", "x");
        values({ A: "3", THEIRS: "3" });
      },
      moves: true,
    },
    { what: "not given it", act: () => values({ A: "3" }), moves: true },
    {
      what: "given a value that the platform takes and does not keep",
      act: async () => {
        await faults.add({
          operation: "secrets.create",
          count: null,
          fault: { kind: "status", status: 201, body: {} },
        });
        values({ A: "not kept" });
      },
      moves: true,
    },
    {
      what: "given another where it keeps it",
      act: async () => {
        await faults.clear({});
        values({ A: "kept" });
      },
    },
    {
      what: "its Project deleted, which stays on the platform",
      act: () => play.theatre.kubernetes.delete("projects", NAMESPACE, "shop"),
      moves: true,
    },
    { what: "deleted", act: () => play.theatre.kubernetes.delete("secrets", NAMESPACE, "one") },
  ];
}
