import { FormData, Response } from "undici";
import type { UploadFile, UploadSource } from "./contract/operation.ts";
import { sourceOf } from "./upload.ts";

/** Names of the parts (facts.md §2, function deploy and function body). */
const METADATA_PART = "metadata";
const FILE_PART = "file";

/**
 * A form with one JSON field and the files, whose paths travel as file names. undici writes it anew for each sending, its length told
 * beforehand, and reads the files as fast as the server takes them.
 */
export function writeMultipart(metadata: unknown, files: readonly UploadFile[]): FormData {
  const form = new FormData();
  form.set(METADATA_PART, JSON.stringify(metadata));
  // Without a third argument, which would make another File of it.
  for (const { path, content } of files) form.append(FILE_PART, new StreamedFile(path, sourceOf(content)));
  return form;
}

/** What a form takes for a file without holding its bytes: `new File([bytes])` would be a second copy of them. Only to be sent. */
class StreamedFile extends File {
  readonly #source: UploadSource;

  constructor(path: string, source: UploadSource) {
    super([], path);
    this.#source = source;
    Object.defineProperty(this, "size", { value: source.size });
  }

  override stream(): ReturnType<File["stream"]> {
    return ReadableStream.from(this.#source.stream());
  }
}

/** A received form: the metadata as text, absent when there is none, and the files. */
export interface ReceivedForm {
  readonly metadata: string | undefined;
  readonly files: readonly { readonly path: string; readonly content: Uint8Array }[];
}

/**
 * Reads a form that has the parts above; metadata may be a field or a file of its own (facts.md §6.12), other parts without a file name
 * are ignored. Rejects when the bytes are not a form.
 */
export async function readMultipart(body: Uint8Array, contentType: string): Promise<ReceivedForm> {
  const form = await new Response(body, { headers: { "content-type": contentType } }).formData();
  let metadata: string | undefined;
  const files: { readonly path: string; readonly content: Uint8Array }[] = [];
  for (const [name, value] of form.entries()) {
    if (name === METADATA_PART) metadata = typeof value === "string" ? value : await value.text();
    else if (typeof value !== "string") files.push({ path: value.name, content: await value.bytes() });
  }
  return { metadata, files };
}
