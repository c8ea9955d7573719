import fc from "fast-check";
import { digestOf } from "../../../../src/controllers/secret/names.ts";
import { planSecrets } from "../../../../src/controllers/secret/plan.ts";
import { secretKind } from "../../../../src/resources/secret/kind.ts";
import { NAMESPACE, type Theatre } from "../life.ts";
import type { Walked } from "./walk.ts";

const KEYS = ["A", "B", "C", "D"] as const;
type Key = (typeof KEYS)[number];

interface Spec {
  /** keys of the Secret `one`, under their own names or others; undefined: all of them */
  readonly one: { readonly keys: readonly Key[] | undefined; readonly as: string | undefined };
  /** the whole of the Secret `two`, with a prefix */
  readonly two: string | undefined;
  readonly redeploys?: boolean;
}

type Hand =
  /** on the platform: a value, or undefined to delete it */
  | { readonly name: string; readonly value: string | undefined }
  /** in the cluster */
  | { readonly secret: "one" | "two"; readonly values: Readonly<Record<Key, string>> }
  | { readonly secret: "one" | "two"; readonly touched: string };

const values = fc.record({
  A: fc.string(),
  B: fc.string(),
  C: fc.string({ unit: "grapheme" }),
  D: fc.constantFrom("", "same"),
});
const THEIRS = ["THEIRS", "theirs", "A_", "PLATFORM"];

/** A Secret of the Project `shop`. Hands set and delete what is there, its own and others', and rotate the Kubernetes Secrets. */
export const walkedSecret: Walked<Spec, Hand> = {
  kind: secretKind,
  specs: fc.record({
    one: fc.record({
      keys: fc.option(fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1 }), { nil: undefined }),
      as: fc.constantFrom("NAMED_", "named_", undefined),
    }),
    two: fc.constantFrom("P_", "Q_", undefined),
    redeploys: fc.boolean(),
  }),
  hands: fc.oneof(
    fc.record({
      name: fc.constantFrom(...KEYS, "P_A", "NAMED_B", ...THEIRS),
      value: fc.option(fc.string(), { nil: undefined }),
    }),
    fc.record({ secret: fc.constantFrom("one" as const, "two" as const), values }),
    fc.record({ secret: fc.constantFrom("one" as const, "two" as const), touched: fc.string({ maxLength: 3 }) }),
  ),
  manifest: ({ one: { keys, as }, two, redeploys = false }) => ({
    projectRef: { name: "shop" },
    redeployOnSecretChange: redeploys,
    // What hands set under a name that is declared later is taken over.
    adoptionPolicy: "IfNameMatches",
    from: [
      {
        secretRef: { name: "one" },
        ...(keys === undefined
          ? {}
          : { keys: keys.map((key) => ({ key, ...(as === undefined ? {} : { as: `${as}${key}` }) })) }),
      },
      ...(two === undefined ? [] : [{ secretRef: { name: "two" }, prefix: two }]),
    ],
  }),
  act: async ({ client, theatre, ref }, hand) => {
    if ("secret" in hand) return putValues(theatre, hand.secret, hand);
    const { name, value } = hand;
    if (value === undefined) await client.secrets.delete({ ref: ref(), body: [name] });
    else await client.secrets.create({ ref: ref(), body: [{ name, value }] });
  },
  look: async ({ client, theatre, ref }, spec, { status }) => {
    const remote = await client.secrets.list({ ref: ref() });
    const wanted = [...declared(theatre, spec)].map(([name, value]) => ({ name, digest: digestOf(value) }));
    const { names: ours = [] } = status as { names?: readonly string[] };
    const planned = planSecrets({ wanted, remote, ours, edited: false }).map(({ field }) => field);
    const fields = Object.fromEntries(remote.map(({ name, value }) => [name, value]));
    return {
      planned,
      fields: { ...fields, ours, wanted: Object.fromEntries(wanted.map(({ name, digest }) => [name, digest])) },
    };
  },
  expected: (_spec, { ours, wanted, ...before }) => {
    const own = Object.entries(wanted as Readonly<Record<string, string>>);
    const names = own.map(([name]) => name).toSorted();
    const others = Object.entries(before).filter(([name]) => !(ours as readonly string[]).includes(name));
    return { ...Object.fromEntries([...others, ...own]), ours: names, wanted };
  },
};

type Kubernetes = Pick<Theatre, "kubernetes">;

/** The Kubernetes Secrets as they are before any hand. */
export function putFirstValues(theatre: Kubernetes): void {
  for (const secret of ["one", "two"]) putValues(theatre, secret, { values: { A: "a", B: "b", C: "c", D: "d" } });
}

function putValues(
  { kubernetes }: Kubernetes,
  name: string,
  change: { readonly values: Readonly<Record<Key, string>> } | { readonly touched: string },
): void {
  const data =
    "touched" in change
      ? kubernetes.get("secrets", NAMESPACE, name)?.["data"]
      : Object.fromEntries(
          Object.entries(change.values).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
        );
  const labels = "touched" in change ? { labels: { touched: change.touched } } : {};
  kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: NAMESPACE, ...labels },
    data,
  });
}

/** Values by the names that the spec gives them. */
function declared({ kubernetes }: Kubernetes, { one: { keys, as }, two }: Spec): ReadonlyMap<string, string> {
  const valueOf = (secret: string, key: Key): string => {
    const { data } = kubernetes.get("secrets", NAMESPACE, secret) as unknown as {
      readonly data: Readonly<Record<Key, string>>;
    };
    return Buffer.from(data[key], "base64").toString("utf8");
  };
  const first = (keys ?? KEYS).map(
    (key) => [`${keys === undefined ? "" : (as ?? "")}${key}`, valueOf("one", key)] as const,
  );
  const second = two === undefined ? [] : KEYS.map((key) => [`${two}${key}`, valueOf("two", key)] as const);
  return new Map([...first, ...second]);
}
