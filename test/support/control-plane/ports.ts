import { createServer } from "node:net";

/** The ports of one control plane, all on 127.0.0.1. */
export interface Ports {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly apiserver: number;
}

/** Below the ranges from which kernels take ports for outgoing connections (32768 on Linux, 49152 on macOS). */
const lowest = 20_000;
const highest = 32_700;
const tries = 100;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ host: "127.0.0.1", port, exclusive: true }, () => {
      server.close(() => resolve(true));
    });
  });
}

/** A port of 127.0.0.1 that is free at this moment and not in `taken`. */
export async function freePort(taken: ReadonlySet<number> = new Set()): Promise<number> {
  for (let i = 0; i < tries; i += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (!taken.has(port) && (await isFree(port))) return port;
  }
  throw new Error(`no free port between ${lowest} and ${highest} on 127.0.0.1 after ${tries} tries`);
}

/**
 * Three ports that are free at this moment. Somebody else may take one before our program does; whoever starts programs tries again
 * with others then.
 */
export async function freePorts(): Promise<Ports> {
  const taken = new Set<number>();
  const next = async (): Promise<number> => {
    const port = await freePort(taken);
    taken.add(port);
    return port;
  };
  return { etcdClient: await next(), etcdPeer: await next(), apiserver: await next() };
}
