import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A web app that sends its users to the platform's consent page: under another host name than the emulator, so that both are two sites. */
export interface WebApp {
  readonly url: string;
  readonly callback: string;
  /** queries with which browsers came back */
  readonly arrivals: readonly URLSearchParams[];
  /** what it shows at `/` */
  show(html: string): void;
  stop(): Promise<void>;
}

export async function startWebApp(): Promise<WebApp> {
  const arrivals: URLSearchParams[] = [];
  let page = "";
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    if (url.pathname === "/callback") arrivals.push(url.searchParams);
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<!doctype html><title>${url.pathname === "/callback" ? "back" : "app"}</title>${page}`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://localhost:${port}`;
  return {
    url,
    callback: `${url}/callback`,
    arrivals,
    show: (html) => (page = html),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
