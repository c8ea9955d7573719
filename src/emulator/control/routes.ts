import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import { isLoopbackHost } from "../../base/proxy.ts";
import { ApiFailure } from "../failure.ts";
import { failureAnswer, jsonAnswer } from "../http/answer.ts";
import { parseJson } from "../http/validation.ts";
import { CONTROL_PATH, callsByName } from "./calls.ts";
import type { Dispatch } from "./dispatch.ts";

/**
 * The control calls over HTTP: `POST /_emulator/<group>.<verb>` with a JSON body; `GET /_emulator` lists them with their schemas. For
 * peers on loopback only, and for JSON only, so that no web page can send one.
 */
export function controlRoutes(server: FastifyInstance, dispatch: Dispatch): void {
  server.get(CONTROL_PATH, async (request, reply) =>
    answer(reply, () => {
      refuseStrangers(request.ip);
      return [...callsByName].map(([name, { summary, input }]) => ({
        call: `POST ${CONTROL_PATH}/${name}`,
        summary,
        input: z.toJSONSchema(input, { io: "input", unrepresentable: "any" }),
      }));
    }),
  );
  server.post<{ Params: { name: string } }>(`${CONTROL_PATH}/:name`, async (request, reply) =>
    answer(reply, () => {
      refuseStrangers(request.ip);
      if (!(request.headers["content-type"] ?? "").startsWith("application/json")) {
        throw new ApiFailure(400, "content-type: expected application/json");
      }
      const text = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
      return dispatch(request.params.name, text === "" ? {} : parseJson(text, "body"));
    }),
  );
}

async function answer(reply: FastifyReply, run: () => unknown): Promise<FastifyReply> {
  let made;
  try {
    made = jsonAnswer(200, await run());
  } catch (error) {
    made = failureAnswer(error, "control");
  }
  return reply.code(made.status).headers(made.headers).send(made.body);
}

function refuseStrangers(address: string): void {
  if (!isLoopbackHost(address)) throw new ApiFailure(403, "control calls are for loopback peers only");
}
