import { z } from "zod";
import type { KubeObject } from "../../resources/meta.ts";
import { requestAnnotation } from "../../resources/requests.ts";
import type { CommonStatus } from "../shared/status-draft.ts";
import type { Run } from "../shared/run.ts";
import type { Recorded } from "./request.ts";

/**
 * Requests that stood unsent for long: the operator was down, the budget spent, the connection broken. What was meant then may be meant no more: a
 * time to go back to, for example, from before what was written since. Such a one is told of and never sent; who means it still asks with another id.
 */

/** How long a request may stand before it is sent, milliseconds. */
const LONGEST_UNSENT_MS = 3_600_000;

export const EXPIRED = "nothing was sent: it stood for more than an hour before it could be; another id asks for it";

/** Whether it was first seen too long ago. Pure. */
export function standsTooLong(record: Pick<Recorded, "askedAt"> | undefined, nowMs: number): boolean {
  return nowMs - Date.parse(record?.askedAt ?? "") > LONGEST_UNSENT_MS;
}

const managedSchema = z.array(
  z.object({
    time: z.string().optional(),
    fieldsV1: z
      .object({ "f:metadata": z.object({ "f:annotations": z.record(z.string(), z.unknown()).optional() }).optional() })
      .optional(),
  }),
);

/**
 * Whether an annotation was certainly set too long ago: whoever set it has written nothing of the object since. The apiserver tells when that was, also
 * for what nobody watched; where it does not, nothing is certain.
 *
 * @throws KubeError
 */
export async function wasSetLongAgo<Status extends CommonStatus>(run: Run<Status>, verb: string): Promise<boolean> {
  const { environment, type, key, signal } = run;
  const object = await environment.kube.get(type, key, { metadataOnly: true, signal });
  // By one clock alone: ours may be hours off, and everything that is asked for would have expired.
  const nowMs = environment.kube.serverNow() ?? Number.NaN;
  return nowMs - setAtMs(object, requestAnnotation(verb)) > LONGEST_UNSENT_MS;
}

/** When whoever owns an annotation last wrote to the object, milliseconds since the epoch; NaN where that is not told. Pure. */
function setAtMs({ metadata }: KubeObject, annotation: string): number {
  const managed = managedSchema.safeParse(metadata["managedFields"]);
  const times = (managed.data ?? []).flatMap(({ time, fieldsV1 }) => {
    const owned = fieldsV1?.["f:metadata"]?.["f:annotations"] ?? {};
    return `f:${annotation}` in owned ? [Date.parse(time ?? "")] : [];
  });
  return times.length === 0 ? Number.NaN : Math.max(...times);
}
