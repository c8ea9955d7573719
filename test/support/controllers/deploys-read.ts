import type { Emulator } from "../../../src/emulator/emulator.ts";

/** Whether deployments were looked at after they were made, as the platform's own log of requests tells it. */

type Entry = Awaited<ReturnType<Emulator["control"]["log"]["read"]>>["entries"][number];

/** The functions of which nobody has read what came of the deployment: no list, nor the function itself. @param entries all of one project */
export function unreadAfterDeploy(entries: readonly Entry[], slugs: Iterable<string>): readonly string[] {
  const isRead = ({ operation, path, status }: Entry, slug: string): boolean =>
    status === 200 && (operation === "functions.list" || (operation === "functions.get" && path.endsWith(`/${slug}`)));
  return [...slugs].filter((slug) => {
    const deployed = entries.find(({ operation, query }) => operation === "functions.deploy" && slugIn(query) === slug);
    const { sequence = Infinity } = deployed ?? {};
    return !entries.some((entry) => entry.sequence > sequence && isRead(entry, slug));
  });
}

function slugIn(query: unknown): unknown {
  return typeof query === "object" && query !== null ? Reflect.get(query, "slug") : undefined;
}
