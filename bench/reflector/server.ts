import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { servedFunction } from "./objects.ts";

/**
 * Program of the reflector's bench: an apiserver that lists EdgeFunctions page by page, and whose first watch delivers so many changes of them as
 * fast as they are taken. Prints its base URL. Arguments: objects, events.
 */

const [objects = 0, events = 0] = process.argv.slice(2).map(Number);
const FIRST_VERSION = 1_000_000;

function list(parameters: URLSearchParams, response: ServerResponse): void {
  const from = Number(parameters.get("continue") ?? 0);
  const to = Math.min(objects, from + Number(parameters.get("limit") ?? objects));
  const items = Array.from({ length: to - from }, (_, n) => servedFunction(from + n, FIRST_VERSION + from + n));
  const metadata = {
    resourceVersion: String(FIRST_VERSION + objects),
    ...(to < objects ? { continue: String(to) } : {}),
  };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ apiVersion: "baas.dev/v1alpha1", kind: "EdgeFunctionList", metadata, items }));
}

let watched = false;

async function watch(response: ServerResponse): Promise<void> {
  response.setHeader("content-type", "application/json");
  response.flushHeaders();
  if (watched) return;
  watched = true;
  const left = new AbortController();
  response.once("close", () => left.abort());
  for (let n = 0; n < events && !left.signal.aborted; n += 1) {
    const object = servedFunction(n % objects, FIRST_VERSION + objects + 1 + n);
    const taken = response.write(`${JSON.stringify({ type: "MODIFIED", object })}\n`);
    if (!taken) await once(response, "drain", { signal: left.signal }).catch(() => undefined); // nobody takes more
  }
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  if (searchParams.get("watch") === "true") void watch(response);
  else list(searchParams, response);
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
const address = server.address();
if (typeof address !== "object" || address === null) throw new Error("no TCP port");
process.stdout.write(`http://127.0.0.1:${address.port}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
