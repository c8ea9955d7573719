import type { Operation } from "../../api/contract/operation.ts";
import { branchByIdOrRef } from "../access.ts";
import type { World } from "../state/world.ts";

/** What a request counts against beside its identity (facts.md, "Scope of a request"): a ref or a slug; undefined: the identity alone. */
export function scopeOf(
  world: World,
  operation: Operation,
  { params, body }: { readonly params: Readonly<Record<string, string>>; readonly body?: unknown },
): string | undefined {
  switch (operation.limitScope) {
    case "project":
      return params["ref"];
    case "organization":
      return params["slug"];
    case "bodyOrganization": {
      const slug =
        typeof body === "object" && body !== null && "organization_slug" in body ? body.organization_slug : "";
      return typeof slug === "string" && slug !== "" ? slug : undefined;
    }
    case "branchParent":
      return branchByIdOrRef(world, params["branch_id_or_ref"] ?? "")?.parentRef;
    case "identity":
      return undefined;
    default:
      return operation.limitScope satisfies never;
  }
}
