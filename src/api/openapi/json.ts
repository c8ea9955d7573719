/** JSON, as a document is made of. */
export type JsonObject = Readonly<Record<string, unknown>>;
