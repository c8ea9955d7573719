import { createPrivateKey, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its key, as PEM. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Certificates for loopback TLS, made when they are needed so that no private key lies in the repository and none expires in it.
 *
 * @param names DNS names and addresses that it stands for; the first is its common name
 * @param issuer absent: it signs itself, and may sign others
 * @param years from when to when it holds, from now
 */
export function makeCertificate(
  names: readonly string[],
  issuer?: TestCertificate,
  years: readonly [from: number, to: number] = [-1, 1],
): TestCertificate {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const subject = distinguishedName(names[0] ?? "nobody");
  const issuerName = issuer === undefined ? subject : subjectOf(issuer.cert);
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    issuerName,
    sequence(utcTime(years[0]), utcTime(years[1])),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions(names, issuer === undefined))),
  );
  const signature = sign("sha256", body, createPrivateKey(issuer?.key ?? key));
  const certificate = sequence(body, ecdsaWithSha256, bitString(signature));
  const base64 = (certificate.toString("base64").match(/.{1,64}/g) ?? []).join("\n");
  return { cert: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`, key };
}

function extensions(names: readonly string[], authority: boolean): readonly Buffer[] {
  const alternatives = names.map((name) =>
    isIP(name) === 4 ? tagged(0x87, Buffer.from(name.split(".").map(Number))) : tagged(0x82, Buffer.from(name)),
  );
  const constraints = authority ? sequence(tagged(0x01, Buffer.from([0xff]))) : sequence();
  return [
    sequence(oid("55 1d 11"), octetString(sequence(...alternatives))), // subjectAltName
    sequence(oid("55 1d 13"), octetString(constraints)), // basicConstraints
  ];
}

function distinguishedName(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(oid("55 04 03"), tagged(0x0c, Buffer.from(commonName)))));
}

/** The subject of one of our own certificates: its sixth field. */
function subjectOf(pem: string): Buffer {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ""), "base64");
  const [body] = fields(der);
  const subject = body === undefined ? undefined : fields(body)[5];
  if (subject === undefined) throw new Error("not a certificate");
  return subject;
}

/** The elements within an element, each with its head. */
function fields(element: Buffer): readonly Buffer[] {
  const found: Buffer[] = [];
  for (let at = headLength(element, 0); at < element.length;) {
    const end = at + headLength(element, at) + contentLength(element, at);
    found.push(element.subarray(at, end));
    at = end;
  }
  return found;
}

function headLength(bytes: Buffer, at: number): number {
  const first = bytes.readUInt8(at + 1);
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
}

function contentLength(bytes: Buffer, at: number): number {
  const first = bytes.readUInt8(at + 1);
  return first < 0x80 ? first : bytes.readUIntBE(at + 2, first & 0x7f);
}

/** DER (ITU-T X.690): tag, length, content. */
function tagged(tag: number, ...content: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(content);
  if (bytes.length < 0x80) return Buffer.concat([Buffer.from([tag, bytes.length]), bytes]);
  if (bytes.length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, bytes.length]), bytes]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([Buffer.from([tag, 0x82]), length, bytes]);
}

function sequence(...content: readonly Buffer[]): Buffer {
  return tagged(0x30, ...content);
}

function explicit(number: number, content: Buffer): Buffer {
  return tagged(0xa0 + number, content);
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

function octetString(content: Buffer): Buffer {
  return tagged(0x04, content);
}

function bitString(content: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), content);
}

function oid(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

function utcTime(yearsFromNow: number): Buffer {
  const time = new Date();
  time.setUTCFullYear(time.getUTCFullYear() + yearsFromNow);
  return tagged(
    0x17,
    Buffer.from(
      `${time
        .toISOString()
        .replaceAll(/[-:T]|\.\d+/g, "")
        .slice(2)}`,
    ),
  );
}

const ecdsaWithSha256 = sequence(oid("2a 86 48 ce 3d 04 03 02"));
