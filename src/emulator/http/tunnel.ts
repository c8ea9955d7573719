import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";
import type { OwedAnswers } from "./owed-answers.ts";

/** Not imported, as in unreadable.ts. */
const { ServerResponse } = process.getBuiltinModule("node:http");

/**
 * Lets a CONNECT go the way of every request, on which it ends as a method that there is not: Node.js would close the connection without a word, and
 * with it the answers that it still owes. It has let go of the socket, so that the answer closes it; what comes after the head was meant for
 * somebody else and is dropped. Never rejects.
 */
export async function answerTunnel(server: Server, owed: OwedAnswers, request: IncomingMessage): Promise<void> {
  const { socket } = request;
  socket.on("error", () => socket.destroy());
  socket.resume();
  await owed.given(socket);
  if (socket.destroyed) return;
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once("finish", () => endAfter(response, socket));
  server.emit("request", request, response);
}

function endAfter(response: InstanceType<typeof ServerResponse>, socket: Socket): void {
  response.detachSocket(socket);
  socket.end(() => socket.destroy());
}
