import { z } from "zod";
import { type ResourceType, kubeObjectSchema } from "../../resources/meta.ts";

/** Kinds of Kubernetes itself that we read or write. */
export const secretType: ResourceType = {
  group: "",
  version: "v1",
  kind: "Secret",
  plural: "secrets",
  namespaced: true,
};
export const configMapType: ResourceType = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};
export const namespaceType: ResourceType = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

const base64 = z.string().transform((text) => Buffer.from(text, "base64"));

/**
 * Entries of a Secret or ConfigMap. Keys are people's, and may be called as what every object inherits: `__proto__` is read where it is there, which a
 * record of zod leaves out, and a key that is not there is found absent, `constructor` too.
 */
function dataOf<T>(value: z.ZodType<T>) {
  const entries = z.preprocess(entriesOf, z.array(z.tuple([z.string(), value])));
  return entries.transform((read): Readonly<Record<string, T>> => {
    const data = Object.create(null) as Record<string, T>; // nothing is in it
    for (const [key, one] of read) data[key] = one;
    return data;
  });
}

/** What is no object is left to be refused. */
function entriesOf(data: unknown): unknown {
  if (data === undefined) return [];
  return typeof data === "object" && data !== null && !Array.isArray(data) ? Object.entries(data) : [data];
}

/** A core Secret; values are bytes. */
export const secretSchema = kubeObjectSchema.extend({
  data: dataOf(base64),
});
export type CoreSecret = Readonly<z.infer<typeof secretSchema>>;

/** A core ConfigMap; text and binary keys. */
export const configMapSchema = kubeObjectSchema.extend({
  data: dataOf(z.string()),
  binaryData: dataOf(base64),
});
export type CoreConfigMap = Readonly<z.infer<typeof configMapSchema>>;
