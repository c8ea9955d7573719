import { CredentialError } from "../../api/credentials/credentials.ts";
import type { KubeClient } from "../../kube/client.ts";
import { readSecret } from "../shared/core-objects.ts";
import type { CoreSecret } from "../shared/core-types.ts";
import { terminal } from "../shared/failures.ts";
import { type Clients, type Credential, type NamedSecrets, valueIn } from "./credential.ts";
import { keptPlace } from "./kept-secret.ts";
import { KeptToken } from "./kept-token.ts";
import type { ConnectionRun } from "./open.ts";
import { releaseSecret } from "./protection.ts";
import { type ConnectionView, namedSecrets } from "./view.ts";

/** The Secrets of a connection as one run reads them: those that it names, and the operator's own one. */
export interface ConnectionSecrets {
  readonly named: NamedSecrets;
  /** holds the newest refresh token; undefined while there is none */
  readonly kept: CoreSecret | undefined;
}

/** All that there are. */
export function secretsOf({ named, kept }: ConnectionSecrets): readonly CoreSecret[] {
  return [...named.values(), kept].filter((secret) => secret !== undefined);
}

/** What the operator is, beside what a connection says. */
export interface OperatorIdentity {
  /** its own namespace */
  readonly namespace: string;
  /** tells this process from others */
  readonly process: string;
  /** whether it has a ServiceAccount token for the platform, and Connections of which namespaces may use it beside ClusterConnections */
  readonly workloadIdentity: { readonly namespaces: readonly string[] } | undefined;
}

/** @throws KubeError; TerminalError SecretNotOwned */
export async function readSecrets(
  run: ConnectionRun,
  view: ConnectionView,
  operator: OperatorIdentity,
): Promise<ConnectionSecrets> {
  const { kube } = run.environment;
  const places = namedSecrets(view);
  const read = await Promise.all(places.map((place) => readSecret(kube, place, run.signal)));
  const named = new Map(places.map(({ namespace, name }, at) => [`${namespace}/${name}`, read[at]]));
  return { named, kept: await readKept(run, view, operator) };
}

/** The operator's own Secret of a connection, where it has one. @throws TerminalError SecretNotOwned */
export async function readKept(
  run: ConnectionRun,
  view: ConnectionView,
  operator: OperatorIdentity,
): Promise<CoreSecret | undefined> {
  if (keptPlace(view) === undefined) return undefined;
  return keptToken(run, view, { operator, kube: run.environment.kube, seed: "" }).secret(run.signal);
}

interface Keeping {
  readonly operator: OperatorIdentity;
  readonly kube: KubeClient;
  /** undefined: for a look that neither remembers nor puts back anything */
  readonly clients?: Clients;
  readonly seed: string;
}

export function keptToken(
  run: ConnectionRun,
  view: ConnectionView,
  { operator, kube, clients, seed }: Keeping,
): KeptToken {
  const place = keptPlace(view);
  if (place === undefined) throw new RangeError(`the ${view.kind} ${view.name} keeps no refresh token`);
  const { apiVersion, kind, metadata } = run.raw;
  const { name, uid } = metadata;
  const owner = { apiVersion, kind, metadata: { name, uid } };
  const memory = clients === undefined ? {} : { memory: clients.memoryOf(view.id, uid) };
  return new KeptToken({
    kube,
    place,
    owner,
    seed,
    process: operator.process,
    ...memory,
  });
}

interface SecretsReading {
  readonly secrets: ConnectionSecrets;
  readonly operator: OperatorIdentity;
  readonly clients: Clients;
  /** what is used longer than this run, whose own client tells of the run's writes */
  readonly kube: KubeClient;
}

/**
 * Lets the operator's own Secret go that somebody deleted, and puts it back at once: until then, what it holds is in the memory of this process
 * alone.
 */
export async function renewKept(
  run: ConnectionRun,
  view: ConnectionView,
  { kept, operator, clients }: Pick<SecretsReading, "operator" | "clients"> & { readonly kept: CoreSecret },
): Promise<void> {
  const own = keptToken(run, view, { operator, clients, kube: run.environment.kube, seed: "" });
  own.take(kept);
  await releaseSecret(run.environment, kept, run.signal);
  await own.restore(run.signal);
}

/**
 * What the connection is let in with.
 *
 * @throws TerminalError CredentialMissing, naming Secret and key; NotAllowed for the operator's own identity
 */
export async function credentialIn(
  run: ConnectionRun,
  view: ConnectionView,
  { secrets, operator, clients, kube }: SecretsReading,
): Promise<Credential> {
  const { credential } = view;
  switch (credential.kind) {
    case "token":
      return { kind: "token", token: valueIn(secrets.named, credential.token, "the token") };
    case "oauth": {
      // First, for what the operator keeps must not wait until the user's own Secret is put right.
      const own = keptToken(run, view, { operator, clients, kube, seed: "" });
      if (secrets.kept === undefined) await own.restore(run.signal);
      else own.take(secrets.kept);
      const { clientId } = credential;
      const clientSecret = valueIn(secrets.named, credential.clientSecret, "the app's client secret");
      const seed = valueIn(secrets.named, credential.refreshToken, "a refresh token");
      const refreshTokens = keptToken(run, view, { operator, clients, kube, seed });
      const kept = secrets.kept ?? (await refreshTokens.secret(run.signal));
      const [origin, owner] = [refreshTokens.originIn(kept), run.raw.metadata.uid];
      return { kind: "oauth", clientId, clientSecret, refreshTokens, origin, owner };
    }
    case "workloadIdentity": {
      requireWorkloadIdentity(view, operator);
      const { clientId, clientSecret } = credential;
      const secret = clientSecret && valueIn(secrets.named, clientSecret, "the app's client secret");
      return { kind: "workloadIdentity", clientId, clientSecret: secret };
    }
    default:
      return credential satisfies never;
  }
}

/**
 * The operator's identity is not a tenant's: whoever may write a Connection could send its token to a server of their own, and act as the
 * operator does.
 */
function requireWorkloadIdentity({ namespace }: ConnectionView, { workloadIdentity }: OperatorIdentity): void {
  if (workloadIdentity === undefined) {
    const message =
      "the operator has no ServiceAccount token for the platform: set workloadIdentity.enabled and its audience in the chart's values " +
      "(--workload-identity-token-file)";
    throw terminal("CredentialMissing", message, { cause: new CredentialError(message, { fault: "missing" }) });
  }
  if (namespace === undefined || workloadIdentity.namespaces.includes(namespace)) return;
  throw terminal(
    "NotAllowed",
    `Connections of namespace ${namespace} may not act with the operator's own identity: use a ClusterConnection, or list the namespace in ` +
      "workloadIdentity.namespaces of the chart's values (--workload-identity-namespace)",
  );
}
