import fc from "fast-check";
import { planProject } from "../../../../src/controllers/project/plan.ts";
import { projectKind } from "../../../../src/resources/project/kind.ts";
import { sha256 } from "../../stage/functions.ts";
import { NAMESPACE } from "../life.ts";
import { words } from "./words.ts";
import type { Walked } from "./walk.ts";

/** Name of the Secret that a declared password is in. */
const PASSWORD = "password-of-the-project";
const FIRST_PASSWORD = "as it was first";

interface Spec {
  readonly name: string | undefined;
  readonly state: "Running" | "Paused" | undefined;
  readonly passwordDeclared: boolean;
}

type Hand =
  | { readonly rename: string }
  | { readonly switch: true }
  | { readonly password: string }
  | { readonly touch: string };

/** A Project of the organization `acme`. Hands rename, pause or resume it, and rotate or merely touch the password's Secret. */
export const walkedProject: Walked<Spec, Hand> = {
  kind: projectKind,
  specs: fc.record({
    name: fc.option(words, { nil: undefined }),
    state: fc.constantFrom("Running" as const, "Paused" as const, undefined),
    passwordDeclared: fc.boolean(),
  }),
  hands: fc.oneof(
    fc.record({ rename: words }),
    fc.constant({ switch: true as const }),
    fc.record({ password: fc.string({ unit: "grapheme", minLength: 4 }) }),
    fc.record({ touch: words }),
  ),
  manifest: ({ name, state, passwordDeclared }) => ({
    organization: "acme",
    deletionPolicy: "Delete",
    ...(name === undefined ? {} : { name }),
    ...(state === undefined ? {} : { state }),
    ...(passwordDeclared ? { databasePassword: { secretKeyRef: { name: PASSWORD, key: "it" } } } : {}),
  }),
  act: async ({ client, theatre, ref }, hand) => {
    if ("rename" in hand) return void (await client.projects.update({ ref: ref(), body: { name: hand.rename } }));
    if ("password" in hand) return putPassword(theatre, { stringData: { it: hand.password } });
    if ("touch" in hand) return putPassword(theatre, { metadata: { labels: { touched: hand.touch } } });
    const { status } = await client.projects.get({ ref: ref() });
    if (status === "INACTIVE") await client.projects.restore({ ref: ref() });
    else await client.projects.pause({ ref: ref() });
  },
  look: async ({ client, theatre, ref }, { name, state, passwordDeclared }) => {
    const remote = await client.projects.get({ ref: ref() });
    const { projects } = await theatre.emulator.control.state.read({});
    const digest = projects.find((project) => project.ref === ref())?.databasePassword.digest;
    const passwordChanged = passwordDeclared && digest !== sha256(declaredPassword(theatre));
    const planned = planProject({ name, state, remote, passwordChanged }).map(({ field }) => field);
    const running = remote.status !== "INACTIVE" && remote.status !== "PAUSING";
    return {
      planned,
      waits: passwordChanged && remote.status === "INACTIVE",
      fields: { name: remote.name, running, password: digest, wanted: sha256(declaredPassword(theatre)) },
    };
  },
  expected: ({ name, state, passwordDeclared }, before) => {
    const running = state === undefined ? before["running"] : state === "Running";
    // A paused project takes no password: it is sent before the pause, or when the project is up again.
    const wasUp = before["running"] === true || running === true;
    const password = passwordDeclared && wasUp ? before["wanted"] : before["password"];
    return { name: name ?? before["name"], running, password, wanted: before["wanted"] };
  },
};

type Kubernetes = { readonly kubernetes: Parameters<Walked<Spec, Hand>["act"]>[0]["theatre"]["kubernetes"] };

/** The Secret that a declared password is in, as it is before any hand. */
export function putFirstPassword(theatre: Kubernetes): void {
  putPassword(theatre, { stringData: { it: FIRST_PASSWORD } });
}

function putPassword(
  { kubernetes }: Kubernetes,
  rest: { readonly metadata?: object; readonly stringData?: Readonly<Record<string, string>> },
): void {
  const { stringData, metadata } = rest;
  const before = kubernetes.get("secrets", NAMESPACE, PASSWORD);
  const data =
    stringData === undefined
      ? before?.["data"]
      : Object.fromEntries(
          Object.entries(stringData).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
        );
  kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: PASSWORD, namespace: NAMESPACE, ...metadata },
    data,
  });
}

function declaredPassword({ kubernetes }: Kubernetes): string {
  const { data } = kubernetes.get("secrets", NAMESPACE, PASSWORD) as unknown as {
    readonly data: { readonly it: string };
  };
  return Buffer.from(data.it, "base64").toString("utf8");
}
