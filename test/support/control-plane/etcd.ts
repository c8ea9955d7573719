import { z } from "zod";

const headerSchema = z.object({ header: z.object({ revision: z.coerce.number() }) });
const membersSchema = z.object({ members: z.array(z.object({ name: z.string().optional() })) });

/** etcd through its JSON gateway, which it serves on the client port. */
async function call(clientUrl: string, path: string, body: unknown): Promise<unknown> {
  const response = await fetch(`${clientUrl}${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  });
  const answer: unknown = await response.json();
  if (!response.ok) throw new Error(`etcd answered ${response.status} to ${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** True when etcd answers and is the member of that name: another control plane's etcd on the same port is not ours. */
export async function isMember(clientUrl: string, name: string): Promise<boolean> {
  const { members } = membersSchema.parse(await call(clientUrl, "/v3/cluster/member/list", { linearizable: true }));
  return members[0]?.name === name;
}

/**
 * Forgets every revision before a new one, which it returns, so that a watch or a list from an older resourceVersion cannot be served.
 *
 * The new one is the write of a key that kube-apiserver never reads: compacted at the last write itself, etcd would still serve a watch
 * from the revision just before it, though without the previous value, which kube-apiserver answers with a 500 instead of a 410.
 */
export async function compact(clientUrl: string): Promise<number> {
  const key = Buffer.from("/compaction").toString("base64");
  const { header } = headerSchema.parse(await call(clientUrl, "/v3/kv/put", { key, value: "" }));
  await call(clientUrl, "/v3/kv/compaction", { revision: header.revision, physical: true });
  return header.revision;
}
