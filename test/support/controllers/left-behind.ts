import { z } from "zod";
import { RELEASES_NAME } from "../../../src/controllers/shared/releases.ts";
import type { LivedStage } from "./life-in-each.ts";

const listSchema = z.looseObject({ data: z.record(z.string(), z.string()).optional() });
const lineSchema = z.looseObject({ remote: z.string(), cause: z.string() });

/** What was left remotely, as the operator's list has it with its cause, and as its Warning events name it. */
export function leftBehind({ theatre, life }: LivedStage): {
  readonly listed: readonly string[];
  readonly events: readonly string[];
} {
  const { data = {} } = listSchema.parse(theatre.kubernetes.get("configmaps", "baas-system", RELEASES_NAME) ?? {});
  const lines = Object.values(data).map((line) => lineSchema.parse(JSON.parse(line)));
  const events = life.events.filter(({ type, reason }) => type === "Warning" && reason === "Released");
  return {
    listed: lines.map(({ remote, cause }) => `${remote}: ${cause}`).toSorted(),
    events: events.map(({ note }) => /let go and (?<what>.*) stays:/u.exec(note)?.groups?.["what"] ?? ""),
  };
}
