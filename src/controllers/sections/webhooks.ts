import { calling } from "../shared/failures.ts";
import { digestOf } from "./memory.ts";
import { type Section, type SectionAt, type SectionLook, SETTLED } from "./section.ts";
import { NO_REFERENCES } from "./section-references.ts";

/** spec.database.webhooksEnabled: what the platform cannot tell and cannot take back is asked for once, and nothing is claimed of it. */

const SENT = digestOf(true);
const UNTOLD = "the platform does not tell whether database webhooks are enabled, and nothing was asked for";

function lookAt(at: SectionAt, sent: string | undefined): SectionLook {
  // Where nothing is written, nothing can be said.
  const isDue = sent !== SENT && !at.isObserved;
  const { client, ref } = at;
  return {
    changes: isDue ? [{ field: "spec.database.webhooksEnabled", cause: "edit", difference: "", remembered: true }] : [],
    progress: SETTLED,
    ...(sent === undefined && at.isObserved ? { unknown: UNTOLD } : {}),
    ...(sent === undefined ? {} : { sent }),
    restarts: () => false,
    write: async (_due, { send }) => {
      await calling("enable database webhooks", () => send((call) => client.database.enableWebhooks({ ref }, call)));
      return lookAt(at, SENT);
    },
  };
}

export const webhooksSection: Section = {
  name: "database.webhooksEnabled",
  about: "What database webhooks need. One write, once; the platform cannot tell whether it is there.",
  operations: ["database.enableWebhooks"],
  writeOnly: ["database.webhooksEnabled"],
  lacks:
    "Webhooks can only be enabled, and nothing tells whether they are: the field takes true alone, is sent once, and taking it out of the spec disables nothing.",
  declared: (spec) => spec.database?.webhooksEnabled,
  references: () => NO_REFERENCES,
  look: (at, _spec, entry) => Promise.resolve(lookAt(at, entry?.sent)),
};
