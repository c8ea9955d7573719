import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Seen } from "../matrix/seen.ts";
import { sha256 } from "../stage/functions.ts";
import { ENDED, requestsSchema } from "./branch-requests.ts";
import type { Garden } from "./garden.ts";
import { refOf } from "./hand-actions.ts";
import { RESTART } from "./life-actions.ts";
import { OUTPUT, types } from "./manifests.ts";
import { settings } from "./settings.ts";
import type { World } from "./world.ts";

/** Whether the project itself is as it should be: its settings, its password, its connection output, and what was asked of it once. */

/** What is wrong in a garden in which all else is as it should be. */
export async function projectFaults(world: World, garden: Garden, all: readonly Seen[]): Promise<readonly string[]> {
  const shop = all.find(({ kind, metadata }) => kind === "Project" && metadata.namespace === garden.namespace);
  if (garden.projectName === undefined || shop === undefined) return [];
  const ref = await refOf(world.emulator, garden);
  const faults = [
    ...(await settingFaults(world, garden, ref)),
    ...(await outputFaults(world, garden, ref)),
    ...(await restartFaults(world, garden, { ref, shop })),
  ];
  return faults.map((fault) => `${garden.namespace}: ${fault}`);
}

async function settingFaults(world: World, garden: Garden, ref: string): Promise<readonly string[]> {
  const client = world.human(garden);
  const looked = [...garden.settings.found].map(async ([name, value]) => {
    const { path, read, shown } = settings[name];
    const found = await read(client, ref);
    return isDeepStrictEqual(found, shown(value))
      ? []
      : [`${path} is ${String(found)} instead of ${String(shown(value))}`];
  });
  return (await Promise.all(looked)).flat();
}

const secretSchema = z.object({ data: z.record(z.string(), z.string()).default({}) });

/** The output tells of this project, with the password that is in force and the key that the platform shows. */
async function outputFaults(world: World, garden: Garden, ref: string): Promise<readonly string[]> {
  const { projects } = await world.emulator.control.state.read({});
  const digest = projects.find((project) => project.ref === ref)?.databasePassword.digest;
  const isSet = digest === sha256(garden.password);
  const wrong = await toldOtherwise(world, garden, { secret: OUTPUT, ref, also: { password: garden.password } });
  return [...(isSet ? [] : ["the password of the database is not that of its Secret"]), ...wrong];
}

interface Output {
  /** name of the Secret */
  readonly secret: string;
  /** of what it is about */
  readonly ref: string;
  readonly also?: Readonly<Record<string, string>>;
}

/** What a connection Secret tells otherwise than it is. */
export async function toldOtherwise(
  world: World,
  garden: Garden,
  { secret: output, ref, also = {} }: Output,
): Promise<readonly string[]> {
  const { namespace } = garden;
  const { items } = await world.kube.listPage(types.coreSecret, { namespace, limit: 0 });
  const secret = items.find(({ metadata }) => metadata.name === output);
  if (secret === undefined) return [`the connection Secret ${output} is not there`];
  const keys = await world.human(garden).apiKeys.list({ ref, reveal: true });
  const key = keys.find(({ type, name }) => type === "publishable" && name === "default")?.api_key;
  const told = textsIn(secret);
  const wrong = Object.entries({ ref, ...also, "publishable-key": key }).filter(
    ([name, value]) => told[name] !== value,
  );
  return wrong.map(([name]) => `the connection Secret ${output} tells another ${name}`);
}

function textsIn(secret: unknown): Readonly<Record<string, string>> {
  const { data } = secretSchema.parse(secret);
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [name, Buffer.from(value, "base64").toString("utf8")]),
  );
}

interface Asked {
  readonly ref: string;
  readonly shop: Seen;
}

/** Each restart that was asked for in this round has come to its end, and none was sent twice where the first may have arrived (engine.md §4). */
async function restartFaults(world: World, { restarts }: Garden, { ref, shop }: Asked): Promise<readonly string[]> {
  const records = requestsSchema.parse(shop.status["requests"]).filter(({ verb }) => verb === RESTART);
  const open = restarts.flatMap((id) => {
    const state = records.find((record) => record.id === id)?.state;
    return state !== undefined && ENDED.includes(state) ? [] : [`the restart ${id} is ${state ?? "not recorded"}`];
  });
  const { entries } = await world.emulator.control.log.read({ operation: "projects.restart" });
  const arrived = entries.filter(
    ({ scope, status }) => scope === ref && (status === null || status < 400 || status >= 500),
  );
  const many =
    arrived.length > restarts.length ? [`${arrived.length} restarts for ${restarts.length} that were asked for`] : [];
  const succeeded = records.filter(({ id, state }) => restarts.includes(id) && state === "Succeeded").length;
  const few =
    arrived.length < succeeded ? [`${succeeded} restarts are called done, and ${arrived.length} were made`] : [];
  return [...open, ...many, ...few];
}
