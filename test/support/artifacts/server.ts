import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { z } from "zod";
import { archiveOf, digestOf } from "./tar.ts";

/** How a server answers for one artifact. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** Where an artifact is, as the status of its source tells. */
export interface Published {
  readonly url: string;
  readonly digest: string;
  readonly size: number;
  readonly revision: string;
}

/** A server of artifacts, as Flux's source-controller is one. */
export class ArtifactServer implements AsyncDisposable {
  readonly url: string;
  /** paths that were asked for, in order */
  readonly asked: string[] = [];
  readonly #server: Server;
  readonly #answers = new Map<string, Answer>();
  #published = 0;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
    server.on("request", (request, response) => this.#answer(request, response));
  }

  static async start(): Promise<ArtifactServer> {
    const server = createServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    const { port } = z.object({ port: z.number() }).parse(server.address());
    return new ArtifactServer(server, `http://127.0.0.1:${port}`);
  }

  /** Puts an archive of these files at an address of its own. @param folder what its path begins with */
  publish(files: Readonly<Record<string, string>>, folder?: string): Published {
    return this.publishBytes(archiveOf(files), folder);
  }

  publishBytes(bytes: Uint8Array, folder = "artifact"): Published {
    this.#published += 1;
    const path = `/${folder}/${this.#published}.tar.gz`;
    this.serve(path, (_request, response) =>
      response.writeHead(200, { "content-type": "application/gzip" }).end(bytes),
    );
    return {
      url: this.url + path,
      digest: digestOf(bytes),
      size: bytes.length,
      revision: `main@sha1:${this.#published}`,
    };
  }

  serve(path: string, answer: Answer): void {
    this.#answers.set(path, answer);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    this.asked.push(path);
    const answer = this.#answers.get(path);
    if (answer === undefined) response.writeHead(404).end("not found");
    else answer(request, response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}
