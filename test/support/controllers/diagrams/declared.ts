/**
 * What the status of each kind may show after what, as `stateOf` words it, from `-` (no status yet) to `gone`. engine.md §7 in a picture: under way is
 * Unknown and Reconciling, for somebody to act on is False and Stalled, done is True alone; a failure that says nothing of the remote side leaves
 * True what was True, but where it was just seen to be otherwise; and what only differs, or was written in vain, is told beside a True.
 */
type Diagram = Readonly<Record<string, readonly string[]>>;

/** What a Ready object of any kind goes through and comes back from, its Ready being True all the while. */
const STAYS_READY: Diagram = {
  "True Available": [
    "True Available ServerUnavailable reconciling",
    "True Available drifted",
    "True Available paused",
    "True Observed drifted",
  ],
  "True Available ServerUnavailable reconciling": ["True Available"],
  "True Available drifted": ["True Available"],
  "True Available paused": ["True Available"],
  "True Observed drifted": ["True Available"],
};

/** A child that is applied with its Project waits for that, then for its own creation. */
const BORN_WAITING: Diagram = { "-": ["Unknown ReferenceNotReady reconciling"] };

function together(...diagrams: readonly Diagram[]): Diagram {
  const all = new Map<string, readonly string[]>();
  for (const diagram of diagrams) {
    for (const [from, to] of Object.entries(diagram)) all.set(from, [...(all.get(from) ?? []), ...to].toSorted());
  }
  return Object.fromEntries(all);
}

/** One for connections of a namespace and of the cluster. Their own trouble is told by them; who uses them keeps what it has. */
const CONNECTION: Diagram = {
  "-": ["False CredentialMissing stalled"],
  "False CredentialMissing stalled": ["True Available"],
  "False CredentialInvalid stalled": ["True Available"],
  "True Available": [
    "False CredentialInvalid stalled",
    "False CredentialTerminating credentialterminating",
    "True Available ServerUnavailable reconciling",
    "True Available paused",
    "Unknown InUse reconciling",
  ],
  "True Available ServerUnavailable reconciling": ["True Available"],
  "True Available paused": ["True Available"],
  "False CredentialTerminating credentialterminating": ["False CredentialMissing stalled"],
  "Unknown InUse reconciling": ["gone"],
};

export const diagrams = {
  Connection: CONNECTION,
  ClusterConnection: CONNECTION,
  Project: together(STAYS_READY, {
    "-": ["False InvalidSpec stalled"],
    "False InvalidSpec stalled": ["Unknown Creating reconciling"],
    "Unknown Creating reconciling": ["Unknown Provisioning reconciling"],
    "Unknown Provisioning reconciling": ["False DeadlineExceeded stalled", "Unknown Unhealthy reconciling"],
    // It is looked at less often then, and may be found all well.
    "False DeadlineExceeded stalled": ["True Available"],
    "Unknown Unhealthy reconciling": ["True Available"],
    "True Available": [
      "False DeletionBlocked stalled",
      "False ProvisioningFailed stalled",
      "False RemoteMissing stalled",
      "True Available not converging",
      "Unknown Pausing reconciling",
      "Unknown ReferenceNotFound reconciling",
      // What somebody changed by hand was seen, and cannot be put back.
      "Unknown ServerUnavailable reconciling",
    ],
    "True Available not converging": ["True Available"],
    "Unknown Pausing reconciling": ["True Paused"],
    "True Paused": ["Unknown Resuming reconciling"],
    "Unknown Resuming reconciling": ["Unknown Unhealthy reconciling"],
    "Unknown ReferenceNotFound reconciling": ["True Available"],
    "Unknown ServerUnavailable reconciling": ["True Available"],
    "False ProvisioningFailed stalled": ["True Available"],
    "False RemoteMissing stalled": ["Unknown Creating reconciling"],
    "False DeletionBlocked stalled": ["Unknown Deleting reconciling"],
    "Unknown Deleting reconciling": ["gone"],
  }),
  /** What a Project configures: settings, outputs, and what is asked for once. */
  ProjectSettings: {
    "-": ["Unknown Creating reconciling"],
    "Unknown Creating reconciling": ["Unknown Provisioning reconciling"],
    "Unknown Provisioning reconciling": ["Unknown Unhealthy reconciling"],
    "Unknown Unhealthy reconciling": ["True Available"],
    "True Available": [
      "False InvalidSpec stalled",
      "False Rejected stalled",
      "True Available ServerUnavailable reconciling",
      "True Available drifted",
      "Unknown ReferenceNotFound reconciling",
      // The database restarts.
      "Unknown Updating reconciling",
    ],
    "True Available ServerUnavailable reconciling": ["True Available"],
    "True Available drifted": ["True Available"],
    "False InvalidSpec stalled": ["True Available"],
    "False Rejected stalled": ["True Available"],
    "Unknown ReferenceNotFound reconciling": ["True Available"],
    "Unknown Updating reconciling": ["Unknown Unhealthy reconciling"],
  },
  Branch: together(STAYS_READY, BORN_WAITING, {
    "Unknown ReferenceNotReady reconciling": ["Unknown Creating reconciling"],
    "Unknown Creating reconciling": ["Unknown Provisioning reconciling"],
    "Unknown Provisioning reconciling": ["True Available"],
    "True Available": [
      "False ProvisioningFailed stalled",
      "False RemoteMissing stalled",
      "True Available not converging",
      "True Expired expired",
      "Unknown AnswerUnconfirmed reconciling",
    ],
    // One that was not to last is made again.
    "Unknown AnswerUnconfirmed reconciling": ["Unknown Creating reconciling"],
    "True Available not converging": ["True Available"],
    "False RemoteMissing stalled": ["Unknown Creating reconciling"],
    "True Expired expired": ["Unknown Creating reconciling"],
    "False ProvisioningFailed stalled": ["gone"],
  }),
  EdgeFunction: together(STAYS_READY, BORN_WAITING, {
    "Unknown ReferenceNotReady reconciling": ["True Available", "Unknown Creating reconciling"],
    "Unknown Creating reconciling": ["True Available"],
    "True Available": [
      // Under driftPolicy Report nobody makes again what is gone.
      "False DriftDetected drifted",
      "False Rejected stalled",
      "Unknown Deploying reconciling",
      "Unknown ReferenceNotFound reconciling",
      "Unknown ReferenceNotReady reconciling",
      "Unknown Updating reconciling",
      "gone",
    ],
    "False DriftDetected drifted": ["True Available"],
    "Unknown Updating reconciling": ["True Available not converging"],
    "True Available not converging": ["True Available"],
    "False Rejected stalled": ["True Available"],
    "Unknown Deploying reconciling": ["True Available"],
    "Unknown ReferenceNotFound reconciling": ["True Available"],
  }),
  Secret: together(STAYS_READY, BORN_WAITING, {
    "Unknown ReferenceNotReady reconciling": ["Unknown ReferenceNotFound reconciling"],
    "Unknown ReferenceNotFound reconciling": ["True Available", "gone"],
    "True Available": [
      "False Conflict stalled",
      // Its Project goes, and then has gone.
      "Unknown ReferenceNotReady reconciling",
      "Unknown Updating reconciling",
    ],
    "False Conflict stalled": ["True Available"],
    // What is written is looked for at once; after three times in vain it is told and left.
    "Unknown Updating reconciling": ["True Available not converging"],
    "True Available not converging": ["True Available"],
  }),
} as const;

/** Every step of a diagram, as `from -> to`. */
export function stepsOf(diagram: Diagram): readonly string[] {
  return Object.entries(diagram)
    .flatMap(([from, all]) => all.map((to) => `${from} -> ${to}`))
    .toSorted();
}
