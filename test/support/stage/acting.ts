import { RoomApp } from "./apps.ts";
import { eventually } from "./eventually.ts";
import type { Room } from "./room.ts";
import type { Stage } from "./stage.ts";

/** Rooms whose Connection acts through an OAuth app, and what tests look at there. */

/** How long an access token lives, milliseconds. */
export const HOUR_MS = 3_600_000;
/** The operator's own Secret of the Connection `default`. */
export const KEPT = "baas-operator-connection-default";

/** The refresh token that the operator keeps, once there is one that is not `before`. */
export function keptToken(room: Room, before?: string): Promise<string> {
  return eventually("a refresh token is kept", async () => {
    const encoded = (await room.secret(KEPT))?.data["refresh-token"];
    const token = encoded && Buffer.from(encoded, "base64").toString("utf8");
    return token === before ? undefined : token;
  });
}

interface Acting {
  readonly room: Room;
  readonly app: RoomApp;
  /** what the user's Secret holds */
  readonly seed: string;
}

/** A room whose Connection acts through an app, and whose Project `shop` is Ready by it. */
export async function acting(stage: Stage, name: string): Promise<Acting> {
  const room = await stage.room(name);
  const app = await RoomApp.register(room);
  const seed = await app.consent();
  await room.apply(app.connection(seed));
  await app.acts();
  await room.apply(room.project("shop"));
  await room.ready("Project", "shop");
  return { room, app, seed };
}

/** Whether writes go through: a rename reaches the platform. */
export async function works(room: Room, name: string, withinMs = 40_000): Promise<void> {
  await room.apply(room.project("shop", { name }));
  await eventually(
    `the project is renamed to ${name}`,
    async () => ((await room.projects()).some((project) => project.name === name) ? true : undefined),
    withinMs,
  );
}

/** Uses of the refresh grant by the room's app that the platform answered, as statuses. */
export async function exchanges(room: Room, after: number): Promise<readonly (number | null)[]> {
  const { entries } = await room.emulator.control.log.read({ after });
  const ofApp = (body: unknown): boolean => JSON.stringify(body ?? {}).includes(`app-of-${room.namespace}`);
  return entries
    .filter(({ operation, body }) => operation === "oauth.token" && ofApp(body))
    .map(({ status }) => status);
}

export async function restart(stage: Stage): Promise<void> {
  await stage.operator.restart("SIGKILL");
  await stage.operator.waitReady();
}
