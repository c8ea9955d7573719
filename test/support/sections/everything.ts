/** Every section of a Project, each with something that a fresh project does not have, but the custom hostname: it excludes a vanity subdomain. */
export const everything = {
  addons: { ipv4: true, customDomain: true, pitr: "Days7" },
  branching: "Enabled",
  legacyApiKeysEnabled: false,
  auth: { passwords: { minLength: 12 } },
  database: {
    settings: { maxConnections: 120 },
    pooler: { poolMode: "Session" },
    ssl: { enforced: true },
    networkRestrictions: { allowedCidrs: ["203.0.113.0/24"] },
    backups: { scheduleFor: "03:00:00" },
    webhooksEnabled: true,
    jitAccess: "Enabled",
  },
  dataApi: { maxRows: 77 },
  realtime: { maxConcurrentUsers: 77 },
  storage: { fileSizeLimit: "10Mi" },
  disk: { sizeGb: 20 },
  vanitySubdomain: { name: "shop" },
  encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } },
  instanceSize: "medium",
} as const;
