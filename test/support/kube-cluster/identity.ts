import { onTestFinished } from "vitest";
import { z } from "zod";
import { systemClock } from "../../../src/base/clock.ts";
import { silentLogger } from "../../../src/base/log.ts";
import { silentMeter } from "../../../src/base/meter.ts";
import { createKubeTransport, type KubeConfigSource } from "../../../src/kube/transport.ts";

const reviewSchema = z.object({ status: z.object({ userInfo: z.object({ username: z.string() }) }) });

/** Asks the apiserver as whom it takes a kubeconfig of ours, each time over the same transport. Rejects with a KubeError. */
export function selfSubject(kubeConfig: KubeConfigSource): () => Promise<string> {
  const transport = createKubeTransport({ kubeConfig, clock: systemClock, log: silentLogger, meter: silentMeter });
  onTestFinished(() => transport.close());
  return async () => {
    const answer = await transport.request({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      contentType: "application/json",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    });
    return reviewSchema.parse(answer.body).status.userInfo.username;
  };
}
