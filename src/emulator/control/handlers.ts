import { notFound } from "../failure.ts";
import type { Faults } from "../http/faults.ts";
import type { Limiter } from "../http/limits.ts";
import type { LogEntry, RequestLog } from "../http/request-log.ts";
import { addToken, applySeed, changeSettings, definedOnly, ensureUser } from "../state/apply-seed.ts";
import { DEFAULT_QUOTAS } from "../organizations/quotas.ts";
import { sha256, type World } from "../state/world.ts";
import type { ControlHandlers } from "./calls.ts";
import { infrastructureControl } from "./infrastructure.ts";
import { actionControl } from "./actions.ts";
import { jitControl } from "./jit.ts";
import { oauthControl } from "./oauth.ts";
import { hostingControl } from "./hosting.ts";
import { branchControl, projectControl } from "./lives.ts";
import { snippetControl } from "./snippets.ts";
import { thirdPartyAuthControl } from "./third-party-auth.ts";
import { readState } from "./views.ts";

/** What the control calls act on. */
export interface ControlParts {
  readonly world: World;
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly limiter: Limiter;
  /** brings the world back to its start */
  readonly resetWorld: () => void;
}

export function controlHandlers(parts: ControlParts): ControlHandlers {
  const { world, faults, requests, limiter } = parts;
  return {
    time: {
      read: () => moment(world),
      advance: ({ ms }) => {
        world.clock.advance(ms);
        return moment(world);
      },
    },
    faults: {
      add: (rule) => ({ id: faults.add(rule) }),
      list: () => faults.list().map(({ id, hits, rule }) => ({ id, hits, rule })),
      remove: ({ id }) => ({ removed: faults.remove(id) }),
      clear: () => {
        faults.clear();
        return {};
      },
    },
    log: logControl(requests),
    state: stateControl(parts),
    projects: projectControl(world),
    branches: branchControl(world),
    functions: functionControl(world),
    ...infrastructureControl(world),
    actions: actionControl(world),
    jit: jitControl(world),
    oauth: oauthControl(world),
    thirdPartyAuth: thirdPartyAuthControl(world),
    tokens: {
      add: ({ token, user, permissions }) => {
        addToken(world, token, user, permissions);
        return {};
      },
      revoke: ({ token }) => ({ revoked: world.tokens.delete(sha256(token)) }),
    },
    organizations: organizationControl(world),
    settings: {
      read: () => world.settings,
      patch: (change) => {
        changeSettings(world, change);
        return world.settings;
      },
    },
    ...hostingControl(world),
    ...snippetControl(world),
    limits: {
      reset: () => {
        limiter.reset();
        return {};
      },
    },
  };
}

function moment(world: World): { now: string; nowMs: number } {
  const nowMs = world.clock.now();
  return { now: new Date(nowMs).toISOString(), nowMs };
}

function logControl(requests: RequestLog): ControlHandlers["log"] {
  return {
    read: ({ operation, after = 0, status }) => ({
      entries: requests.entries
        .filter(
          (entry) =>
            entry.sequence > after &&
            (operation === undefined || entry.operation === operation) &&
            (status === undefined || entry.status === status),
        )
        .map((entry) => ({ ...entry, at: new Date(entry.atMs).toISOString() })),
      last: requests.entries.at(-1)?.sequence ?? after,
    }),
    summary: () => ({
      total: requests.entries.length,
      byOperation: counted(requests.entries, (entry) => entry.operation ?? "unknown route"),
      byStatus: counted(requests.entries, (entry) => String(entry.status ?? "none")),
    }),
    clear: () => {
      requests.clear();
      return {};
    },
  };
}

function counted(entries: readonly LogEntry[], key: (entry: LogEntry) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries) counts[key(entry)] = (counts[key(entry)] ?? 0) + 1;
  return counts;
}

function stateControl(parts: ControlParts): ControlHandlers["state"] {
  const { world, faults, requests, limiter, resetWorld } = parts;
  return {
    read: () => readState(world),
    seed: (seed) => {
      applySeed(world, seed);
      return {};
    },
    reset: () => {
      resetWorld();
      faults.clear();
      requests.clear();
      limiter.reset();
      return {};
    },
  };
}

function functionControl(world: World): ControlHandlers["functions"] {
  return {
    failBundle: ({ slug, ref, count, message }) => {
      world.bundleFailures = [...world.bundleFailures, { slug, ref, remaining: count, message }];
      return {};
    },
    mendBundles: () => {
      world.bundleFailures = [];
      return {};
    },
  };
}

function organizationControl(world: World): ControlHandlers["organizations"] {
  return {
    patch: ({ slug, plan, quotas, members }) => {
      const known = world.organizations.get(slug);
      if (known === undefined) throw notFound(`Organization ${slug}`);
      const roles = Object.entries(members ?? {}).map(([name, role]) => [ensureUser(world, name).id, role] as const);
      world.organizations.set(slug, {
        ...known,
        plan: plan ?? known.plan,
        quotas: { ...(plan === undefined ? known.quotas : DEFAULT_QUOTAS[plan]), ...definedOnly(quotas ?? {}) },
        members: { ...known.members, ...Object.fromEntries(roles) },
      });
      return {};
    },
  };
}
