import { customDomainSection, instanceSizeSection, ipv4Section, pitrSection } from "./addons.ts";
import { authSection } from "./auth.ts";
import { diskSection } from "./disk.ts";
import { customHostnameSection } from "./domains.ts";
import { backupsSection, jitAccessSection, sslSection } from "./database-access.ts";
import { databaseSettingsSection } from "./database-settings.ts";
import { encryptionRootKeySection } from "./encryption-root-key.ts";
import { dataApiSection, poolerSection, realtimeSection, storageSection } from "./merge-sections.ts";
import { networkRestrictionsSection } from "./network-restrictions.ts";
import type { Section, Sections } from "./section.ts";
import { branchingSection, legacyApiKeysSection } from "./switches.ts";
import type { SectionReferences } from "./section-references.ts";
import { vanitySubdomainSection } from "./vanity-subdomain.ts";
import { webhooksSection } from "./webhooks.ts";

/**
 * Every section, in the order in which they are written: first what others need (add-ons), then what asks for a restart of the database, so that one
 * restart serves all.
 */
export const sections: readonly Section[] = [
  pitrSection,
  ipv4Section,
  customDomainSection,
  branchingSection,
  legacyApiKeysSection,
  authSection,
  poolerSection,
  dataApiSection,
  realtimeSection,
  storageSection,
  diskSection,
  customHostnameSection,
  vanitySubdomainSection,
  jitAccessSection,
  webhooksSection,
  backupsSection,
  networkRestrictionsSection,
  encryptionRootKeySection,
  databaseSettingsSection,
  sslSection,
  instanceSizeSection,
];

/** Their names: the closed set of a metric's label. */
export const sectionNames: readonly string[] = sections.map(({ name }) => name);

/** Secrets and ConfigMaps that the sections of a spec are made of, by name in the object's namespace. */
export function sectionReferences(spec: Sections): SectionReferences {
  const all = sections.map((one) => one.references(spec));
  return {
    secrets: all.flatMap(({ secrets }) => secrets),
    configMaps: all.flatMap(({ configMaps }) => configMaps),
  };
}
