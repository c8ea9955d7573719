/**
 * Every condition type and every reason that the operator sets, each with the sentence that says when. Event reasons are the same words
 * (style: conditions). Nothing else may invent a type or a reason.
 */

/** The keys of a table as constants: `constants({Ready: "…"}).Ready` is the literal "Ready". */
function constants<Table extends Readonly<Record<string, string>>>(
  table: Table,
): { readonly [Name in keyof Table]: Name } {
  // Object.fromEntries forgets which keys it was given; they are those of `table` by construction.
  return Object.fromEntries(Object.keys(table).map((name) => [name, name])) as { readonly [Name in keyof Table]: Name };
}

/** Condition types and when each is set. */
export const conditionTypeMeanings = {
  Ready:
    "True when the remote side was seen to be as the spec says, at this generation; Unknown while it is created, changes, or was seen otherwise and could not be written; False otherwise. Summarises the others.",
  Reconciling:
    "True while a change is under way and expected to end by itself; absent or False at rest (kstatus reads True as in progress).",
  Stalled:
    "True when nothing more happens until somebody acts, or when a deadline passed; the message says what to do (kstatus reads True as failed).",
  Paused: "True while the annotation baas.dev/paused stops reconciling; deletion still works.",
  Drifted:
    "True when the remote side differs from the declared fields and driftPolicy Report, or managementPolicy Observe, keeps it from being repaired; the message lists the fields.",
  Converging:
    "False when the same difference came back after three writes, or after one that interrupts what is served, so that the named fields are written no more until that section of the spec changes, or `baas.dev/reconcile-at` asks.",
  OutputsComplete:
    "False when something that the connection Secret or ConfigMap was to hold cannot be told and is left out, or somebody else keeps changing it too; the message names the keys and says why. Absent otherwise.",
  RequestFailed:
    "True when what an annotation still asks for was refused, failed, or nobody can tell what came of it; status.requests has the outcome. Goes with the annotation, or with another request id.",
  AnnotationIgnored:
    "True while an annotation baas.dev/... on the object does nothing, as it is mistyped or for another kind; the message names the one that may be meant. Absent otherwise; takes nothing from Ready.",
  Expired:
    "True when the ttl of a Branch ended: the remote branch is deleted and the object stays, current, until its spec changes.",
  Reachable: "For connections: True when the last request got an answer of the Management API, whatever it was.",
  CredentialTerminating:
    "For connections: True while a Secret of the credential is being deleted and its value is kept only for objects under deletion; absent otherwise.",
} as const;

export type ConditionType = keyof typeof conditionTypeMeanings;
/** `conditionTypes.Ready` is "Ready". */
export const conditionTypes = constants(conditionTypeMeanings);

/** Reasons and when each is given. */
export const reasonMeanings = {
  // As it should be.
  Available: "Ready: the remote side is as declared.",
  Adopted: "An existing remote thing was taken over, as spec.ref or adoptionPolicy asked.",
  Observed: "managementPolicy Observe: the remote side was read and nothing is ever written.",
  Expired: "The ttl ended and the remote branch was deleted.",
  Paused:
    "The annotation baas.dev/paused is set (condition Paused), or spec.state asked for it and the project is paused (Ready); of a Branch, the platform paused its project (Stalled).",

  // Under way: ends by itself.
  Creating: "The create request is about to be sent, or its answer is being looked for.",
  Provisioning: "The remote side exists and is not up yet.",
  Updating: "Declared fields are being written.",
  Pausing: "The project is being paused.",
  Resuming: "The project is being restored from its pause.",
  Resizing: "The compute size is being changed by the platform.",
  Deploying: "The function's source is being bundled and deployed.",
  Deleting: "The object is being deleted and the remote side with it.",
  Transferring: "The project is being transferred to another organization.",
  Upgrading: "The database is being upgraded to another version.",
  AwaitingWindow: "An upgrade of the database is due and begins when spec.maintenanceWindow opens.",
  Unhealthy: "The project or branch is up, but a service is not healthy yet.",
  OutputsAwaited: "The connection Secret or ConfigMap is written once the values are there that the message names.",
  AwaitingCollection:
    "A Secret or ConfigMap of the former object of this name, which is gone, stands in the place of what is to be made, until the cluster's garbage collector has taken it.",
  ConfirmingAbsence:
    "The answer to a create request was lost: waiting until it is certain that nothing was created before trying again.",
  RateLimited: "The request budget is used up; goes on by itself when the window allows.",
  UnexpectedError:
    "A failure that nobody foresaw; the operator's log tells it, and the attempt is repeated with backoff.",
  KubernetesError:
    "A request to the Kubernetes API failed; its words are in the message, and the attempt is repeated with backoff.",
  AnswersDiffer:
    "Two reads right after each other gave two things, so that nothing is written with either; repeated with backoff.",
  AnswerUnconfirmed:
    "By one look nothing is there where something was, or may have come to be: it is looked at once more, seconds or a minute on, before anything follows from that.",
  ServerUnavailable: "The Management API gave no usable answer (connection, timeout or 5xx); repeated with backoff.",
  CredentialNotStored:
    "The operator's own Secret for the app's refresh token could not be read or written: the token is not used, or not lost, until it can.",

  ArtifactUnavailable:
    "The artifact of the source could not be fetched (no answer, or not in time); repeated with backoff, and at once when the source changes.",

  // Waiting for another object: ends when that one changes.
  ConnectionNotFound:
    "The connection that connectionRef names, or the default one, does not exist or does not admit this namespace.",
  ConnectionNotReady: "The connection exists but is not Ready.",
  ReferenceNotFound:
    "A Project, Branch, Secret, ConfigMap or source of Flux that the spec names, or a key in it, does not exist.",
  ReferenceNotReady:
    "The Project or Branch that the spec names is not up yet, or the source of Flux is not Ready or has no artifact.",
  ParentStalled: "The Project or Branch that the spec names cannot go on; see its own Stalled condition.",

  DnsPending:
    "The DNS records of the custom hostname are not found yet: create those of status.customHostname.records.",

  // Somebody must act.
  InvalidSpec: "The spec cannot be carried out as written; the message names the field and what to write instead.",
  ArtifactRefused:
    "The artifact of the source is not what its digest says, too large, an archive that is not unpacked, or under an address that nothing is fetched from; the message says which. Publish another one.",
  Rejected:
    "The Management API refused the request for good (plan, quota, unsupported value); its words are in the message.",
  Forbidden:
    "The token may authenticate but lacks a permission; the message names what was being done, and the permission.",
  PlanLimit: "The organization's plan does not allow it.",
  CredentialInvalid:
    "The Management API does not accept the token, or does not know the app; or what lies in the Secret cannot be a credential.",
  CredentialRevoked:
    "The platform honours the app's refresh token no longer: the user's consent was taken back, or the token used by somebody else. Authorize the app again.",
  RefreshTokenLost:
    "The platform replaced the app's refresh token, and the new one was lost before it was stored (a lost answer, a killed process): authorize the app again.",
  AssertionRefused:
    "The platform does not accept the operator's ServiceAccount token: correct what the app trusts (issuer, subject, audience, key), or its plan.",
  CredentialChanged:
    "The credential now belongs to another account, or no longer reads the organization, so that a missing project is not believed.",
  CredentialTerminating:
    "A Secret of the credential is being deleted and kept only for objects under deletion; an apply now is lost. Create it again with what it held.",
  CredentialMissing:
    "The credential's Secret or the key in it does not exist, or the operator has no ServiceAccount token to exchange.",
  NotAllowed: "The connection does not admit this namespace, organization, ref or base URL.",
  Conflict:
    "Another object owns the remote thing, or came first to ask for its name, or one of that name exists that this object did not create; the message names the other.",
  OwnedElsewhere:
    "The recorded ref belongs to another object, account or cluster (a copied manifest, a restored backup): set spec.ref or adoptionPolicy to take it over.",
  RemoteMissing:
    "What was created is gone and holds data, so that it is never made again by itself: annotate baas.dev/recreate: <old ref> to create a new one.",
  SecretNotOwned:
    "The Secret that the operator writes to exists and was not made for this object, so that it is never written.",
  ConfigMapNotOwned:
    "The ConfigMap that the operator writes to exists and was not made for this object, so that it is never written.",
  OutputBlocked:
    "The connection Secret or ConfigMap is this object's and cannot be written as it is (immutable, or of another type): delete it, and it is made again.",
  PasswordUnknown:
    "This object did not set the database password, and the platform does not show it, so that what needs it is left out of the outputs.",
  ValueNotOffered:
    "The platform does not offer what the outputs were to hold, or what a section would switch off; the message names it.",
  DeadlineExceeded: "What was under way did not end within its timeout; it is still watched.",
  ProvisioningFailed: "The platform reports that the project or branch failed to come up.",
  NotConverging:
    "The same difference came back after three writes, or after one that interrupts what is served, or a Secret or ConfigMap was another one sixty times within an hour; the named fields are written no more.",
  TransferBlocked:
    "The project cannot be transferred to the declared organization: the platform's preview says why; status.transfer lists it.",
  UpgradeBlocked:
    "The database cannot be upgraded to the declared version: something stands in the way, which status.upgrade lists.",
  UpgradeFailed: "The platform did not get through with the upgrade of the database; it is not tried again by itself.",
  RequestNeeded:
    "What is declared can destroy data, so that it is carried out only once it is asked for: the message names the annotation.",
  RequestFailed: "What an annotation asked for was refused or failed; the message has the words.",
  AnnotationIgnored:
    "An annotation baas.dev/... on the object does nothing: it is mistyped, or for another kind; the message says which may be meant.",
  RequestUnknown:
    "The answer to what an annotation asked for was lost and nothing tells whether it was done: it is not sent again; the message says what to look at.",
  DeletionBlocked:
    "The remote side cannot be deleted now, or what stays of it cannot be listed; the message says why, and how to let go with baas.dev/release: <ref>.",
  InUse: "A connection is being deleted while objects still depend on it.",

  SectionsDiffer:
    "Several sections of the spec are not in sync, for different reasons: status.sections says of each what is the matter.",

  // Drift and what was written.
  DriftDetected:
    "The remote side differs from declared fields, which driftPolicy Report or managementPolicy Observe leaves alone.",
  DriftCorrected: "The remote side differed from declared fields and was repaired (event).",

  // What was done (events).
  Created: "The remote thing was created.",
  Restarting: "The database restarts for what was changed; the message names the fields that need it (event).",
  Redeployed:
    "The function was deployed again for the environment that a Secret with redeployOnSecretChange changed; the message names that Secret.",
  Published: "The connection Secret or ConfigMap was written; the message names the keys, never their values.",
  Requested: "What an annotation asked for was sent to the platform (event).",
  RequestSucceeded: "What an annotation asked for was done (event).",
  Transferred: "The project is in the declared organization now (event).",
  Upgraded: "The database has the declared version now (event).",
  Updated: "Declared fields were written; the message names them, never their secret values.",

  // Letting go.
  Deleted: "The remote side was deleted (event).",
  Retained: "The object was deleted and the remote side kept, as deletionPolicy Retain or the parent's asked (event).",
  Released:
    "The object was let go, or gave up a request that got no answer, with something left remotely; the message says what and why (event).",
} as const;

export type Reason = keyof typeof reasonMeanings;
/** `reasons.Provisioning` is "Provisioning". */
export const reasons = constants(reasonMeanings);

/** For which an object waits, and goes on by itself, but only once somebody has acted. */
const FOR_SOMEBODY: ReadonlySet<Reason> = new Set<Reason>([
  "ConnectionNotFound",
  "ReferenceNotFound",
  "CredentialTerminating",
  "DnsPending",
]);

/** Whether what waits for that reason waits for somebody to act: its event is a warning, as that of what was refused. */
export function waitsForSomebody(reason: Reason): boolean {
  return FOR_SOMEBODY.has(reason);
}

/** Whether a word is one of the reasons. */
export function isReason(word: string): word is Reason {
  return Object.hasOwn(reasonMeanings, word);
}
