import type { KubeObject } from "../resources/meta.ts";

/** What a watch delivers. `unreadable` is an event of an object whose metadata cannot be read: only its version counts. */
export type WatchEvent =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject }
  | { readonly type: "BOOKMARK" | "UNREADABLE"; readonly resourceVersion: string };
