import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { freePort } from "../control-plane/ports.ts";

/** How a line fares: bytes pass, or nobody listens, or a connection ends before a byte, or another protocol answers. */
export const ailments = ["refused", "closed", "another protocol"] as const;
export type Ailment = (typeof ailments)[number];

/** An alert of TLS, `handshake_failure`: what a server that wants TLS answers to plain HTTP (RFC 8446 §6). */
const ALERT = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x28]);

/** The way to the platform: connections pass byte by byte, faults of the platform included, until something ails the line itself. */
export class PlatformLine implements AsyncDisposable {
  readonly url: string;
  readonly #target: number;
  readonly #port: number;
  readonly #sockets = new Set<Socket>();
  #ailment: Ailment | undefined;
  #server: Server | undefined;

  private constructor(target: string, port: number) {
    this.#target = Number(new URL(target).port);
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** @param target base URL of the platform, on this machine */
  static async open(target: string): Promise<PlatformLine> {
    const line = new PlatformLine(target, await freePort());
    await line.#listen();
    return line;
  }

  /** Every connection ends, and new ones fare so until `mend`. */
  async ail(ailment: Ailment): Promise<void> {
    this.#ailment = ailment;
    if (ailment === "refused") await this.#close();
    this.#cut();
  }

  async mend(): Promise<void> {
    this.#ailment = undefined;
    this.#cut();
    await this.#listen();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cut();
    await this.#close();
  }

  async #listen(): Promise<void> {
    if (this.#server !== undefined) return;
    this.#server = createServer((socket) => this.#take(socket));
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async #close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    this.#cut();
    await closed;
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #take(client: Socket): void {
    this.#keep(client);
    if (this.#ailment === "another protocol") client.end(ALERT);
    else if (this.#ailment === undefined) this.#pass(client);
    else client.destroy();
  }

  #pass(client: Socket): void {
    const platform = connect(this.#target, "127.0.0.1");
    this.#keep(platform);
    for (const [one, other] of [
      [client, platform],
      [platform, client],
    ] as const) {
      one.setNoDelay(true);
      one.pipe(other);
      one.once("error", () => other.resetAndDestroy());
      one.once("close", () => other.destroySoon());
    }
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => this.#sockets.delete(socket));
  }
}
