import { SECRETS_PER_CALL } from "../../api/contract/secrets.ts";
import type { SecretObject } from "../environment.ts";
import { recordedPlace } from "../shared/child-identity.ts";
import { parentVerdict } from "../shared/child-deletion.ts";
import { believeGone } from "../shared/believe-gone.ts";
import { deletingForMs, type DeletionTarget, observesOnly, deleteRemotely } from "../shared/deletion.ts";
import { UnderWayError } from "../shared/deletion-failures.ts";
import { unlessGone } from "../shared/failures.ts";
import type { Session } from "../shared/sessions.ts";
import { NameClaims } from "./claimants.ts";
import type { SecretRun } from "./context.ts";
import { writingUntold } from "../shared/shared-write.ts";

/** Deals with the secrets of an object under deletion: keeps them, or deletes those that it set, and no others (K-33). */
export async function finalizeSecret(run: SecretRun, object: SecretObject | undefined): Promise<void> {
  const { environment, raw, status } = run;
  const recorded = recordedPlace(raw.metadata, status.current, environment.cluster);
  const names = status.current.names ?? [];
  // The names stand in the status alone: one that is another object's says nothing of this one.
  if (recorded?.confirmed !== true || names.length === 0) return;
  const { ref } = recorded;
  const remote = `secrets ${names.join(", ")} of ${ref}`;
  if (object === undefined || object.spec.deletionPolicy === "Retain" || observesOnly(run, object.spec)) {
    return retained(run, remote);
  }
  const verdict = await parentVerdict(run, { spec: object.spec, ref });
  if (verdict === "gone") return; // and with it what lived in it, or it was kept whole
  if (verdict === "keep") return retained(run, remote);
  const { connectionRef, deletionTimeout: timeout } = object.spec;
  const target: DeletionTarget = { remote, ref, timeout, connectionRef };
  const { uid } = object.metadata;
  await deleteRemotely(run, target, async (session) => {
    const place = { ref, account: session.account, server: session.server };
    const claims = new NameClaims(environment, object, { place, ours: names });
    const own = names.filter((name) => claims.owner(name)?.metadata.uid === uid);
    await deleteSecrets(run, session, { target, ref, spec: object.spec, names: own });
  });
}

function retained(run: SecretRun, remote: string): void {
  run.wrote("Retained", `the object was deleted and the ${remote} are kept`);
}

interface Doomed {
  readonly target: DeletionTarget;
  readonly ref: string;
  readonly spec: SecretObject["spec"];
  readonly names: readonly string[];
}

async function deleteSecrets(run: SecretRun, session: Session, { target, ref, spec, names }: Doomed): Promise<void> {
  const { client } = session;
  const { environment, lane, signal } = run;
  const list = environment.snapshots.of(client, ref).secrets;
  const present = async (): Promise<readonly string[] | undefined> => {
    const all = await unlessGone("list the secrets", () => list.get(0, { lane, signal, afterWrites: true }));
    if (all === undefined) return undefined;
    const there = new Set(all.map(({ name }) => name));
    return names.filter((name) => there.has(name));
  };
  const doomed = await present();
  if (doomed === undefined) return believeGone(run, { session, target, spec }); // with the place they are gone, too
  if (doomed.length === 0) return;
  for (let start = 0; start < doomed.length; start += SECRETS_PER_CALL) {
    const body = doomed.slice(start, start + SECRETS_PER_CALL);
    const remove = (): Promise<unknown> => client.secrets.delete({ ref, body }, run.call);
    const removed = await unlessGone("delete the secrets", async () => {
      await writingUntold(list, remove);
      return true;
    });
    if (removed === undefined) list.wrote(); // it shows what is gone with the place
  }
  run.wrote("Deleted", `deleted ${doomed.join(", ")}`);
  const left = (await present()) ?? [];
  if (left.length > 0) throw new UnderWayError(`not gone yet: ${left.join(", ")}`, deletingForMs(run));
}
