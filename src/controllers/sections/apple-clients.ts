import type { AuthConfig } from "../../api/contract/auth-config.ts";
import type { Wire } from "../../resources/settings/setting.ts";

/** "external_apple_additional_client_ids is folded into external_apple_client_id (comma list) on read" (facts.md §6.4): one answer for two fields. */

const CLIENT = "external_apple_client_id";
const MORE = "external_apple_additional_client_ids";

/** Both fields as their declared values have them where the folded answer means those, and both as different ones where it does not. Pure. */
export function unfoldedAppleClients(
  answer: Pick<AuthConfig, typeof CLIENT | typeof MORE>,
  wanted: ReadonlyMap<string, Wire>,
): Partial<Record<typeof CLIENT | typeof MORE, Wire>> {
  const [client, more] = [wanted.get(CLIENT), wanted.get(MORE)];
  const folded = itemsOf(answer[CLIENT]);
  if (client === undefined || itemsOf(answer[MORE]).length > 0) return {}; // nothing to compare, or a service that does not fold
  const isFirst = folded[0] === client;
  // Further clients that nobody declared are left alone, so that they are no difference.
  if (more === undefined) return isFirst ? { [CLIENT]: client } : {};
  const [there, together] = [new Set<unknown>(folded), new Set<unknown>([client, ...itemsOf(more)])];
  const isSame = there.size === together.size && there.isSubsetOf(together);
  if (isFirst && isSame) return { [CLIENT]: client, [MORE]: more };
  return { [MORE]: more === null ? folded.join(",") : null };
}

function itemsOf(list: unknown): readonly string[] {
  const items = typeof list === "string" ? list.split(",") : [];
  return items.map((item) => item.trim()).filter((item) => item !== "");
}
