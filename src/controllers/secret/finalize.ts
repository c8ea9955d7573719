import { SECRETS_PER_CALL } from "../../api/contract/secrets.ts";
import type { SecretObject } from "../environment.ts";
import { recordedPlace } from "../shared/child-identity.ts";
import { believeGone } from "../shared/believe-gone.ts";
import { deletingForMs } from "../shared/deletion.ts";
import { UnderWayError } from "../shared/deletion-failures.ts";
import { unlessGone } from "../shared/failures.ts";
import { type DoomedChild, finalizeChild } from "../shared/finalize-child.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { noteFound, requireAbsence } from "../shared/require-absence.ts";
import { NameClaims } from "./claimants.ts";
import type { SecretRun } from "./context.ts";
import { writingUntold } from "../shared/shared-write.ts";

/** Deals with the secrets of an object under deletion: keeps them, or deletes those that it set, and no others (K-33). */
export async function finalizeSecret(run: SecretRun, object: SecretObject | undefined, unread: string): Promise<void> {
  const { environment, raw, status } = run;
  const recorded = recordedPlace(raw.metadata, status.current, environment.cluster);
  const names = status.current.names ?? [];
  // The names stand in the status alone: one that is another object's says nothing of this one.
  if (recorded?.confirmed !== true || names.length === 0) return;
  const sought = { kind: "secrets", ref: recorded.ref, names } as const;
  await finalizeChild(run, object, { place: recorded, sought, kept: "are kept", unread }, async (doomed) => {
    const { object: child, session, ref } = doomed;
    const { account, server } = session;
    const claims = new NameClaims(environment, child, { place: { ref, account, server }, ours: names });
    const own = names.filter((name) => claims.owner(name)?.metadata.uid === child.metadata.uid);
    if (own.length > 0) await deleteSecrets(run, doomed, own);
  });
}

async function deleteSecrets(
  run: SecretRun,
  { object: { spec }, target, session, ref }: DoomedChild<SecretObject>,
  names: readonly string[],
): Promise<void> {
  const { environment, lane, signal, raw } = run;
  const list = environment.snapshots.of(session.client, ref).secrets;
  const present = async (): Promise<readonly string[] | undefined> => {
    const found = await unlessGone("list the secrets", () => list.get(0, { lane, signal, afterWrites: true }));
    if (found === undefined) return undefined;
    const all = new Set(found.map(({ name }) => name));
    return names.filter((name) => all.has(name));
  };
  const there = await present();
  if (there === undefined) return believeGone(run, { session, target, spec }); // with the place they are gone, too
  const isWhole = there.length === names.length;
  if (isWhole) noteFound(run, target.sought);
  if (there.length > 0) {
    const taken = await removeThere(run, { session, ref }, there);
    if (isWhole && taken) environment.absences.taken(raw.metadata.uid, target.sought);
    const left = (await present()) ?? [];
    if (left.length > 0) throw new UnderWayError(`not gone yet: ${left.join(", ")}`, pollDelayMs(deletingForMs(run)));
  }
  requireAbsence(run, target.sought, "letGo");
}

/** @returns whether the platform has agreed to all of it */
async function removeThere(
  run: SecretRun,
  { session, ref }: Pick<DoomedChild<SecretObject>, "session" | "ref">,
  there: readonly string[],
): Promise<boolean> {
  const { client } = session;
  const list = run.environment.snapshots.of(client, ref).secrets;
  let taken = true;
  for (let start = 0; start < there.length; start += SECRETS_PER_CALL) {
    const body = there.slice(start, start + SECRETS_PER_CALL);
    const remove = (): Promise<unknown> => client.secrets.delete({ ref, body }, run.call);
    const removed = await unlessGone("delete the secrets", async () => {
      await writingUntold(list, remove);
      return true;
    });
    if (removed !== undefined) continue;
    list.wrote(); // it shows what is gone with the place
    taken = false;
  }
  run.wrote("Deleted", `deleted ${there.join(", ")}`);
  return taken;
}
