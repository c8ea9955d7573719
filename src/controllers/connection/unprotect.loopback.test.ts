import { expect, it } from "vitest";
import { connected } from "../../../test/support/kube-server/connected.ts";
import { finalizers } from "../../resources/annotations.ts";
import { unprotectAll } from "./unprotect.ts";

it("uninstalling takes our finalizer, and no other, off every Secret that has it (engine.md §5)", async () => {
  await using bench = await connected();
  const { server, client } = bench;
  const { signal } = new AbortController();
  const metadata = { namespace: "ns", uid: "u", resourceVersion: "1" };
  const guarded = { ...metadata, name: "token", finalizers: ["example.com/else", finalizers.credential] };
  const other = { ...metadata, name: "other", finalizers: ["example.com/else"] };
  const released = unprotectAll(client, { namespaces: [], signal });
  const items = [{ metadata: other }, { metadata: guarded }];
  (await server.next()).json(200, { kind: "SecretList", apiVersion: "v1", metadata: { resourceVersion: "5" }, items });
  const patch = await server.next();
  expect([patch.method, patch.path]).toEqual(["PATCH", "/api/v1/namespaces/ns/secrets/token"]);
  expect(patch.body).toEqual([
    { op: "test", path: "/metadata/uid", value: "u" },
    { op: "test", path: "/metadata/finalizers/1", value: finalizers.credential },
    { op: "remove", path: "/metadata/finalizers/1" },
  ]);
  patch.json(200, { apiVersion: "v1", kind: "Secret", metadata: { ...guarded, finalizers: ["example.com/else"] } });
  expect(await released).toBe(1);
});
