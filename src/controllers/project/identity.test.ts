import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { annotations, formatOwnership } from "../../resources/annotations.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import type { ProjectObject } from "../environment.ts";
import { identifyProject, recordedProject } from "./identity.ts";

const OURS = "oursoursoursoursours";
const GONE = "gonegonegonegonegone";
const TYPED = "typedtypedtypedtyped";
const connection = { kind: "Connection", name: "default", identity: "me" };

function metadata(ref: string, recreate?: string): ProjectObject["metadata"] {
  const record = formatOwnership({ ref, identity: "me", object: "ns/shop", cluster: "cluster" });
  return {
    name: "shop",
    namespace: "ns",
    uid: "uid",
    resourceVersion: "1",
    annotations: {
      [annotations.ref]: record,
      ...(recreate === undefined ? {} : { [annotations.recreate]: recreate }),
    },
  };
}

type Status = Parameters<typeof recordedProject>[1];

describe("the recorded project", () => {
  it.each<{ why: string; annotation: string; recreate?: string; status: Status; is: string }>([
    {
      why: "annotation and status say the same",
      annotation: OURS,
      status: { ref: OURS, recordedFor: "uid", connection },
      is: `ours ${OURS} true`,
    },
    {
      why: "somebody typed another ref, with all else that a record has",
      annotation: TYPED,
      status: { ref: OURS, recordedFor: "uid", connection },
      is: `foreign ${TYPED}`,
    },
    {
      why: "one that was gone was made anew, and the process died before the annotation said so",
      annotation: GONE,
      recreate: GONE,
      status: { ref: OURS, recordedFor: "uid", connection },
      is: `ours ${OURS} true`,
    },
    {
      why: "as that, under the token of another account",
      annotation: GONE,
      recreate: GONE,
      status: { ref: OURS, recordedFor: "uid", connection: { ...connection, identity: "somebody else" } },
      is: `accountChanged ${OURS}`,
    },
    {
      why: "what was made anew is another than what somebody typed",
      annotation: TYPED,
      recreate: GONE,
      status: { ref: OURS, recordedFor: "uid", connection },
      is: `foreign ${TYPED}`,
    },
    { why: "the status was lost, with the object or by hand", annotation: OURS, status: {}, is: `ours ${OURS} false` },
    {
      why: "the status is another object's: a restored backup",
      annotation: OURS,
      status: { ref: TYPED, recordedFor: "before", connection },
      is: `ours ${OURS} false`,
    },
  ])("is $is: $why", ({ annotation, recreate, status, is }) => {
    const recorded = recordedProject(metadata(annotation, recreate), status, { account: "me", cluster: "cluster" });
    const { kind } = recorded;
    const ref = "ref" in recorded ? ` ${recorded.ref}` : "";
    expect(`${kind}${ref}${recorded.kind === "ours" ? ` ${recorded.confirmed}` : ""}`).toBe(is);
  });
});

describe("taking over what is not recorded in the status, which the operator alone writes", () => {
  const rows = [
    { what: "what spec.ref asks for", spec: { ref: TYPED }, annotated: {}, kind: "adopt" },
    {
      what: "what the annotation alone says",
      spec: {},
      annotated: metadata(TYPED).annotations ?? {},
      kind: "unconfirmed",
    },
  ];

  it.each(
    rows.flatMap((row) => [
      { ...row, allowedRefs: undefined, is: row.kind },
      { ...row, allowedRefs: [TYPED], is: row.kind },
      { ...row, allowedRefs: [OURS], is: "NotAllowed" },
      { ...row, allowedRefs: [], is: "NotAllowed" },
    ]),
  )("is $is where the connection allows $allowedRefs: $what", ({ spec, annotated, allowedRefs, is }) => {
    const parsed = projectKind.parse({
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { ...metadata(TYPED), annotations: annotated },
      spec: { organization: "acme", ...spec },
    });
    if (!parsed.ok) throw new Error(parsed.message);
    const session = { ...connectionOf("ns", { allowedRefs }), account: "me" };
    expect(identified(() => identifyProject(parsed.object, session, "cluster").kind)).toBe(is);
  });
});

function identified(identify: () => string): string {
  try {
    return identify();
  } catch (error) {
    return error instanceof TerminalError ? error.reason : String(error);
  }
}
