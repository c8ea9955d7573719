import { z } from "zod";
import { type DeepReadonly, readStatus } from "../../resources/kind.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { requestStatusFields } from "../../resources/requests.ts";
import { commonStatusFields, statusText } from "../../resources/status.ts";
import { remembering } from "./object-store.ts";

/** Fields that mean the same in every status which has them. */
const commonStatus = z.object({
  ...commonStatusFields,
  ref: statusText("Ref of what the object has, or of the place that it lives in.").optional(),
  requests: requestStatusFields.requests,
});

/** What can be read of the status of an object of ours, whichever kind it is of. */
export type AnyStatus = DeepReadonly<z.output<typeof commonStatus>>;

/** What the status of an object of any kind of ours says, as far as that does not depend on its kind. */
export const commonStatusOf: (object: KubeObject) => AnyStatus = remembering((object) =>
  readStatus(commonStatus, object),
);
