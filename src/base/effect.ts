/**
 * Whether a request that failed may have changed something on the other side: `none` is proven, `unknown` is everything else, and a creating
 * request must then look first (engine.md §4).
 */
export type Effect = "none" | "unknown";
