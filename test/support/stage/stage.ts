import { request } from "undici";
import { type Emulator, type EmulatorOptions, startEmulator } from "../../../src/emulator/emulator.ts";
import { acquireCluster } from "../control-plane/cluster.ts";
import type { Cluster } from "../control-plane/existing.ts";
import { type OperatorHandle, type OperatorOptions, startOperator } from "../operator/operator.ts";
import { createNamespace } from "./objects.ts";
import { Room } from "./room.ts";

/**
 * test/support/stage: everything that runs in an end-to-end test of the operator: a real control plane, the emulator, and the operator
 * as the chart installs it. One stage a file; each test has a room (namespace, token, Connection, organization) of its own on it.
 */
export interface StageOptions {
  readonly emulator?: EmulatorOptions;
  readonly operator?: OperatorOptions;
}

export interface Stage extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly emulator: Emulator;
  readonly operator: OperatorHandle;
  /** A namespace with a Connection `default`, whose token owns an organization of the same name. */
  room(name: string): Promise<Room>;
  /** A call to the emulator as a human with the room's token would make it. */
  call(
    method: string,
    path: string,
    token: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly json: unknown }>;
}

/** Lives pass this many times as fast as on the platform, so that tests wait milliseconds. */
const SPEED = 100;

export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const stack = new AsyncDisposableStack();
  try {
    const cluster = await acquireCluster();
    stack.defer(() => cluster.stop());
    const emulator = await startEmulator({ tokens: ["stage-owner"], speed: SPEED, ...options.emulator });
    stack.defer(() => emulator.stop());
    const operator = stack.use(await startOperator(cluster, options.operator));
    await operator.waitReady();
    const owned = stack.move();
    return {
      cluster,
      emulator,
      operator,
      room: (name) => openRoom(cluster, emulator, name),
      call: (method, path, token, body) => call(`${emulator.url}${path}`, method, token, body),
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function openRoom(cluster: Cluster, emulator: Emulator, name: string): Promise<Room> {
  const token = `token-of-${name}`;
  await emulator.control.state.seed({
    users: [{ username: `user-of-${name}` }],
    tokens: [{ token, user: `user-of-${name}` }],
    organizations: [{ slug: name, plan: "enterprise", members: { [`user-of-${name}`]: "Owner" } }],
  });
  await createNamespace(cluster, name);
  const room = new Room({ cluster, emulator, namespace: name, token });
  await room.apply(room.connection());
  return room;
}

async function call(url: string, method: string, token: string, body: unknown): ReturnType<Stage["call"]> {
  const answer = await request(url, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, json: text === "" ? undefined : (JSON.parse(text) as unknown) };
}
