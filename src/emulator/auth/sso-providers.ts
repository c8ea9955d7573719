import type { SsoProvider, SsoProviderSettings } from "../../api/contract/sso-providers.ts";
import { type Caller, visibleProject } from "../access.ts";
import { ApiFailure, badRequest, notFound } from "../failure.ts";
import type { SsoDomainRecord, SsoProviderRecord } from "./sso-state.ts";
import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** Identity providers of single sign-on. Their metadata is kept and never fetched. */
export function ssoProvidersHandlers(world: World): SectionHandlers<"ssoProviders"> {
  return {
    create: ({ params, body, caller }) => {
      const ref = refWithSaml(world, caller, params.ref);
      const nowMs = world.clock.now();
      const fresh = { id: newId(), samlId: newId(), entityId: "", domains: [], createdAtMs: nowMs, updatedAtMs: nowMs };
      return output(stored(world, ref, withSettings(fresh, body, nowMs)));
    },
    list: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const providers = [...world.ssoProviders.of(ref).values()];
      // a fresh project, where SAML was never switched, lists nothing (facts.md §4)
      const untouched = world.authConfig.get(ref)["saml_enabled"] === undefined && providers.length === 0;
      if (!untouched) refuseWithoutSaml(world, ref);
      return { items: providers.map(output) };
    },
    get: ({ params, caller }) => output(providerOf(world, refWithSaml(world, caller, params.ref), params.provider_id)),
    update: ({ params, body, caller }) => {
      const ref = refWithSaml(world, caller, params.ref);
      const known = providerOf(world, ref, params.provider_id);
      return output(stored(world, ref, withSettings(known, body, world.clock.now())));
    },
    delete: ({ params, caller }) => {
      const ref = refWithSaml(world, caller, params.ref);
      const known = providerOf(world, ref, params.provider_id);
      world.ssoProviders.delete(ref, known.id);
      return output(known);
    },
  };
}

function refWithSaml(world: World, caller: Caller, wanted: string): string {
  const { ref } = visibleProject(world, caller, wanted);
  refuseWithoutSaml(world, ref);
  return ref;
}

/** @throws ApiFailure 404 while the auth configuration's saml_enabled is off (facts.md §5) */
function refuseWithoutSaml(world: World, ref: string): void {
  if (world.authConfig.get(ref)["saml_enabled"] === true) return;
  throw new ApiFailure(404, "SAML 2.0 support is not enabled for this project");
}

/** @throws ApiFailure 404 */
function providerOf(world: World, ref: string, id: string): SsoProviderRecord {
  const known = world.ssoProviders.get(ref, id);
  if (known === undefined) throw notFound("SSO Identity Provider");
  return known;
}

/** "sent fields replace (domains is the full list)" (facts.md §6.2). @throws ApiFailure 400 for metadata that names no entity */
function withSettings(known: SsoProviderRecord, said: SsoProviderSettings, nowMs: number): SsoProviderRecord {
  return {
    ...known,
    ...withMetadata(known, said),
    ...(said.attribute_mapping === undefined ? {} : { attributeMapping: said.attribute_mapping }),
    ...(said.name_id_format === undefined ? {} : { nameIdFormat: said.name_id_format }),
    ...(said.domains === undefined ? {} : { domains: withDomains(known.domains, said.domains, nowMs) }),
    updatedAtMs: nowMs,
  };
}

type ProviderMetadata = Pick<SsoProviderRecord, "entityId" | "metadataXml" | "metadataUrl">;

/** One kind of metadata takes the place of the other. */
function withMetadata(known: ProviderMetadata, said: SsoProviderSettings): ProviderMetadata {
  const { metadata_xml: metadataXml, metadata_url: metadataUrl } = said;
  if (metadataXml !== undefined) return { entityId: entityIdOf(metadataXml), metadataXml, metadataUrl: undefined };
  // what stands at the URL is not fetched; by convention an entity's id is where its metadata is
  if (metadataUrl !== undefined) return { entityId: metadataUrl, metadataUrl, metadataXml: undefined };
  return { entityId: known.entityId, metadataXml: known.metadataXml, metadataUrl: known.metadataUrl };
}

/** @throws ApiFailure 400 */
function entityIdOf(xml: string): string {
  const start = /<(?:[\w.-]+:)?EntityDescriptor\s/.exec(xml)?.index ?? -1;
  const end = xml.indexOf(">", start);
  const tag = start === -1 || end === -1 ? "" : xml.slice(start, end);
  const [, double, single] = /\sentityID\s*=\s*(?:"([^"]+)"|'([^']+)')/.exec(tag) ?? [];
  const entityId = double ?? single;
  if (entityId === undefined) {
    throw badRequest("metadata_xml: expected SAML 2.0 metadata, an EntityDescriptor with an entityID");
  }
  return entityId;
}

/** In lower case, each once; one that was there stays what it was. */
function withDomains(
  known: readonly SsoDomainRecord[],
  wanted: readonly string[],
  nowMs: number,
): readonly SsoDomainRecord[] {
  const names = new Set(wanted.map((name) => name.toLowerCase()));
  return [...names].map(
    (name) =>
      known.find(({ domain }) => domain === name) ?? {
        id: newId(),
        domain: name,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      },
  );
}

/** Stores a provider. @throws ApiFailure 400 when another one of the project has its entity or one of its domains */
function stored(world: World, ref: string, provider: SsoProviderRecord): SsoProviderRecord {
  const others = [...world.ssoProviders.of(ref).values()].filter(({ id }) => id !== provider.id);
  if (others.some(({ entityId }) => entityId === provider.entityId)) {
    throw badRequest(`An SSO Identity Provider with the entity ID '${cut(provider.entityId)}' already exists`);
  }
  const taken = new Map(others.flatMap(({ id, domains }) => domains.map(({ domain }) => [domain, id] as const)));
  const clash = provider.domains.find(({ domain }) => taken.has(domain))?.domain;
  if (clash !== undefined) {
    throw badRequest(
      `SSO Domain '${cut(clash)}' is already assigned to an SSO Identity Provider (${taken.get(clash) ?? ""})`,
    );
  }
  world.ssoProviders.set(ref, provider.id, provider);
  return provider;
}

function cut(text: string): string {
  return text.slice(0, 80);
}

function output(provider: SsoProviderRecord): SsoProvider {
  const { metadataUrl, metadataXml, attributeMapping, nameIdFormat } = provider;
  return {
    id: provider.id,
    saml: {
      id: provider.samlId,
      entity_id: provider.entityId,
      ...(metadataUrl === undefined ? {} : { metadata_url: metadataUrl }),
      ...(metadataXml === undefined ? {} : { metadata_xml: metadataXml }),
      ...(attributeMapping === undefined ? {} : { attribute_mapping: attributeMapping }),
      ...(nameIdFormat === undefined ? {} : { name_id_format: nameIdFormat }),
    },
    domains: provider.domains.map(({ id, domain, createdAtMs, updatedAtMs }) => ({
      id,
      domain,
      created_at: isoTime(createdAtMs),
      updated_at: isoTime(updatedAtMs),
    })),
    created_at: isoTime(provider.createdAtMs),
    updated_at: isoTime(provider.updatedAtMs),
  };
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
