import { promisify } from "node:util";
import { brotliDecompress, gunzip, gzipSync, inflate } from "node:zlib";
import { badRequest } from "../failure.ts";
import type { Answer } from "./answer.ts";

/** Content codings: long answers are compressed for those who take gzip, and bodies are taken as clients compress them. */

/** Shorter answers gain nothing. */
const WORTHWHILE = 1024;
/** JSON and other texts; bundles and forms are sent as they are. */
const COMPRESSIBLE = /^(?:application\/(?:[\w.]+\+)?json|text\/)/;
/** Speed before size: what is sent stays on this machine. */
const LEVEL = 1;

/** The answer as it is sent to somebody with this Accept-Encoding. */
export function compressed(answer: Answer, acceptEncoding: string | undefined): Answer {
  const { body, headers } = answer;
  if (body.length < WORTHWHILE || !COMPRESSIBLE.test(headers["content-type"] ?? "")) return answer;
  const varying = { ...headers, vary: "accept-encoding" };
  if (!takesGzip(acceptEncoding)) return { ...answer, headers: varying };
  return {
    ...answer,
    headers: { ...varying, "content-encoding": "gzip" },
    body: gzipSync(body, { level: LEVEL }),
  };
}

/** Whether gzip is named, or everything is, and not with a weight of 0 (RFC 9110 §12.5.3). */
export function takesGzip(acceptEncoding: string | undefined): boolean {
  const weights = new Map(
    (acceptEncoding ?? "").split(",").map((part): [string, number] => {
      const [coding = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith("q="))?.slice(2);
      return [coding, weight === undefined ? 1 : Number(weight)];
    }),
  );
  return (weights.get("gzip") ?? weights.get("x-gzip") ?? weights.get("*") ?? 0) > 0;
}

type Decode = (bytes: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** Nobody needs two; each of thousands could make the largest body anew. */
const MOST_CODINGS = 4;

/**
 * A body without its content codings.
 *
 * @param limit most bytes that may come out @throws ApiFailure 400 for a coding that is unknown or does not fit the bytes, and above the limit
 */
export async function decoded(bytes: Buffer, contentEncoding: string | undefined, limit: number): Promise<Buffer> {
  const codings = (contentEncoding ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  const applied = codings.filter((name) => name !== "" && name !== "identity").toReversed();
  if (applied.length > MOST_CODINGS) throw badRequest(`content-encoding: expected at most ${MOST_CODINGS}`);
  let left = bytes;
  for (const coding of applied) {
    const decode = DECODERS.get(coding);
    if (decode === undefined) {
      throw badRequest(`content-encoding: expected gzip, deflate or br, received '${coding.slice(0, 40)}'`);
    }
    left = await decode(left, { maxOutputLength: limit }).catch((error: unknown) => {
      if (error instanceof RangeError) throw badRequest("Request body is too large");
      throw badRequest(`content-encoding: the body is not ${coding}`);
    });
  }
  return left;
}
