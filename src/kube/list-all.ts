import type { KubeObject, ResourceType } from "../resources/meta.ts";
import type { KubeClient, ListOptions, ListPage } from "./client.ts";
import { isKubeError } from "./errors.ts";

interface ListAllOptions extends ListOptions {
  readonly limit: number;
  readonly signal: AbortSignal;
  /** Waits before a page is asked for again. */
  readonly pause: (failures: number) => Promise<void>;
  /** Called before each request with the longest time it can take, milliseconds. */
  readonly onRequest: (deadlineMs: number) => void;
}

const PAGE_DEADLINE_MS = 60_000;
/** How often in a row one page is asked for again before the whole list counts as failed. */
const PAGE_RETRIES = 3;

/**
 * A complete list, page by page. What passes is retried on the page where it happened, not from the start; a token that expires on the
 * way (the server compacts its history every few minutes) makes it ask for all in one page, as that cannot expire.
 */
export async function listAll(
  client: Pick<KubeClient, "listPage">,
  type: ResourceType,
  options: ListAllOptions,
): Promise<{ readonly items: readonly KubeObject[]; readonly resourceVersion: string }> {
  const { pause, onRequest, ...request } = options;
  const items: KubeObject[] = [];
  let first: ListPage | undefined;
  let continueToken: string | undefined;
  let failures = 0;
  do {
    try {
      onRequest(PAGE_DEADLINE_MS);
      const token = continueToken === undefined ? {} : { continueToken };
      const page = await client.listPage(type, { ...request, ...token, deadlineMs: PAGE_DEADLINE_MS });
      items.push(...page.items);
      first ??= page;
      continueToken = page.continueToken;
      failures = 0;
    } catch (error) {
      if (first === undefined) throw error;
      if (isKubeError(error, "Gone")) return await listInOnePage(client, type, request);
      if (!passes(error) || failures >= PAGE_RETRIES) throw error;
      await pause(failures++);
    }
  } while (continueToken !== undefined);
  return { items, resourceVersion: first.resourceVersion };
}

async function listInOnePage(
  client: Pick<KubeClient, "listPage">,
  type: ResourceType,
  request: ListOptions,
): Promise<ListPage> {
  return await client.listPage(type, { ...request, limit: 0, deadlineMs: PAGE_DEADLINE_MS });
}

function passes(error: unknown): boolean {
  return (
    isKubeError(error) && (error.code === "Unavailable" || error.code === "ServerError" || error.code === "Timeout")
  );
}
