import type { FunctionObject } from "../environment.ts";
import type { Wish } from "./gathering.ts";
import type { FunctionChange, WantedFunction } from "./plan.ts";

/** An update of a function's settings that is to be made with others'. */
export interface SettingsWish extends Wish {
  readonly object: FunctionObject;
  readonly slug: string;
  readonly wanted: WantedFunction;
  readonly changes: readonly FunctionChange[];
}

/** What came of a wish. */
export type UpdateOutcome =
  | {
      readonly kind: "updated";
      readonly changes: readonly FunctionChange[];
      /** a list of later than that shows it, as `SharedRead.mark` */
      readonly mark: number;
    }
  /** the platform refused all of them together: each is to be made by itself */
  | { readonly kind: "alone" };
