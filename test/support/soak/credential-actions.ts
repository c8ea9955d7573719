import { type Choice, type Choosing, untouched } from "./choosing.ts";
import { types } from "./manifests.ts";

/**
 * What acts for a garden is replaced, the user's token or the consent to the app. Chance says whether the old one ends first, so that for a
 * while there is none that works.
 */
export const replaceCredential: Choice = (choosing) => {
  const { world, garden, chance } = choosing;
  if (untouched(choosing, ["token"]) === undefined) return undefined;
  const early = chance.is(0.5);
  const namespace = garden.credentialNamespace;
  const wait = chance.between(10_000, 400_000);
  const { secret, data, issue, revoke } = garden.credential === "token" ? nextToken(choosing) : nextConsent(choosing);
  return {
    what: `replace the ${garden.credential === "token" ? "token" : "consent"}${early ? ` ${wait} ms after it was revoked` : ""}`,
    act: async () => {
      if (early) {
        await revoke();
        await world.time.run(wait);
      }
      await issue();
      await world.kube.patchMerge(types.coreSecret, { namespace, name: secret }, { data });
      if (early) return;
      await world.time.run(30_000);
      await revoke();
    },
  };
};

interface Replacement {
  /** name and content of the Secret */
  readonly secret: string;
  readonly data: Readonly<Record<string, string>>;
  readonly issue: () => Promise<unknown>;
  /** ends the one that was used before */
  readonly revoke: () => Promise<unknown>;
}

function nextToken({ world, garden }: Choosing): Replacement {
  const { tokens } = world.emulator.control;
  const { token: before } = garden;
  garden.tokens += 1;
  const { token } = garden;
  return {
    secret: "token",
    data: { token: base64(token) },
    issue: () => tokens.add({ token, user: `operator-of-${garden.organization}` }),
    revoke: () => tokens.revoke({ token: before }),
  };
}

function nextConsent({ world, garden }: Choosing): Replacement {
  const { grantId } = garden.consent;
  garden.consents.shift();
  return {
    secret: "consent",
    data: { "refresh-token": base64(garden.consent.refreshToken) },
    issue: () => Promise.resolve(),
    revoke: () => world.emulator.control.oauth.revokeGrant({ id: grantId }),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
