import { describe, expect, it } from "vitest";
import { z } from "zod";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";

/** A token that ends before any one request of an operation: the access token of an app, which a refresh replaces, and a user's own. */

const API = "baas.dev/v1alpha1";
const LOOK_MS = 5000;
/** In which a Connection tells of a token that was refused: none that waits for its next look by itself does. */
const SOON_MS = 4 * LOOK_MS;
const MOST_MS = 2 * 3_600_000;
const FIRST_TOKEN = "token";
const SECOND_TOKEN = "second-token";
const APP = { client_id: "deployer", client_secret: "secret-of-deployer", redirect_uri: "https://app.example.test/cb" };

const options: Parameters<typeof openTheatre>[0] = {
  ...AT_ONCE,
  limits: { requestsPerMinute: 0 },
  seed: {
    organizations: [{ slug: "acme", plan: "enterprise", members: { owner: "Owner" } }],
    oauthApps: [{ clientId: APP.client_id, clientSecret: APP.client_secret, redirectUris: [APP.redirect_uri] }],
  },
};

const projectRef = { name: "shop" };
const specs = {
  projects: { kind: "Project", name: "shop", spec: { organization: "acme", deletionPolicy: "Delete" } },
  edgefunctions: {
    kind: "EdgeFunction",
    name: "hello",
    spec: { projectRef, source: { inline: { files: { "index.ts": "// hello" } } } },
  },
} as const;
type Plural = keyof typeof specs;

/** The operator with a Connection of its own, and what its requests meet. */
class Stage implements AsyncDisposable {
  readonly theatre: Theatre;
  readonly operator: WholeOperator;
  /** what the Connection's Ready and the objects have said, each once */
  readonly said = new Set<string>();
  readonly #before: { onRequest: () => void };

  private constructor(theatre: Theatre, operator: WholeOperator, before: { onRequest: () => void }) {
    this.theatre = theatre;
    this.operator = operator;
    this.#before = before;
  }

  static async open(credential: Credential): Promise<Stage> {
    const before = { onRequest: (): void => undefined };
    const onRequest = (): void => before.onRequest();
    const theatre = await openTheatre(options, { ownConnections: true, onRequest });
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } };
    theatre.kubernetes.put("namespaces", namespace);
    const spec = { baseUrl: theatre.emulator.url, ...(await credential.give(theatre)) };
    const metadata = { name: "default", namespace: NAMESPACE };
    theatre.kubernetes.put("connections", { apiVersion: API, kind: "Connection", metadata, spec });
    return new Stage(theatre, await WholeOperator.start(theatre), before);
  }

  put(plural: Plural): void {
    const { kind, name, spec } = specs[plural];
    this.theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata: { name, namespace: NAMESPACE }, spec });
  }

  isThere(plural: Plural): boolean {
    return this.theatre.kubernetes.get(plural, NAMESPACE, specs[plural].name) !== undefined;
  }

  /** @param act is done before the request of this number, from 0. @returns tells how many there were until it is called */
  before(number: number, act: () => void): () => number {
    let begun = 0;
    this.#before.onRequest = () => {
      this.#hear(); // what the last write said may be over when time has passed
      if (begun === number) act();
      begun += 1;
    };
    return () => begun;
  }

  async pass(ms: number): Promise<void> {
    this.operator.look();
    await this.operator.advance(ms);
    this.#hear();
  }

  #hear(): void {
    for (const plural of ["connections", "projects", "edgefunctions"]) {
      for (const { kind, ...object } of this.theatre.kubernetes.list(plural)) {
        this.said.add(`${kind} ${readyOf(object["status"])}`);
      }
    }
  }

  /** @throws Error where it does not come to be so */
  async until(done: () => boolean | Promise<boolean>, what: string): Promise<void> {
    for (let passedMs = 0; passedMs < MOST_MS; passedMs += LOOK_MS) {
      if (await done()) return;
      await this.pass(LOOK_MS);
    }
    throw new Error(`not so: ${what}; said: ${[...this.said].join(", ")}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.operator[Symbol.asyncDispose]();
    await this.theatre[Symbol.asyncDispose]();
  }
}

const statusSchema = z.looseObject({
  conditions: z.array(z.looseObject({ type: z.string(), status: z.string(), reason: z.string() })).default([]),
});

function readyOf(status: unknown): string {
  const { conditions } = statusSchema.parse(status ?? {});
  const ready = conditions.find(({ type }) => type === "Ready");
  return ready === undefined ? "silent" : `${ready.status} ${ready.reason}`;
}

function putSecret({ kubernetes }: Theatre, values: Readonly<Record<string, string>>): void {
  const metadata = { name: "credential", namespace: NAMESPACE };
  const encoded = Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString("base64")] as const);
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: Object.fromEntries(encoded) });
}

interface Credential {
  readonly what: string;
  /** Puts it there. @returns what the Connection says of it */
  give(theatre: Theatre): Promise<object>;
  /** Ends it at once. */
  end(theatre: Theatre): void;
  /** Whether its end is for somebody to act on, and what the Connection then says. */
  readonly reason: string | undefined;
  /** What somebody does about it. */
  mend(theatre: Theatre): Promise<void>;
}

const tokensSchema = z.looseObject({ refresh_token: z.string() });

const appsToken: Credential = {
  what: "an app's access token",
  give: async (theatre) => {
    const { control, url } = theatre.emulator;
    const { code } = await control.oauth.approve({ clientId: APP.client_id, user: "owner", organization: "acme" });
    const body = new URLSearchParams({ ...APP, grant_type: "authorization_code", code });
    const answer = await fetch(`${url}/v1/oauth/token`, { method: "POST", body });
    const { refresh_token: refresh } = tokensSchema.parse(await answer.json());
    putSecret(theatre, { "client-secret": APP.client_secret, refresh });
    const refreshToken = { secretRef: { name: "credential", key: "refresh" } };
    return { oauth: { clientId: APP.client_id, clientSecret: { secretRef: { name: "credential" } }, refreshToken } };
  },
  end: ({ emulator }) => void emulator.control.oauth.expireTokens(),
  reason: undefined,
  mend: () => Promise.resolve(),
};

const usersToken: Credential = {
  what: "a user's token",
  give: (theatre) => {
    putSecret(theatre, { token: FIRST_TOKEN });
    return Promise.resolve({ token: { secretRef: { name: "credential" } } });
  },
  end: ({ emulator }) => void emulator.control.tokens.revoke({ token: FIRST_TOKEN }),
  reason: "False CredentialInvalid",
  mend: async (theatre) => {
    await theatre.emulator.control.tokens.add({ token: SECOND_TOKEN, user: "owner" });
    putSecret(theatre, { token: SECOND_TOKEN });
  },
};

interface Operation {
  readonly what: string;
  readonly needs: readonly Plural[];
  begin(stage: Stage): Promise<void> | void;
  ended(stage: Stage): boolean | Promise<boolean>;
  /** accepted requests that make or delete the one thing */
  readonly changes: { readonly operation: string; readonly times: number };
  /** what is there in the end: projects, and their functions */
  readonly remote: readonly (readonly string[])[];
}

async function remoteOf({ emulator }: Theatre): Promise<readonly (readonly string[])[]> {
  const { projects } = await emulator.control.state.read({});
  return projects.map(({ functions }) => functions.map(({ slug }) => slug));
}

const allReady = ({ theatre }: Stage): boolean => unready(theatre).length === 0;

const operations: readonly Operation[] = [
  {
    what: "a create",
    needs: [],
    begin: (stage) => stage.put("projects"),
    ended: allReady,
    changes: { operation: "projects.create", times: 1 },
    remote: [[]],
  },
  {
    what: "a function deployment",
    needs: ["projects"],
    begin: (stage) => stage.put("edgefunctions"),
    ended: allReady,
    changes: { operation: "functions.deploy", times: 1 },
    remote: [["hello"]],
  },
  {
    what: "a deletion",
    needs: ["projects"],
    begin: ({ theatre: { kubernetes, clock } }) => kubernetes.delete("projects", NAMESPACE, "shop", clock.now()),
    ended: (stage) => !stage.isThere("projects"),
    changes: { operation: "projects.delete", times: 1 },
    remote: [],
  },
  {
    what: "a drift check",
    needs: ["projects", "edgefunctions"],
    begin: async ({ theatre: { emulator } }) => {
      await emulator.control.tokens.add({ token: "somebody", user: "owner" });
      const [ref = ""] = (await emulator.control.state.read({})).projects.map((project) => project.ref);
      const headers = { authorization: "Bearer somebody" };
      await fetch(`${emulator.url}/v1/projects/${ref}/functions/hello`, { method: "DELETE", headers });
    },
    ended: async (stage) => allReady(stage) && (await remoteOf(stage.theatre)).flat().length === 1,
    changes: { operation: "functions.deploy", times: 1 },
    remote: [["hello"]],
  },
];

/** How an operation went whose token ended before a request. */
interface Played {
  readonly number: number;
  /** how many requests there were */
  readonly begun: number;
  /** whether the platform refused any for its token */
  readonly refused: boolean;
  /** whether the Connection told of it soon, as it should where somebody must act */
  readonly told: boolean;
  /** reasons that were told beside that, though they are no news of this token */
  readonly mistaken: readonly string[];
  /** accepted requests of the operation's one kind */
  readonly changes: number;
  readonly remote: readonly (readonly string[])[];
  readonly open: boolean;
}

/** What a token that is not accepted must not be taken for. */
const OTHER_REASONS = /Rejected|Forbidden|Revoked|Lost|Missing|Unavailable|Unexpected/;
const OF_TOKENS = /NotReady|Credential/;

async function play(operation: Operation, credential: Credential, number: number): Promise<Played> {
  const why = `${credential.what} ended before request ${number} of ${operation.what}`;
  await using stage = await Stage.open(credential);
  const { theatre, said } = stage;
  const { log } = theatre.emulator.control;
  await stage.until(() => said.has("Connection True Available"), "the connection is open");
  for (const plural of operation.needs) {
    stage.put(plural);
    await stage.until(() => allReady(stage), `${plural} are ready`);
  }
  await operation.begin(stage);
  await log.clear();
  said.clear();
  const begun = stage.before(number, () => credential.end(theatre));
  const isTold = (): boolean => said.has(`Connection ${credential.reason}`);
  await stage.until(() => isTold() || operation.ended(stage), why);
  const [refusal] = (await log.read({ status: 401 })).entries;
  const refused = refusal !== undefined;
  const told = isTold() && theatre.clock.now() - Date.parse(refusal?.at ?? "") <= SOON_MS;
  const mistaken = [...said].filter((text) => OTHER_REASONS.test(text) || (!told && OF_TOKENS.test(text)));
  if (begun() > number) await credential.mend(theatre);
  await stage.until(() => operation.ended(stage), `${why}, and it goes on`);
  await stage.pass(60_000);
  const { entries } = await log.read({ operation: operation.changes.operation });
  const changes = entries.filter(({ status }) => status !== null && status < 300).length;
  const remote = await remoteOf(theatre);
  const connection = theatre.kubernetes.get("connections", NAMESPACE, "default");
  const open = readyOf(connection?.["status"]).startsWith("True ");
  return { number, begun: begun(), refused, told, mistaken, changes, remote, open };
}

describe.each([appsToken, usersToken])("$what that ends before any one request", (credential) => {
  it.each(operations)(
    "of $what: one thing is done once, and it is told where somebody must act, without a restart",
    { timeout: 120_000 },
    async (operation) => {
      const undisturbed = await play(operation, credential, Infinity);
      const all: Played[] = [];
      for (let number = 0; number < undisturbed.begun; number += 1) {
        const played = await play(operation, credential, number);
        // A first dependent waits until its Connection is marked as in use, whatever its token.
        const mistaken = played.mistaken.filter((text) => !undisturbed.mistaken.includes(text));
        const { remote, changes } = operation;
        const told = played.refused && credential.reason !== undefined;
        expect({ ...played, mistaken }).toMatchObject({
          number,
          told,
          mistaken: [],
          changes: changes.times,
          remote,
          open: true,
        });
        all.push(played);
      }
      expect(all.filter(({ refused }) => refused).length).toBeGreaterThan(1);
    },
  );
});
