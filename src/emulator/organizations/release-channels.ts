import type { RELEASE_CHANNELS } from "../../api/contract/fields.ts";

type ReleaseChannel = (typeof RELEASE_CHANNELS)[number];

/** The release channels that an organization allows: the same for each, since no document tells what they depend on. */
export const ALLOWED_RELEASE_CHANNELS: readonly ReleaseChannel[] = ["ga", "preview"];
