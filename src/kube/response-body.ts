import type { Dispatcher } from "undici";
import { KubeError } from "./errors.ts";

/** Bodies of the apiserver's answers. */

/** The whole body as text. @throws KubeError UnexpectedResponse for one that is larger */
export async function readText(response: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a body is bytes");
    length += chunk.length;
    if (length > maxBytes) {
      throw new KubeError("UnexpectedResponse", `the answer is larger than ${maxBytes} bytes`, {
        status: response.statusCode,
        effect: "unknown",
        reason: "ResponseTooLarge",
      });
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts, length).toString("utf8");
}

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // proxies answer in HTML; the caller decides what that means
  }
}
