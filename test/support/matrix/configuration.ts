import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { secretType } from "../../../src/controllers/shared/core-types.ts";
import { isKubeError } from "../../../src/kube/errors.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { sha256 } from "../stage/functions.ts";
import { humanOf } from "./requests.ts";
import type { Seen } from "./seen.ts";
import { ASKED, type Edition, fileSizeLimits, OUTPUT } from "./specs.ts";
import type { Faults } from "./verdict.ts";

/** Whether what a Project configures is in force. */

const MIB = 1_048_576;

/** What is looked at. */
export interface Configured {
  readonly namespace: string;
  /** of the platform, past the relay */
  readonly url: string;
  readonly ref: string;
  /** edition of the Project, and of the values that its secret comes from */
  readonly edition: Edition;
  readonly values: Edition;
  /** its record was lost: nobody knows the password any more, and what is made of it is left out */
  readonly restored: boolean;
  /** whether it was asked, with the edition, for what is done once */
  readonly asked: boolean;
}

const authSchema = z.object({ site_url: z.string(), external_github_secret: z.string() });
const storageSchema = z.object({ fileSizeLimit: z.number() });
const outputSchema = z.looseObject({
  metadata: z.looseObject({ ownerReferences: z.array(z.looseObject({ uid: z.string() })).default([]) }),
  data: z.record(z.string(), z.string()).default({}),
});
const requestsSchema = z.array(z.looseObject({ verb: z.string(), id: z.string(), state: z.string() }));

/** What is wrong with what the Project configures. */
export async function configurationFaults(kube: KubeClient, project: Seen, configured: Configured): Promise<Faults> {
  const [settings, output] = await Promise.all([settingFaults(configured), outputFaults(kube, project, configured)]);
  return [...settings, ...output, ...requestFault(project, configured)];
}

async function settingFaults({ namespace, url, ref, edition, values }: Configured): Promise<Faults> {
  const read = async (path: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${humanOf(namespace)}` };
    return (await fetch(`${url}/v1/projects/${ref}/config/${path}`, { headers })).json();
  };
  const has = { ...authSchema.parse(await read("auth")), ...storageSchema.parse(await read("storage")) };
  const wanted = {
    site_url: `https://${edition}.example.com`,
    external_github_secret: sha256(values),
    fileSizeLimit: fileSizeLimits[edition] * MIB,
  };
  return isDeepStrictEqual(has, wanted)
    ? []
    : [`the settings are ${JSON.stringify(has)} instead of ${JSON.stringify(wanted)}`];
}

/** Whole, of this project, and owned by the object that is there now. */
async function outputFaults(
  kube: KubeClient,
  { metadata }: Seen,
  { namespace, ref, restored }: Configured,
): Promise<Faults> {
  const found = await kube.get(secretType, { namespace, name: OUTPUT }).catch((error: unknown) => {
    if (isKubeError(error, "NotFound")) return undefined;
    throw error;
  });
  if (found === undefined) return [`there is no Secret ${OUTPUT}`];
  const { metadata: own, data } = outputSchema.parse(found);
  const of = (name: string): string => Buffer.from(data[name] ?? "", "base64").toString();
  const faults = ["url", "uri", "pooler-session-uri"].flatMap((name) =>
    of(name).includes(ref) || (restored && data[name] === undefined && name !== "url")
      ? []
      : [`${name} in ${OUTPUT} is not of ${ref}`],
  );
  if (of("anon-key") === "") faults.push(`there is no key in ${OUTPUT}`);
  const owners = own.ownerReferences.map(({ uid }) => uid);
  return isDeepStrictEqual(owners, [metadata.uid]) ? faults : [...faults, `${OUTPUT} is owned by ${owners.join(", ")}`];
}

/** What was asked for has its outcome: done, or, where its answer was lost or nobody lived to hear it, not known. */
function requestFault({ status }: Seen, { edition, asked: isAsked }: Configured): Faults {
  if (!isAsked) return [];
  const known = requestsSchema.safeParse(status["requests"]).data ?? [];
  const asked = known.find(({ verb, id }) => verb === ASKED && id === edition);
  return asked !== undefined && ["Succeeded", "Unknown"].includes(asked.state)
    ? []
    : [`what was asked for with ${edition} is ${asked?.state ?? "not known"}`];
}
