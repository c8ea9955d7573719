import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { OAuthRefreshOptions } from "../../api/credentials/oauth-refresh.ts";
import type { KubeClient } from "../../kube/client.ts";
import { isKubeError, type KubeErrorCode } from "../../kube/errors.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { readSecret } from "../shared/core-objects.ts";
import { type CoreSecret, secretType } from "../shared/core-types.ts";
import { terminal } from "../shared/failures.ts";
import { FIELD_MANAGER } from "../shared/finalizers.ts";
import { isFormers, UNCOLLECTED_LOOK_MS } from "../shared/uncollected.ts";
import { KeptMemory } from "./kept-memory.ts";
import {
  allOf,
  digest,
  encoded,
  EXCHANGE_KEY,
  exchangeIn,
  keepsFor,
  KEPT_TYPE,
  keptIn,
  seedsOf,
  UNTOLD,
  type Values,
  valuesOf,
} from "./kept-secret.ts";
import type { SecretPlace } from "./view.ts";

/**
 * The newest refresh token of a connection, in a Secret of the operator's own. The platform replaces a refresh token at each use, and the Secret
 * that the user wrote is the user's: GitOps would put the spent one back.
 */

/** How many of the user's tokens are remembered. */
const MOST_SEEDS = 64;
/** The Secret came or went between a look and a write. */
const MOVED: ReadonlySet<KubeErrorCode> = new Set(["AlreadyExists", "NotFound", "Conflict"]);

/** What a connection keeps its refresh tokens in, for `OAuthRefresh`. */
export type RefreshTokens = Required<Pick<OAuthRefreshOptions, "store" | "begin" | "refused">> & {
  readonly refreshToken: (signal: AbortSignal) => Promise<string>;
};

interface KeptTokenOptions {
  readonly kube: KubeClient;
  /** where it is kept, unless the memory says otherwise */
  readonly place: SecretPlace;
  /** the connection, which the Secret belongs to */
  readonly owner: Pick<KubeObject, "apiVersion" | "kind"> & {
    readonly metadata: Pick<KubeObject["metadata"], "name" | "uid">;
  };
  /** what the user's Secret holds */
  readonly seed: string;
  /** tells this process from others */
  readonly process: string;
  /** what all that keep tokens of this connection know together; default: nothing yet */
  readonly memory?: KeptMemory;
}

export class KeptToken implements RefreshTokens {
  readonly #options: KeptTokenOptions;
  readonly #seed: string;
  readonly #memory: KeptMemory;
  /** A credential that took the place of another one knows no more of its exchanges than another process does. */
  readonly #user: string;

  constructor(options: KeptTokenOptions) {
    this.#options = options;
    this.#user = `${options.process}/${randomUUID()}`;
    this.#seed = digest(options.seed);
    this.#memory = options.memory ?? new KeptMemory();
  }

  /** A client that was made before the place changed writes where the connection looks. */
  get #place(): SecretPlace {
    return this.#memory.place ?? this.#options.place;
  }

  /** The Secret as it is; undefined while there is none. @throws TerminalError SecretNotOwned */
  async secret(signal: AbortSignal): Promise<CoreSecret | undefined> {
    const place = this.#place;
    const { kube, owner } = this.#options;
    const secret = await readSecret(kube, place, signal);
    if (secret === undefined || keepsFor(secret, owner.metadata.uid)) return secret;
    const what = `the Secret ${place.name} in namespace ${place.namespace}`;
    if (isFormers(owner, secret.metadata)) {
      const message = `${what} kept the refresh tokens of the former ${owner.kind} of this name, which is gone: it goes on once the cluster's garbage collector has taken that; if it stays for minutes, delete it`;
      throw terminal("SecretNotOwned", message, { recheckAfterMs: UNCOLLECTED_LOOK_MS });
    }
    throw terminal(
      "SecretNotOwned",
      `${what} was not made for this connection, which keeps its refresh tokens there: delete it`,
    );
  }

  /** Digest of the user's token that the one in use descends from. Another text in the user's Secret is another origin only if it was never used. */
  originIn(secret: CoreSecret | undefined): string {
    const seeds = seedsOf(secret);
    return seeds.includes(this.#seed) ? (seeds.at(-1) ?? this.#seed) : this.#seed;
  }

  /** Remembers what a Secret holds that was read, before anything can become of it. */
  take(secret: CoreSecret): void {
    this.#memory.take(keptIn(secret));
  }

  /** Puts the Secret back that somebody deleted, as far as this process knows what it held. One that is there is newer, and left as it is. */
  async restore(signal: AbortSignal): Promise<void> {
    if (this.#memory.known === undefined) return;
    try {
      await this.#create({}, signal);
    } catch (error) {
      if (!isKubeError(error, "AlreadyExists")) throw error;
    }
  }

  /**
   * Takes over what a Secret at a former place holds, all of it: also the record of a use whose end nobody told.
   *
   * What is here stays, unless it knows nothing of the token that the former one descends from: nobody could tell which of the two is newer.
   *
   * @param copied what that held before: where it is still what is here, what it holds by now is newer
   */
  async takeOver(former: CoreSecret, copied: CoreSecret | undefined, signal: AbortSignal): Promise<void> {
    const values = allOf(former);
    await this.#write((secret) => {
      const origin = seedsOf(former).at(-1);
      const known = keptIn(secret) !== undefined && (origin === undefined || seedsOf(secret).includes(origin));
      const isCopy = copied !== undefined && isDeepStrictEqual(allOf(secret), allOf(copied));
      return known && !isCopy ? undefined : values;
    }, signal);
  }

  readonly refreshToken = async (signal: AbortSignal): Promise<string> => {
    const kept = keptIn(await this.secret(signal));
    if (kept === undefined) return this.#options.seed;
    this.#memory.use(kept);
    return kept.seeds.includes(this.#seed) ? kept.token : this.#options.seed;
  };

  readonly begin = async (refreshToken: string, signal: AbortSignal): Promise<boolean> => {
    const token = digest(refreshToken);
    let untold = false;
    await this.#write((secret) => {
      const kept = keptIn(secret);
      // What an earlier leader sent before it ended may arrive between the reading of a token and its use.
      const replaced = kept !== undefined && kept.token !== refreshToken && kept.seeds.includes(this.#seed);
      if (replaced) throw new Error("another refresh token is kept by now");
      const { by, of, isUntold } = exchangeIn(secret);
      const ours = of === token && by === this.#user;
      untold = of === token && (!ours || isUntold);
      return ours ? undefined : { [EXCHANGE_KEY]: this.#exchange(token, untold) };
    }, signal);
    return untold;
  };

  readonly store = (token: string, signal: AbortSignal): Promise<void> =>
    this.#write((secret) => {
      const before = secret === undefined ? (this.#memory.known?.seeds ?? []) : seedsOf(secret);
      const seeds = before.includes(this.#seed) ? before : [...before, this.#seed].slice(-MOST_SEEDS);
      this.#memory.store({ token, seeds });
      const { by } = exchangeIn(secret);
      // Somebody else, as the next leader, has sent what this one replaces: with that the consent may be over.
      const exchange = by === undefined || by === this.#user ? null : this.#exchange(digest(token), true);
      return { ...valuesOf({ token, seeds }), [EXCHANGE_KEY]: exchange };
    }, signal);

  readonly refused = (signal: AbortSignal): Promise<void> => this.#write(() => ({ [EXCHANGE_KEY]: null }), signal);

  #exchange(token: string, untold: boolean): string {
    return [this.#user, token, ...(untold ? [UNTOLD] : [])].join(" ");
  }

  /** Once more where the Secret came, went or changed meanwhile. */
  async #write(change: TokenWrite, signal: AbortSignal): Promise<void> {
    try {
      await this.#writeOnce(change, signal);
    } catch (error) {
      if (!isKubeError(error) || !MOVED.has(error.code)) throw error;
      await this.#writeOnce(change, signal);
    }
  }

  /** Under an optimistic lock: what was sent before the lease was lost may arrive after the next leader has begun. */
  async #writeOnce(change: TokenWrite, signal: AbortSignal): Promise<void> {
    const { kube } = this.#options;
    const place = this.#place;
    const existing = await this.secret(signal);
    const values = change(existing);
    if (values === undefined) return;
    if (existing === undefined) return this.#create(values, signal);
    const { uid, resourceVersion } = existing.metadata;
    const patch = { metadata: { uid, resourceVersion }, data: encoded(values) };
    await kube.patchMerge(secretType, place, patch, { fieldManager: FIELD_MANAGER, signal });
  }

  /** Makes the Secret of all that is known to belong there: what is written first after a deletion must not stand for the whole. */
  async #create(values: Values, signal: AbortSignal): Promise<void> {
    const { kube, owner } = this.#options;
    const place = this.#place;
    const { known } = this.#memory;
    const whole = { ...(known === undefined ? {} : valuesOf(known)), ...values };
    const present = Object.entries(encoded(whole)).filter(([, value]) => value !== null);
    if (present.length === 0) return;
    const { apiVersion, kind, metadata } = owner;
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }];
    const draft = { apiVersion: "v1", kind: "Secret", metadata: { ...place, ownerReferences }, type: KEPT_TYPE };
    const options = { fieldManager: FIELD_MANAGER, signal };
    await kube.create(secretType, { ...draft, data: Object.fromEntries(present) }, options);
  }
}

/** Makes the values to write over a Secret as it is; undefined: there is nothing to write. */
type TokenWrite = (secret: CoreSecret | undefined) => Values | undefined;
