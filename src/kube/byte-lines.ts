import { KubeError } from "./errors.ts";

const NEWLINE = 0x0a;

/**
 * The lines of a byte stream, decoded. Lines are cut at the byte 0x0A, which is never part of a longer UTF-8 sequence, and decoded
 * whole, so that it does not matter where the network cut the stream. Empty lines are left out; a last line without an end counts.
 *
 * @param maxBytes a longer line is an `UnexpectedResponse`: nothing that etcd stores comes near, and memory is finite
 */
export async function* byteLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string, void> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const take = (part: Uint8Array): void => {
    length += part.length;
    if (length > maxBytes) throw malformed(`a line of the stream is longer than ${maxBytes} bytes`);
    if (part.length > 0) parts.push(part);
  };
  const finish = (): string => {
    const text = decode(parts, length);
    parts = [];
    length = 0;
    return text;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      take(chunk.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line.trim() !== "") yield line;
    }
    take(chunk.subarray(start));
  }
  const last = finish();
  if (last.trim() !== "") yield last;
}

function decode(parts: readonly Uint8Array[], length: number): string {
  const [only] = parts;
  const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, length);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw malformed("the stream is not UTF-8", error);
  }
}

function malformed(message: string, cause?: unknown): KubeError {
  return new KubeError("UnexpectedResponse", message, { effect: "none", cause });
}
