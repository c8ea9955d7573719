import dns from "node:dns";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../../test/support/controllers/shop.ts";
import { startTlsFront, type TlsFront } from "../../../test/support/controllers/tls-front.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { makeCertificate } from "../../../test/support/kube-server/certificates.ts";
import { connectionKind } from "../../resources/connection/kind.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { findCondition } from "../shared/conditions.ts";

/**
 * engine.md §6, faults: a platform that no connection can be made to is told by the Connection with what to look at, and nothing needs to be done
 * once it is mended.
 */

const API = "baas.dev/v1alpha1";
const HOST = "platform.test";
const MINUTE_MS = 60_000;

const trusted = getCACertificates("default");
const authority = makeCertificate(["a private CA"]);
const valid = makeCertificate([HOST], authority);
const expired = makeCertificate([HOST], authority, [-2, -1]);

let theatre: Theatre;
let operator: WholeOperator;
let front: TlsFront;
/** how DNS fails for the host, if it does */
let dnsFault: string | undefined;

beforeEach(async () => {
  dnsFault = undefined;
  answerNames();
  setDefaultCACertificates([...trusted, authority.cert]);
  theatre = await openTheatre(AT_ONCE, { ownConnections: true });
  front = await startTlsFront(theatre.emulator.url, valid);
  operator = await WholeOperator.start(theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await front[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
  vi.restoreAllMocks();
  setDefaultCACertificates(trusted);
});

/** The system's names, and one more: that of the loopback, or unknown. */
function answerNames(): void {
  const lookup = dns.lookup as (...asked: readonly unknown[]) => void;
  const answered = (host: string, ...rest: readonly unknown[]): void => {
    const answer = rest.at(-1) as (error: Error) => void;
    if (host !== HOST) return lookup(host, ...rest);
    if (dnsFault === undefined) return lookup("127.0.0.1", ...rest);
    const error = Object.assign(new Error(`getaddrinfo ${dnsFault} ${host}`), { code: dnsFault });
    setImmediate(() => answer(error));
  };
  vi.spyOn(dns, "lookup").mockImplementation(answered);
}

function put(plural: string, kind: string, name: string, spec: object): void {
  theatre.kubernetes.put(plural, { apiVersion: API, kind, metadata: { name, namespace: NAMESPACE }, spec });
}

function apply(): void {
  const { kubernetes } = theatre;
  kubernetes.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } });
  const metadata = { name: "token", namespace: NAMESPACE };
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { token: "token" } });
  const spec = { baseUrl: `https://${HOST}:${front.port}`, token: { secretRef: { name: "token" } } };
  put("connections", "Connection", "default", spec);
  put("projects", "Project", "shop", { organization: "acme" });
}

async function pass(minutes: number): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    operator.look();
    await operator.advance(MINUTE_MS);
  }
}

function says(type: string): string | undefined {
  const { conditions } = connectionKind.parseStatus(theatre.kubernetes.get("connections", NAMESPACE, "default"));
  const condition = findCondition(conditions, type);
  return condition && `${condition.status} ${condition.reason}: ${condition.message}`;
}

const shop = () => projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));

describe.each([
  {
    why: "its certificate has expired",
    code: "CERT_HAS_EXPIRED",
    says: "its certificate has expired",
    breaks: () => front.renew(expired),
    mends: () => front.renew(valid),
  },
  {
    why: "DNS does not know its host",
    code: "ENOTFOUND",
    says: "DNS does not know the host of spec.baseUrl",
    breaks: () => {
      dnsFault = "ENOTFOUND";
      front.renew(valid);
    },
    mends: () => (dnsFault = undefined),
  },
  {
    why: "DNS does not answer",
    code: "EAI_AGAIN",
    says: "DNS does not answer for the host of spec.baseUrl",
    breaks: () => {
      dnsFault = "EAI_AGAIN";
      front.renew(valid);
    },
    mends: () => (dnsFault = undefined),
  },
])("a platform that cannot be reached: $why", ({ code, says: words, breaks, mends }) => {
  const unreachable = new RegExp(
    String.raw`^False ServerUnavailable: no connection to the platform \(${code}\).*${words}`,
    "u",
  );

  it("is told from the start, and opened once that is mended", async () => {
    breaks();
    apply();
    await pass(2);
    expect(says("Reachable")).toMatch(unreachable);
    expect(says("Ready")).toContain(words);
    expect(unready(theatre).map(({ kind }) => kind)).toEqual(["Project"]);
    mends();
    await pass(6);
    expect(says("Reachable")).toBe("True Available: the Management API answers");
    expect(says("Ready")).toMatch(/^True Available/u);
    expect(unready(theatre)).toEqual([]);
  });

  it("is told of a connection that worked, and what was asked for meanwhile is done once that is mended", async () => {
    apply();
    await pass(2);
    expect(unready(theatre)).toEqual([]);
    const before = shop();
    breaks();
    put("projects", "Project", "shop", { organization: "acme", dataApi: { maxRows: 77 } });
    await pass(12);
    expect(says("Reachable")).toMatch(unreachable);
    expect(unready(theatre).map(({ kind }) => kind)).toEqual(["Project"]);
    mends();
    await pass(6);
    expect(says("Reachable")).toMatch(/^True Available/u);
    expect(says("Ready")).toMatch(/^True Available/u);
    expect(unready(theatre)).toEqual([]);
    expect(shop()).toMatchObject({ ref: before.ref, syncedGeneration: 2 });
  });
});
