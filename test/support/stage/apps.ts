import { request } from "undici";
import { type TokenResponse, tokenResponseSchema } from "../../../src/api/contract/oauth.ts";
import type { Manifest, Room, SeenObject } from "./room.ts";

/** OAuth apps of a stage: registered at the emulator, authorized as a user would, declared in a Connection. */

const CALLBACK = "https://app.example.test/callback";
/** Secret of the app's own credential, and of the user's consent. */
const APP_SECRET = "app";
const CONSENT_SECRET = "consent";

type Registration = Parameters<Room["emulator"]["control"]["oauth"]["addApp"]>[0];
type Scopes = Registration["scopes"];

interface AppOptions {
  readonly secret?: string;
  readonly scopes?: Scopes;
}

/** The app of a room. */
export class RoomApp {
  readonly clientId: string;
  readonly secret: string;
  readonly #room: Room;

  private constructor(room: Room, secret: string) {
    this.clientId = `app-of-${room.namespace}`;
    this.secret = secret;
    this.#room = room;
  }

  /** Registers an app that may ask for all there is. */
  static async register(room: Room, options: AppOptions = {}): Promise<RoomApp> {
    const app = new RoomApp(room, options.secret ?? `secret-of-${room.namespace}`);
    await app.registerAs(options.scopes);
    return app;
  }

  /** Registers it again, with other scopes. */
  async registerAs(scopes: Scopes): Promise<void> {
    const { clientId, secret: clientSecret } = this;
    const registration = { clientId, clientSecret, redirectUris: [CALLBACK] };
    await this.#room.emulator.control.oauth.addApp({ ...registration, ...(scopes === undefined ? {} : { scopes }) });
  }

  /** A refresh token as the consent of a user gives it. @param user default: the room's */
  async consent(user = `user-of-${this.#room.namespace}`, organization = this.#room.namespace): Promise<string> {
    const { clientId } = this;
    const { code } = await this.#room.emulator.control.oauth.approve({ clientId, user, organization });
    const grant = { grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    const { refresh_token: refreshToken } = await this.#ask(grant);
    return refreshToken ?? "";
  }

  /** The Connection `default` once it acts through the app. */
  acts(): Promise<SeenObject> {
    const acting = ({ status }: SeenObject): boolean =>
      JSON.stringify(status["identity"] ?? {}).includes(this.clientId);
    return this.#room.until("Connection", "default", acting);
  }

  /** Where the app's own secret and the consent lie elsewhere than in the room, as the Secrets that `oauth(place)` names. */
  secretsIn(namespace: string, refreshToken: string): readonly Manifest[] {
    const secret = (name: string, stringData: Manifest): Manifest => {
      return { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData };
    };
    return [
      secret(APP_SECRET, { "client-secret": this.secret }),
      secret(CONSENT_SECRET, { "refresh-token": refreshToken }),
    ];
  }

  /** Uses a refresh token as somebody else would. */
  async refresh(refreshToken: string): Promise<void> {
    await this.#ask({ grant_type: "refresh_token", refresh_token: refreshToken });
  }

  /** Takes all consents back, as users do in their dashboards. */
  async revoke(): Promise<void> {
    const { oauth } = this.#room.emulator.control;
    for (const { id, clientId } of await oauth.grants()) {
      if (clientId === this.clientId) await oauth.revokeGrant({ id });
    }
  }

  /** The Connection `default`, and the Secrets that it names. */
  connection(refreshToken: string): readonly Manifest[] {
    const room = this.#room;
    return [
      ...this.secretsIn(room.namespace, refreshToken),
      room.ours("Connection", "default", { baseUrl: room.emulator.url, oauth: this.oauth() }),
    ];
  }

  consentSecret(refreshToken: string): Manifest {
    return this.#room.manifest("v1", "Secret", CONSENT_SECRET, { stringData: { "refresh-token": refreshToken } });
  }

  /** @param place of Secrets that are not the namespace's own */
  oauth(place: { readonly namespace?: string } = {}): Manifest {
    return {
      clientId: this.clientId,
      clientSecret: { secretRef: { name: APP_SECRET, ...place } },
      refreshToken: { secretRef: { name: CONSENT_SECRET, ...place } },
    };
  }

  async #ask(fields: Readonly<Record<string, string>>): Promise<TokenResponse> {
    const answer = await request(`${this.#room.emulator.url}/v1/oauth/token`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ client_id: this.clientId, client_secret: this.secret, ...fields }).toString(),
    });
    const json: unknown = await answer.body.json();
    if (answer.statusCode !== 200) throw new Error(`the token endpoint answered ${answer.statusCode}`);
    return tokenResponseSchema.parse(json);
  }
}
