import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { refused, unavailable } from "./errors.ts";

/** Link-local addresses, as IPv6 writes and translates those of IPv4 too. */
const LINK_LOCAL = [
  ["169.254.0.0", 16],
  ["fe80::", 10],
  ["64:ff9b::a9fe:0", 112],
] as const;

/** Addresses under which clouds tell a machine its metadata, credentials among them, and which are not link-local. */
const METADATA = ["fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"] as const;

/** What a connection to leads to the machine that makes it. */
const OWN = [
  ["127.0.0.0", 8],
  ["0.0.0.0", 8],
  ["::1", 128],
  ["::", 128],
] as const;

type Resolve = (name: string, done: (error: Error | null, addresses: readonly LookupAddress[]) => void) => void;

interface ReachOptions {
  /** whether artifacts may be fetched from this very machine, as where operator and cluster run on one */
  readonly loopback: boolean;
  /** default: as the system does */
  readonly resolve?: Resolve;
}

const bySystem: Resolve = (name, done) => systemLookup(name, { all: true }, done);

/**
 * From which addresses artifacts are fetched: from all but those that are told to who runs on a machine alone. Whoever can write the status of a source
 * object decides what the operator asks for, and must not ask by it for what only the operator can see.
 */
export class Reach {
  readonly #without = new BlockList();
  readonly #resolve: Resolve;

  constructor({ loopback, resolve = bySystem }: ReachOptions) {
    this.#resolve = resolve;
    for (const [net, prefix] of [...LINK_LOCAL, ...(loopback ? [] : OWN)]) {
      this.#without.addSubnet(net, prefix, familyOf(net));
    }
    for (const address of METADATA) this.#without.addAddress(address, familyOf(address));
  }

  includes(address: string): boolean {
    const [plain = address] = address.split("%", 1); // a zone says through which interface
    return !this.#without.check(plain, familyOf(plain));
  }

  /** @throws ArtifactError where a host is an address that is out of reach; of a name, `lookup` says it */
  require(host: string): void {
    if (isIP(host) !== 0 && !this.includes(host)) throw outOfReach();
  }

  /** Resolves names right before a connection is made, so that no later answer of a name server leads elsewhere; one address out of reach is enough. */
  readonly lookup: LookupFunction = (name, { all = false }, done) => {
    this.#resolve(name, (error, addresses) => {
      const [first] = addresses;
      if (error !== null) done(error, []);
      else if (first === undefined) done(unavailable("the artifact's server has no address"), []);
      else if (!addresses.every(({ address }) => this.includes(address))) done(outOfReach(), []);
      else if (all) done(null, [...addresses]);
      else done(null, first.address, first.family);
    });
  };
}

function outOfReach(): Error {
  return refused("the artifact's server has a link-local address, or one of this machine's own");
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}
