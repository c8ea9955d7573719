import { NAMESPACE } from "../life.ts";
import type { Play } from "./play.ts";
import { type Happening, outage, troubles } from "./scenarios.ts";

/** What happens to a connection, of a namespace or of the cluster: to its Secret, its server, and who uses it. */
export function connectionLife(kind: "Connection" | "ClusterConnection"): (play: Play) => readonly Happening[] {
  return (play) => {
    const { kubernetes, emulator } = play.theatre;
    const cluster = kind === "ClusterConnection";
    const plural = cluster ? "clusterconnections" : "connections";
    const put = (more: object = {}): void => {
      const secretRef = { name: "token", ...(cluster ? { namespace: NAMESPACE } : {}) };
      const allowed = cluster ? { allowedNamespaces: { names: [NAMESPACE] } } : {};
      play.put(plural, "one", { baseUrl: emulator.url, token: { secretRef }, ...allowed, ...more });
    };
    const token = (text: string): void => play.putCore("secrets", "token", { token: text });
    const spec = { organization: "acme", name: "shop", deletionPolicy: "Delete", connectionRef: { kind, name: "one" } };
    return [
      {
        what: "applied without its Secret",
        act: () => {
          kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
          put();
        },
      },
      { what: "the Secret put there", act: () => token("token"), moves: true },
      { what: "with a token that is not accepted", act: () => token("nobody's"), moves: true },
      { what: "with the right one", act: () => token("token"), moves: true },
      { what: "used by a Project", act: () => play.put("projects", "shop", spec) },
      { what: "edited", act: () => put({ defaults: { driftInterval: "5m" } }) },
      ...troubles(play, plural, "one"),
      {
        what: "opened anew in an outage",
        act: async () => {
          await emulator.control.faults.add(outage);
          await play.restart();
        },
      },
      { what: "the end of that", act: () => emulator.control.faults.clear({}) },
      {
        what: "its Secret deleted, and not put back",
        act: () => kubernetes.delete("secrets", NAMESPACE, "token"),
        moves: true,
      },
      { what: "its Secret put back", act: () => token("token"), moves: true },
      {
        what: "deleted while it is used",
        act: () => kubernetes.delete(plural, cluster ? "" : NAMESPACE, "one"),
        moves: true,
      },
      { what: "used no more", act: () => kubernetes.delete("projects", NAMESPACE, "shop") },
    ];
  };
}
