import { z } from "zod";

/** The parts of a Pod template that decide which process it becomes; the rest (images, probes, nodes) needs a real node. */

const source = z.object({ name: z.string(), key: z.string() });

const environmentVariable = z.union([
  z.object({ name: z.string(), value: z.string() }),
  z.object({ name: z.string(), valueFrom: z.object({ fieldRef: z.object({ fieldPath: z.string() }) }) }),
  z.object({ name: z.string(), valueFrom: z.object({ secretKeyRef: source }) }),
  z.object({ name: z.string(), valueFrom: z.object({ configMapKeyRef: source }) }),
]);
export type EnvironmentVariable = Readonly<z.infer<typeof environmentVariable>>;

const container = z.object({
  name: z.string(),
  args: z.array(z.string()),
  env: z.array(environmentVariable).default([]),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
});
export type Container = Readonly<z.infer<typeof container>>;

const volume = z.union([
  z.object({ name: z.string(), configMap: z.object({ name: z.string() }) }),
  z.object({ name: z.string(), secret: z.object({ secretName: z.string() }) }),
  z.object({
    name: z.string(),
    projected: z.object({
      sources: z.tuple([
        z.object({
          serviceAccountToken: z.object({ audience: z.string(), expirationSeconds: z.number(), path: z.string() }),
        }),
      ]),
    }),
  }),
]);
export type Volume = Readonly<z.infer<typeof volume>>;

export const podSpecSchema = z.object({
  serviceAccountName: z.string(),
  terminationGracePeriodSeconds: z.number().default(30),
  containers: z.tuple([container]),
  volumes: z.array(volume).default([]),
});
export type PodSpec = Readonly<z.infer<typeof podSpecSchema>>;

/** A Deployment or a Job: whatever makes Pods. */
export const workloadSchema = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string() }),
  spec: z.object({ replicas: z.number().default(1), template: z.object({ spec: podSpecSchema }) }),
});
export type Workload = Readonly<z.infer<typeof workloadSchema>>;
