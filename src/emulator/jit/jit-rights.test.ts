import { describe, expect, it } from "vitest";
import { refusalOf } from "./jit-rights.ts";

const role = { role: "reader" };
const attempt = { host: "192.0.2.7", nowMs: 1_800_000_000_000, isBranch: false };
const v4 = { allowed_networks: { allowed_cidrs: [{ cidr: "192.0.2.0/24" }, { cidr: "198.51.100.9/32" }] } };
const v6 = { allowed_networks: { allowed_cidrs_v6: [{ cidr: "2001:db8::/32" }] } };

describe("a granted role", () => {
  it.each([
    { grant: {}, asked: {}, refusal: "nothing", because: "nothing limits it" },
    { grant: { expires_at: 1_800_000_001 }, asked: {}, refusal: "nothing", because: "it ends in a second" },
    { grant: { expires_at: 1_800_000_000 }, asked: {}, refusal: "expired", because: "it ends now" },
    { grant: { branches_only: true }, asked: {}, refusal: "branches only", because: "the project is no branch's" },
    { grant: { branches_only: true }, asked: { isBranch: true }, refusal: "nothing", because: "the project is one" },
    { grant: { branches_only: false }, asked: { isBranch: true }, refusal: "nothing", because: "it is for all" },
    { grant: v4, asked: {}, refusal: "nothing", because: "the host is in the first network" },
    { grant: v4, asked: { host: "198.51.100.9" }, refusal: "nothing", because: "the host is the second network" },
    { grant: v4, asked: { host: "198.51.100.8" }, refusal: "networks", because: "the host is beside it" },
    { grant: v4, asked: { host: "::ffff:192.0.2.7" }, refusal: "nothing", because: "it is the same host in IPv6" },
    { grant: v4, asked: { host: "2001:db8::1" }, refusal: "networks", because: "only IPv4 networks are allowed" },
    { grant: v6, asked: { host: "2001:db8::1" }, refusal: "nothing", because: "the host is in the IPv6 network" },
    { grant: v6, asked: {}, refusal: "networks", because: "only IPv6 networks are allowed" },
    { grant: v4, asked: { host: "db.test" }, refusal: "networks", because: "a name is in no network" },
    { grant: {}, asked: { host: "db.test" }, refusal: "nothing", because: "networks do not matter to it" },
    { grant: { allowed_networks: {} }, asked: {}, refusal: "nothing", because: "it names no network" },
  ])("is refused for $refusal where $because", ({ grant, asked, refusal }) => {
    expect(refusalOf({ ...role, ...grant }, { ...attempt, ...asked }) ?? "nothing").toContain(refusal);
  });
});
