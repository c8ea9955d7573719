import type { SeedInput } from "../../../../src/emulator/state/seed.ts";
import { CANARY, REF } from "./bodies.ts";

/** What there is when anything is asked: something of every kind, with canaries as its secrets. */
export const anySeed: SeedInput = {
  organizations: [
    { slug: "acme", members: { owner: "Owner", guest: "Read-only" }, quotas: { projects: 1_000_000 } },
    { slug: "other", members: { owner: "Owner", guest: "Read-only" } },
  ],
  tokens: [
    { token: "fine", user: "owner", permissions: ["projects_read"] },
    { token: "guest", user: "guest" },
  ],
  projects: [
    {
      name: "shop",
      ref: REF,
      databasePassword: CANARY,
      secrets: { STORED: CANARY },
      auth: { saml_enabled: true, external_github_secret: CANARY },
      functions: [{ slug: "hello", files: { "index.ts": "1" } }],
      instanceSize: "small",
      addons: ["pitr_7", "cd_default"],
      postgresVersion: "17.4.1.048",
      buckets: [{ name: "avatars" }],
      readReplicas: [{ region: "us-west-1", identifier: "replica-1" }],
      branches: [{ name: "main" }, { name: "dev" }],
    },
  ],
  dns: [{ name: "example.com", obeys: true }],
  oauthApps: [{ clientId: "app", clientSecret: CANARY, redirectUris: ["https://app.example.test/cb"] }],
};
