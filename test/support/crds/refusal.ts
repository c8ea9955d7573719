import { parsers } from "./definitions.ts";
import { type KindName, type Manifest, manifest, type Spec } from "./manifest.ts";

/** What the operator's own reading says of an object, or of a section of it; "" where it finds nothing wrong. */
export function readingOf(object: Manifest): string {
  const metadata = { ...object.metadata, uid: "u", resourceVersion: "1" };
  const read = parsers[object.kind].parse({ ...object, metadata });
  if (!read.ok) return read.message;
  const issues = [...(read.object.refused?.values() ?? [])].flat();
  return issues.map(({ path, message }) => `${path}: ${message}`).join("; ");
}

/** Members whose form is asked for at apply alone: what was stored before that is read as it is. */
const FORMED_AT_APPLY: ReadonlySet<string> = new Set(["spec.auth.smtp.host", "spec.auth.passkeys.relyingPartyId"]);

/** Whether the operator reads texts of a member, by its path, that the apiserver refuses for their form. */
export function isReadAsStored(path: string): boolean {
  return FORMED_AT_APPLY.has(path);
}

/** What the operator's own reading says of a spec. */
export function refusal(kind: KindName, spec: Spec): string {
  return readingOf(manifest(kind, "candidate", "default", spec));
}
