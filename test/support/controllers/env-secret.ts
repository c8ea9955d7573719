import { digestOf } from "../../../src/controllers/secret/names.ts";
import type { Theatre } from "./life.ts";

/** The environment secret `KEY` of a project, as the platform shows it: its digest alone. */

/** What the platform shows of each value. */
export const SHOWN = { one: digestOf("one"), two: digestOf("two"), byHand: digestOf("by hand") };

/** What it shows of the secret; nothing where there is none. */
export async function shownKey(theatre: Theatre, ref: string): Promise<readonly string[]> {
  const { client } = await theatre.life();
  return (await client.secrets.list({ ref })).filter(({ name }) => name === "KEY").map(({ value }) => value);
}

/** As somebody does who goes around the operator. */
export async function setKeyByHand(theatre: Theatre, ref: string): Promise<void> {
  const { client } = await theatre.life();
  await client.secrets.create({ ref, body: [{ name: "KEY", value: "by hand" }] });
}
