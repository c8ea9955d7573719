import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Logger } from "../../base/log.ts";
import { ApiFailure, newErrorEventId } from "../failure.ts";
import { type Answer, failureAnswer, jsonAnswer } from "../http/answer.ts";
import { mediaTypeOf } from "../http/media-type.ts";
import { isOfThisMachine } from "../http/this-machine.ts";
import { parseJson } from "../http/validation.ts";
import { CONTROL_PATH, callsByName } from "./calls.ts";
import { type Dispatch, noCall } from "./dispatch.ts";

/**
 * The control calls over HTTP: `POST /_emulator/<group>.<verb>` with a JSON body; `GET /_emulator` lists them with their schemas. For
 * programs of this machine only, and for JSON only, so that no web page can send one.
 */
export function controlRoutes(server: FastifyInstance, dispatch: Dispatch, log: Logger): void {
  const answer = async (reply: FastifyReply, run: () => unknown): Promise<FastifyReply> => {
    const { status, headers, body } = await answerOf(run, log);
    return reply.code(status).headers(headers).send(body);
  };
  server.get(CONTROL_PATH, async (request, reply) =>
    answer(reply, () => {
      refuseStrangers(request);
      return [...callsByName].map(([name, { summary, input }]) => ({
        call: `POST ${CONTROL_PATH}/${name}`,
        summary,
        input: z.toJSONSchema(input, { io: "input", unrepresentable: "any" }),
      }));
    }),
  );
  const calls = `${CONTROL_PATH}/*`; // a name with a slash in it is no operation of the service either
  server.post<CallRoute>(calls, async (request, reply) =>
    answer(reply, () => {
      refuseStrangers(request);
      refuseOtherThanJson(request);
      const text = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
      return dispatch(request.params["*"], text === "" ? {} : parseJson(text, "body"));
    }),
  );
  const others = (...served: readonly string[]): string[] =>
    server.supportedMethods.filter((method) => !served.includes(method));
  server.route<CallRoute>({
    method: others("POST"),
    url: calls,
    handler: (request, reply) => answer(reply, () => refuseMethod(request, request.params["*"])),
  });
  server.route({
    method: others("GET", "HEAD"),
    url: CONTROL_PATH,
    handler: (request, reply) => answer(reply, () => refuseMethod(request, undefined)),
  });
}

interface CallRoute {
  readonly Params: { readonly "*": string };
}

/** @param name of a control call; undefined: the list of them @throws ApiFailure 405 naming the method to use, 404 for an unknown call */
function refuseMethod(request: FastifyRequest, name: string | undefined): never {
  refuseStrangers(request);
  if (name !== undefined && !callsByName.has(name)) throw noCall(name);
  const [allow, words] =
    name === undefined
      ? ["GET, HEAD", [`GET ${CONTROL_PATH} lists the control calls`, `they are called by POST ${CONTROL_PATH}/<call>`]]
      : ["POST", [`${name} is called by POST`, `POST ${CONTROL_PATH}/${name} with a JSON body`]];
  throw new ApiFailure(405, words.join(`, received ${request.method}: `), {}, { allow });
}

async function answerOf(run: () => unknown, log: Logger): Promise<Answer> {
  try {
    return jsonAnswer(200, await run());
  } catch (error) {
    const errorEventId = newErrorEventId();
    if (!(error instanceof ApiFailure)) log.error({ error, errorEventId }, "control call failed");
    return failureAnswer(error, errorEventId);
  }
}

/** Also without a body: a form of a web page would be sent as it is, JSON only by a script, which has to ask first. */
function refuseOtherThanJson(request: FastifyRequest): void {
  const given = mediaTypeOf(request).slice(0, 80);
  if (given === "application/json") return;
  const received = given === "" ? "none" : given;
  throw new ApiFailure(
    400,
    `content-type: expected application/json, received ${received}: curl sends it with --json '{}', or with the call's input in place of {}`,
  );
}

function refuseStrangers(request: FastifyRequest): void {
  if (isOfThisMachine(request)) return;
  throw new ApiFailure(403, "control calls are for programs of this machine, which call it localhost or 127.0.0.1");
}
