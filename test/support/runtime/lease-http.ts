import { fastify } from "fastify";

/** One Lease over HTTP, as the apiserver serves it: GET, POST, PUT with versions. */
export interface LeaseHttpServer extends AsyncDisposable {
  readonly url: string;
  /** The Lease as stored; undefined before it is created. */
  readonly lease: () => Readonly<Record<string, unknown>> | undefined;
  /** While true, requests arrive, take effect, and are never answered. */
  readonly mute: (muted: boolean) => void;
}

const path = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";

function status(code: number, reason: string): object {
  return { apiVersion: "v1", kind: "Status", status: "Failure", code, reason, message: reason };
}

/** @param onRequest called as each request arrives: a place to look at what holds at that moment */
export async function startLeaseHttpServer(onRequest: () => void = () => undefined): Promise<LeaseHttpServer> {
  const server = fastify({ forceCloseConnections: true });
  let stored: (Record<string, unknown> & { metadata: object }) | undefined;
  let version = 0;
  let muted = false;
  server.addHook("onRequest", (_request, _reply, done) => {
    onRequest();
    done();
  });
  const write = (body: Record<string, unknown>): object => {
    version += 1;
    const metadata = { ...Object(body["metadata"]), uid: "lease-uid", resourceVersion: `${version}` };
    stored = { ...body, metadata };
    return stored;
  };
  /** What an apiserver would answer, once the effect is there. */
  const answer = (make: () => { readonly code: number; readonly body: object }) => {
    const { code, body } = make();
    return muted ? new Promise<never>(() => undefined) : Promise.resolve({ code, body });
  };
  server.get(`${path}/leader`, async (_request, reply) => {
    const found = () =>
      stored === undefined ? { code: 404, body: status(404, "NotFound") } : { code: 200, body: stored };
    const { code, body } = await answer(found);
    return reply.code(code).send(body);
  });
  server.post<{ Body: Record<string, unknown> }>(path, async (request, reply) => {
    const create = () =>
      stored === undefined
        ? { code: 201, body: write(request.body) }
        : { code: 409, body: status(409, "AlreadyExists") };
    const { code, body } = await answer(create);
    return reply.code(code).send(body);
  });
  server.put<{ Body: { readonly metadata: { readonly resourceVersion: string } } }>(
    `${path}/leader`,
    async (request, reply) => {
      const update = () =>
        request.body.metadata.resourceVersion === `${version}`
          ? { code: 200, body: write({ ...request.body }) }
          : { code: 409, body: status(409, "Conflict") };
      const { code, body } = await answer(update);
      return reply.code(code).send(body);
    },
  );
  const url = await server.listen({ host: "127.0.0.1", port: 0 });
  return {
    url,
    lease: () => stored,
    mute: (value) => {
      muted = value;
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
