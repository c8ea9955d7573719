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
    what: "Pause of a branch, its password, and a point in time to take it back to",
    inApi: ["projects.pause", "projects.restore", "projects.updatePassword", "backups.restorePitr"],
    why: "Only a Project has them here (spec.state, databasePassword, baas.dev/restore-to): a branch is made anew from its project sooner. The API takes the branch's ref, in status.ref, for each of them. What the operator was not told of a password that is set so is left out of the connection Secret until the Branch is made anew.",
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
];
