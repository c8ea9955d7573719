import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { secretType } from "../../../src/controllers/shared/core-types.ts";
import { isKubeError } from "../../../src/kube/errors.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { sha256 } from "../stage/functions.ts";
import { humanOf } from "./requests.ts";
import type { Seen } from "./seen.ts";
import { type Configurable, type Edition, fileSizeLimits, maxRows, outputs, requests } from "./specs.ts";
import type { Faults } from "./verdict.ts";

/** Whether what a Project or a Branch configures is in force. */

const MIB = 1_048_576;

/** What is looked at. */
export interface Configured {
  readonly namespace: string;
  /** of the platform, past the relay */
  readonly url: string;
  readonly ref: string;
  readonly kind: Configurable;
  /** edition of the object, and of the values that its secret comes from */
  readonly edition: Edition;
  readonly values: Edition;
  /** its record was lost: nobody knows the password any more, and what is made of it is left out */
  readonly restored: boolean;
  /** the id with which it was last asked for what is done once */
  readonly asked: string | undefined;
  /** whether that may have stood on it when it was first seen: then nothing is done (docs/adr/0021-requests-by-annotation.md) */
  readonly atFirstSight: boolean;
}

const authSchema = z.object({ site_url: z.string(), external_github_secret: z.string() });
const dataApiSchema = z.object({ max_rows: z.number() });
const storageSchema = z.object({ fileSizeLimit: z.number() });
const outputSchema = z.looseObject({
  metadata: z.looseObject({ ownerReferences: z.array(z.looseObject({ uid: z.string() })).default([]) }),
  data: z.record(z.string(), z.string()).default({}),
});
const requestsSchema = z.array(z.looseObject({ verb: z.string(), id: z.string(), state: z.string() }));

/** What is wrong with what the object configures. */
export async function configurationFaults(kube: KubeClient, object: Seen, configured: Configured): Promise<Faults> {
  const [settings, output] = await Promise.all([settingFaults(configured), outputFaults(kube, object, configured)]);
  return [...settings, ...output, ...requestFault(object, configured)];
}

async function settingFaults({ namespace, url, ref, kind, edition, values }: Configured): Promise<Faults> {
  const read = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${humanOf(namespace)}` };
    return (await fetch(`${url}/v1/projects/${ref}/${path}`, { headers })).json();
  };
  const [has, wanted] =
    kind === "Project"
      ? [
          { ...authSchema.parse(await read("config/auth")), ...storageSchema.parse(await read("config/storage")) },
          {
            site_url: `https://${edition}.example.com`,
            external_github_secret: sha256(values),
            fileSizeLimit: fileSizeLimits[edition] * MIB,
          },
        ]
      : [dataApiSchema.parse(await read("postgrest")), { max_rows: maxRows[edition] }];
  return isDeepStrictEqual(has, wanted)
    ? []
    : [`the settings of the ${kind} are ${JSON.stringify(has)} instead of ${JSON.stringify(wanted)}`];
}

/** Keys with the password in them. */
const PASSWORDS: ReadonlySet<string> = new Set(["uri", "pooler-session-uri"]);
/** Each key of an output with what its value has of the project. */
const KEYS: Readonly<Record<Configurable, { readonly ofRef: readonly string[]; readonly secret: string }>> = {
  Project: { ofRef: ["url", "uri", "pooler-session-uri"], secret: "anon-key" },
  Branch: { ofRef: ["ref"], secret: "publishable-key" },
};

/** Whole, of this project, and owned by the object that is there now. */
async function outputFaults(
  kube: KubeClient,
  { metadata }: Seen,
  { namespace, ref, kind, restored }: Configured,
): Promise<Faults> {
  const name = outputs[kind];
  const found = await kube.get(secretType, { namespace, name }).catch((error: unknown) => {
    if (isKubeError(error, "NotFound")) return undefined;
    throw error;
  });
  if (found === undefined) return [`there is no Secret ${name}`];
  const { metadata: own, data } = outputSchema.parse(found);
  const { ofRef, secret } = KEYS[kind];
  const of = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString();
  const faults = ofRef.flatMap((key) =>
    of(key).includes(ref) || (restored && data[key] === undefined && PASSWORDS.has(key))
      ? []
      : [`${key} in ${name} is not of ${ref}`],
  );
  if (of(secret) === "") faults.push(`there is no key in ${name}`);
  const owners = own.ownerReferences.map(({ uid }) => uid);
  return isDeepStrictEqual(owners, [metadata.uid]) ? faults : [...faults, `${name} is owned by ${owners.join(", ")}`];
}

/** What was asked for has its outcome: done, or, where its answer was lost or nobody lived to hear it, not known. */
function requestFault({ status }: Seen, { kind, asked: wanted, atFirstSight }: Configured): Faults {
  if (wanted === undefined) return [];
  const known = requestsSchema.safeParse(status["requests"]).data ?? [];
  const asked = known.find(({ verb, id }) => verb === requests[kind].verb && id === wanted);
  return asked !== undefined && ["Succeeded", "Unknown", ...(atFirstSight ? ["Ignored"] : [])].includes(asked.state)
    ? []
    : [`what was asked for with ${wanted} is ${asked?.state ?? "not known"}`];
}
