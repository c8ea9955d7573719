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

/** Keys are people's, and may be called as what every object inherits: a key that is not there must be found absent, `constructor` too. */
function ownKeys<T>(values: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.assign(Object.create(null), values) as Record<string, T>; // nothing else is in it
}

/** A core Secret; values are bytes. */
export const secretSchema = kubeObjectSchema.extend({
  data: z.record(z.string(), base64).default({}).transform(ownKeys),
});
export type CoreSecret = Readonly<z.infer<typeof secretSchema>>;

/** A core ConfigMap; text and binary keys. */
export const configMapSchema = kubeObjectSchema.extend({
  data: z.record(z.string(), z.string()).default({}),
  binaryData: z.record(z.string(), base64).default({}),
});
export type CoreConfigMap = Readonly<z.infer<typeof configMapSchema>>;
