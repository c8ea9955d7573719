/** A writing operation of the contract, and by which model of the property its effect is read, whatever was written before. */
export type Covered = string;

/** Why none of the models has an operation, and which test holds it to what it is to do. */
export interface Exception {
  readonly because: string;
  readonly provedBy: string;
}

const ofModel = (model: Covered, ...verbs: readonly string[]): readonly (readonly [string, Covered])[] =>
  verbs.map((id) => [id, model]);

/** Every operation that may change something, one line for each model. */
export const WRITES: ReadonlyMap<string, Covered | Exception> = new Map<string, Covered | Exception>([
  ...ofModel("authConfig", "authConfig.update"),
  ...ofModel("realtime", "realtime.update"),
  ...ofModel("dataApi", "dataApi.update"),
  ...ofModel("storage", "storage.update"),
  ...ofModel("pooler", "pooler.update"),
  ...ofModel("postgresConfig", "postgresConfig.replace"),
  ...ofModel("projectName", "projects.update"),
  ...ofModel("secrets", "secrets.create", "secrets.delete"),
  ...ofModel("logDrains", "logDrains.create", "logDrains.update", "logDrains.delete"),
  ...ofModel("apiKeys", "apiKeys.create", "apiKeys.update", "apiKeys.delete"),
  ...ofModel("legacyKeys", "apiKeys.updateLegacy"),
  ...ofModel("functions", "functions.deploy", "functions.create", "functions.update", "functions.bulkUpdate"),
  ...ofModel("functions", "functions.delete"),
  ...ofModel("branches", "branches.create", "branches.update", "branches.delete", "branches.restore"),
  ...ofModel("branches", "branches.merge", "branches.push", "branches.reset", "branches.disable"),
  ...ofModel("branches", "actions.updateStatus"),
  ...ofModel("ssoProviders", "ssoProviders.create", "ssoProviders.update", "ssoProviders.delete"),
  ...ofModel("thirdPartyAuth", "thirdPartyAuth.create", "thirdPartyAuth.delete"),
  ...ofModel("signingKeys", "signingKeys.create", "signingKeys.createLegacy", "signingKeys.update"),
  ...ofModel("signingKeys", "signingKeys.delete"),
  ...ofModel("encryptionKey", "encryptionKey.update"),
  ...ofModel("addons", "addons.apply", "addons.remove"),
  ...ofModel("disk", "disk.update"),
  ...ofModel("sslEnforcement", "sslEnforcement.update"),
  ...ofModel("networkRestrictions", "networkRestrictions.apply", "networkRestrictions.update"),
  ...ofModel("networkBans", "networkBans.delete"),
  ...ofModel("backupSchedule", "backups.updateSchedule"),
  ...ofModel("readReplicas", "readReplicas.setup", "readReplicas.remove"),
  ...ofModel("names", "customHostname.initialize", "customHostname.reverify", "customHostname.activate"),
  ...ofModel("names", "customHostname.delete", "vanitySubdomain.activate", "vanitySubdomain.delete"),
  ...ofModel("organizations", "organizations.create"),
  ...ofModel("jit", "jit.update", "jit.delete", "jit.invite", "jit.acceptInvite", "jit.deleteInvite"),
  ...ofModel("jit", "jitAccess.update"),
  ...ofModel("loginRoles", "loginRole.create", "loginRole.delete"),
  ...ofModel("projects", "projects.create", "projects.delete", "transfers.create"),
  ...ofModel("projectLife", "projects.pause", "projects.restore", "projects.cancelRestore", "projects.restart"),
  ...ofModel("projectLife", "upgrades.start", "backups.restorePitr"),
  ...ofModel("databasePassword", "projects.updatePassword"),
  ...ofModel("realtimeConnections", "realtime.shutdown"),
  ...ofModel("readOnlyOverride", "readOnlyMode.disableTemporarily"),
  ...ofModel("sql", "database.query"),
  ...ofModel("migrations", "migrations.apply", "migrations.upsert", "migrations.update", "migrations.rollback"),
  ...ofModel("webhooks", "database.enableWebhooks"),
  [
    "database.queryReadOnly",
    {
      because: "it is a POST that changes nothing: the database lets it read alone",
      provedBy: "src/emulator/postgres/read-only.loopback.test.ts",
    },
  ],
  [
    "jit.authorize",
    {
      because: "it tells whether a role may be assumed, and changes nothing",
      provedBy: "src/emulator/jit/jit-access.loopback.test.ts",
    },
  ],
  [
    "oauth.token",
    {
      because: "what it gives is used up by its next call: a machine of its own",
      provedBy: "test/emulator/oauth-machine.test.ts",
    },
  ],
  [
    "oauth.revoke",
    { because: "what it takes away only oauth.token gives", provedBy: "test/emulator/oauth-machine.test.ts" },
  ],
]);
