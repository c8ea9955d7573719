import { isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";
import { explain } from "./failures.ts";
import type { IdentityStatus } from "./record-identity.ts";
import type { Run } from "./run.ts";
import type { Session } from "./sessions.ts";

/** Whether a look failed as nothing of where it looked is shown to the token. */
export function isHidden(failure: Error): boolean {
  return causeChain(failure).some((link) => isApiError(link, "GONE", "FORBIDDEN"));
}

/**
 * Why the account may not see what is there: that something is missing is believed only while it still reads the organization (engine.md §4). Whoever is
 * forbidden to read that may be forbidden the rest, so that nothing is taken for gone.
 *
 * @param slug undefined: any organization will do, as nothing tells which it is
 * @returns undefined where nothing says so
 * @throws the failure to read, where that says nothing of the access
 */
export async function whyUnreadable<Status extends IdentityStatus>(
  { call }: Run<Status>,
  { client: { organizations } }: Session,
  slug: string | undefined,
): Promise<string | undefined> {
  try {
    if (slug === undefined) {
      const all = await organizations.list(undefined, call);
      return all.length === 0 ? "the token reads no organization any more" : undefined;
    }
    await organizations.get({ slug }, call);
    return undefined;
  } catch (error) {
    if (!isApiError(error, "GONE", "FORBIDDEN")) throw explain(error, "read the organization");
    return `the token does not read the organization${slug === undefined ? "s" : ` ${slug}`} any more`;
  }
}
