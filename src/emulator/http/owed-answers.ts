import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** The answers that a connection still owes, in the order of their requests: several may be asked for before the first one leaves. */
export class OwedAnswers {
  readonly #bySocket = new WeakMap<Socket, Set<ServerResponse<IncomingMessage>>>();

  /** A request has arrived, perhaps not yet to its end. */
  note({ socket }: IncomingMessage, answer: ServerResponse<IncomingMessage>): void {
    const owed = this.#bySocket.get(socket) ?? new Set();
    this.#bySocket.set(socket, owed.add(answer));
    answer.once("close", () => owed.delete(answer));
  }

  /** The answer to the request that has not arrived to its end. */
  unfinished(socket: Socket): ServerResponse | undefined {
    return this.#of(socket).find(({ req }) => !req.complete);
  }

  /** Resolves when every request that did arrive to its end is answered, or the connection is closed. */
  async given(socket: Socket): Promise<void> {
    const complete = this.#of(socket).filter(({ req }) => req.complete);
    await Promise.all(complete.map((answer) => new Promise((resolve) => answer.once("close", resolve))));
  }

  #of(socket: Socket): readonly ServerResponse<IncomingMessage>[] {
    return [...(this.#bySocket.get(socket) ?? [])];
  }
}
