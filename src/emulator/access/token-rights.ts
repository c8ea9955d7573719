import type { Operation } from "../../api/contract/operation.ts";
import type { Caller } from "../access.ts";
import { missingPermissions } from "./permissions.ts";
import { missingScopes } from "./scopes.ts";

/** What a token itself may do, whoever's it is. */

type Needed = Pick<Operation, "permissions" | "apps" | "scopes" | "retry">;

/** What the token lacks, in words; undefined: nothing. A personal one has whatever its user may do, an app's has scopes instead of permissions. */
export function missingInToken({ token }: Caller, needed: Needed): string | undefined {
  switch (token.kind) {
    case "personal":
      return undefined;
    case "fine-grained":
      return missingPermissions(needed.permissions, token.permissions);
    case "oauth":
      return missingScopes(needed, token.scopes);
    default:
      return token satisfies never;
  }
}
