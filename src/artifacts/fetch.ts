import { createHash, timingSafeEqual } from "node:crypto";
import { type Dispatcher, request } from "undici";
import { DeadlineError, deadline } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import { hostOf } from "../base/proxy.ts";
import { isArtifactError, NotStartedError, refused, unavailable } from "./errors.ts";
import { type ArtifactLimits, inMib } from "./limits.ts";
import type { Reach } from "./reach.ts";

/** An artifact as its source tells of it. */
export interface ArtifactPlace {
  /** http or https, without credentials */
  readonly url: string;
  /** an algorithm, a colon and hexadecimal digits: sha256, sha384 or sha512 */
  readonly digest: string;
  /** bytes, where the source tells */
  readonly size?: number | undefined;
}

interface FetchOptions {
  readonly dispatcher: (url: URL) => Dispatcher;
  readonly reach: Reach;
  readonly limits: ArtifactLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** asked right before the request is made */
  readonly mayStart: () => boolean;
}

/**
 * The bytes of an artifact, whose digest they have: who may answer under its address cannot make other bytes of them, which is what plain http
 * within a cluster rests on. Nothing else is asked for: an answer that points elsewhere is refused.
 *
 * @throws ArtifactError; NotStartedError; the signal's reason when it aborts
 */
export async function fetchArtifact(place: ArtifactPlace, options: FetchOptions): Promise<Uint8Array> {
  const { limits, clock, signal, dispatcher, reach, mayStart } = options;
  const url = urlOf(place);
  reach.require(hostOf(url));
  const { algorithm, digest } = digestOf(place);
  const { size = limits.archiveBytes } = place;
  if (size > limits.archiveBytes) throw tooLong(limits);
  if (!mayStart()) throw new NotStartedError();
  using limit = deadline(clock, limits.fetchMs, signal);
  try {
    const bytes = await download(url, { dispatcher: dispatcher(url), limits, size, signal: limit.signal });
    if (!timingSafeEqual(createHash(algorithm).update(bytes).digest(), digest)) {
      throw refused("what was fetched is not what the digest of the artifact says");
    }
    return bytes;
  } catch (error) {
    signal.throwIfAborted();
    if (isArtifactError(error)) throw error;
    if (limit.signal.reason instanceof DeadlineError) {
      throw unavailable(`the artifact was not there within ${limits.fetchMs / 1000} s`, error);
    }
    throw unavailable("the artifact could not be fetched: no connection to its server, or it broke", error);
  }
}

function urlOf({ url: text }: ArtifactPlace): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw refused("the address of the artifact is no http or https URL");
  }
  if (url.username !== "" || url.password !== "") throw refused("the address of the artifact holds credentials");
  return url;
}

/** Hexadecimal digits of each digest that can be checked; of those that source-controller can be told to publish, Node.js has no blake3. */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ["sha256", 64],
  ["sha384", 96],
  ["sha512", 128],
]);

function digestOf({ digest }: ArtifactPlace): { readonly algorithm: string; readonly digest: Buffer } {
  const [, algorithm = "", hex = ""] = /^([a-z0-9]+):([0-9a-f]+)$/.exec(digest) ?? [];
  if (hex.length !== DIGITS.get(algorithm)) {
    const known = "none of sha256, sha384 or sha512";
    throw refused(`the digest of the artifact is ${known}: nothing is taken that cannot be checked`);
  }
  return { algorithm, digest: Buffer.from(hex, "hex") };
}

interface DownloadOptions {
  readonly dispatcher: Dispatcher;
  readonly limits: ArtifactLimits;
  /** most bytes */
  readonly size: number;
  readonly signal: AbortSignal;
}

async function download(url: URL, { dispatcher, limits, size, signal }: DownloadOptions): Promise<Uint8Array> {
  const { statusCode, headers, body } = await request(url, {
    dispatcher,
    signal,
    headersTimeout: 0, // the deadline is ours
    bodyTimeout: 0,
    headers: { accept: "application/gzip, application/octet-stream;q=0.9, */*;q=0.1", "accept-encoding": "identity" },
  });
  body.on("error", () => undefined); // told by what reads it; where nobody does any more, it ends with an error that is ours
  try {
    if (statusCode >= 300 && statusCode < 400) {
      throw refused("the artifact's server points elsewhere, which is not followed");
    }
    if (statusCode !== 200) throw unavailable(`the artifact's server answered ${statusCode}`);
    if (Number(headers["content-length"] ?? 0) > size) throw tooLong(limits);
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) continue;
      bytes += chunk.length;
      if (bytes > size) throw tooLong(limits);
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } finally {
    body.destroy();
  }
}

function tooLong({ archiveBytes }: ArtifactLimits): Error {
  return refused(`the artifact is larger than its source says, or than ${inMib(archiveBytes)}`);
}
