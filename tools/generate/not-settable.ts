/** What the Management API has for a project or branch and no object here sets, with what to do instead: part of docs/reference/sections.md. */
export interface NotSettable {
  /** what people look for */
  readonly what: string;
  /** operations, or fields of their requests, as `branches.create secrets` */
  readonly inApi: readonly string[];
  readonly why: string;
}

export const notSettable: readonly NotSettable[] = [
  {
    what: "Secrets of a new branch",
    inApi: ["branches.create secrets"],
    why: "Declare Secret objects of the branch (branchRef): those are compared, repaired and rotated, which what goes with the creation alone is not.",
  },
  {
    what: "Whether a branch is the default one",
    inApi: ["branches.create is_default"],
    why: "The first Branch object of a project has it made: every project with branches has one.",
  },
  {
    what: "State of a branch",
    inApi: ["branches.update status"],
    why: "It is the platform's to tell.",
  },
  {
    what: "Pause of a branch, its password and its version, a point in time to take it back to, and the end of that",
    inApi: [
      "projects.pause",
      "projects.restore",
      "projects.updatePassword",
      "upgrades.start",
      "backups.restorePitr",
      "projects.cancelRestore",
    ],
    why: "Only a Project has them here (spec.state, databasePassword, database.version, baas.dev/restore-to and baas.dev/cancel-restore): a branch is made anew from its project sooner, of another version with another postgresEngine. The API takes the branch's ref, in status.ref, for each of them. What the operator was not told of a password that is set so is left out of the connection Secret until the Branch is made anew.",
  },
  {
    what: "Channel of the release that a project is upgraded to",
    inApi: ["upgrades.start release_channel"],
    why: "The platform chooses among the releases of the version that spec.database.version names. An upgrade is asked for where the version is another one: to another channel of the same version there is none.",
  },
  {
    what: "Engine and channel of a new project",
    inApi: ["projects.create"],
    why: "The API takes neither there, only for a branch (postgresEngine, releaseChannel of Branch).",
  },
  {
    what: "SAML identity providers, with their metadata, domains and attributes",
    inApi: ["ssoProviders.create", "ssoProviders.update", "ssoProviders.delete"],
    why: "There is no kind for them. spec.auth.saml switches SAML on, which the endpoints ask for; providers are made with the API.",
  },
  {
    what: "Issuers of tokens elsewhere (third-party auth)",
    inApi: ["thirdPartyAuth.create", "thirdPartyAuth.delete"],
    why: "There is no kind for them: they are made with the API.",
  },
  {
    what: "API keys",
    inApi: ["apiKeys.create", "apiKeys.update", "apiKeys.delete"],
    why: "There is no kind for them: they are made with the API. legacyApiKeysEnabled switches the two legacy ones, and writeConnectionSecretToRef hands on those that there are.",
  },
  {
    what: "Keys that sign tokens",
    inApi: ["signingKeys.createLegacy", "signingKeys.create", "signingKeys.update", "signingKeys.delete"],
    why: "There is no kind for them: they are made and rotated with the API.",
  },
  {
    what: "Who may assume which role of the database (just-in-time access), and invitations to it",
    inApi: ["jit.update", "jit.delete", "jit.invite", "jit.deleteInvite"],
    why: "spec.database.jitAccess switches it on and off; grants and invitations are made with the API.",
  },
  {
    what: "Log drains",
    inApi: ["logDrains.create", "logDrains.update", "logDrains.delete"],
    why: "There is no kind for them: they are made with the API.",
  },
  {
    what: "Read replicas",
    inApi: ["readReplicas.setup", "readReplicas.remove"],
    why: "There is no field for them: they are set up with the API.",
  },
  {
    what: "Tables and other objects of the database, its extensions and migrations",
    inApi: ["database.query", "migrations.apply", "migrations.upsert", "migrations.rollback", "migrations.update"],
    why: "There is no kind for them: they are made with SQL or the API. baas.dev/merge and baas.dev/push bring migrations from a branch to its parent and from that to it.",
  },
  {
    what: "Which bans are lifted but by their addresses",
    inApi: ["networkBans.delete requester_ip", "networkBans.delete identifier"],
    why: "baas.dev/lift-network-bans takes addresses, or lifts all; the address that the request comes from is the operator's.",
  },
  {
    what: "The add-on with the custom hostname, removed in one request",
    inApi: ["customHostname.delete remove_addon"],
    why: "The add-on is a section of its own: spec.addons.customDomain: false removes it.",
  },
];
