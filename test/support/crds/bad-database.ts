import { type BadCase, builtIn, ruled } from "./bad-case.ts";
import type { Spec } from "./manifest.ts";

const settings = (values: Spec): Spec => ({ database: { settings: values } });
const restricted = (networkRestrictions: Spec): Spec => ({ database: { networkRestrictions } });
const allowed = (...allowedCidrs: readonly string[]): Spec => restricted({ allowedCidrs });

const cidr = "write a range in CIDR form, such as 203.0.113.0/24";
const isPrivate = "write a public range: nobody reaches the database over the internet from";
const measure = "write a whole number with its unit";

/** A Project whose spec.database, or the root key of it, must be refused. */
export const databaseCases: readonly BadCase[] = [
  ...ruled("Project", [
    ["cidr-none", "[K-21] an address without a length", allowed("203.0.113.7"), cidr],
    ["cidr-name", "[K-21] a name", allowed("db.example.com"), cidr],
    ["cidr-long", "[K-21] a length beyond the family's", allowed("203.0.113.0/33"), cidr],
    ["cidr-mixed", "[K-21] IPv4 within IPv6", allowed("64:ff9b::203.0.113.0/120"), cidr],
    ["cidr-second", "[K-21] one bad range among good ones", allowed("203.0.113.0/24", "2001:db8::/129"), cidr],
    ["cidr-private", "[K-21] a private range", allowed("10.0.0.0/16"), isPrivate],
    ["cidr-host", "[K-21] a private range by an address in it", allowed("192.168.1.7/24"), isPrivate],
    ["cidr-loopback", "[K-21] the machine itself", allowed("127.0.0.1/32"), isPrivate],
    ["cidr-private-v6", "[K-21] a private range of IPv6", allowed("fd12:3456::/32"), isPrivate],
    ["deny-silently", "an empty list, which would lock everybody out", allowed(), "an empty list would let nobody"],
    [
      "deny-exclusive",
      "an empty list with its mode",
      restricted({ allowedCidrs: [], mode: "Exclusive" }),
      "an empty list would let nobody reach the database: write the ranges that may, or denyAll: true",
    ],
    [
      "deny-some",
      "nobody, and somebody",
      restricted({ allowedCidrs: ["203.0.113.0/24"], denyAll: true }),
      "denyAll lets nobody in",
    ],
    ["deny-add", "nobody in addition", restricted({ denyAll: true, mode: "Additive" }), "denyAll lets nobody in"],
    ["mode-alone", "a mode of nothing", restricted({ mode: "Additive" }), "mode says what allowedCidrs means"],
    ["api-on", "a Data API that is on and serves nothing", { dataApi: { enabled: true } }, "write the schemas too"],
    ["api-empty", "as that, said", { dataApi: { enabled: true, schemas: [] } }, "write the schemas too"],
    [
      "api-off",
      "a Data API that is off and serves something",
      { dataApi: { enabled: false, schemas: ["public"] } },
      "remove the schemas, or write enabled: true",
    ],
    ["setting-unit", "a size without a unit", settings({ workMem: 64 }), measure],
    ["setting-special", "a special value of other settings", settings({ workMem: -1 }), measure],
    ["setting-duration", "a duration in words", settings({ statementTimeout: "5 minutes" }), measure],
    ["setting-decimal", "a unit of 1000, which the database does not have", settings({ sharedBuffers: "1G" }), measure],
    ["setting-text", "a size as a bare number in text", settings({ workMem: "64" }), measure],
    ["size-words", "a size in words", { storage: { fileSizeLimit: "50 megabytes" } }, "write a size such as 50Mi"],
    ["size-nothing", "nothing where something is needed", { realtime: { maxPayloadSize: "0" } }, "of more than 0"],
    ["size-most", "more than the most", { storage: { fileSizeLimit: "1Ti" } }, "of at most 500Gi"],
    ["size-part", "a part of a unit", { realtime: { maxPayloadSize: "50Ki" } }, "in whole units of 1000 bytes"],
    [
      "settings-mode",
      "a mode of no settings",
      { database: { settingsMode: "Replace" } },
      "settingsMode says how settings are written",
    ],
    [
      "settings-restart",
      "a restart for no settings",
      { database: { settingsRestart: "Never" } },
      "settingsRestart says how settings are written",
    ],
    ["webhooks", "to disable webhooks", { database: { webhooksEnabled: false } }, "the platform cannot disable"],
    [
      "schedule",
      "an hour that there is not",
      { database: { backups: { scheduleFor: "24:00:00" } } },
      "write a time of day as HH:MM:SS in UTC",
    ],
    [
      "schedule-short",
      "a time without seconds",
      { database: { backups: { scheduleFor: "03:00" } } },
      "write a time of day as HH:MM:SS in UTC",
    ],
  ]),
  ...builtIn("Project", [
    [
      "setting-range",
      "more connections than there can be",
      settings({ maxConnections: 262_144 }),
      "maxConnections in body should be less than or equal to 262143",
    ],
    [
      "setting-role",
      "a role in the database's words",
      settings({ sessionReplicationRole: "replica" }),
      'supported values: "Origin", "Replica", "Local"',
    ],
    [
      "settings-word",
      "a mode that there is not",
      { database: { settings: {}, settingsMode: "Keep" } },
      '"Merge", "Replace"',
    ],
    ["jit", "a switch as on and off", { database: { jitAccess: true } }, "jitAccess", ".spec.database.jitAccess"],
    ["deny-no", "nobody, denied", restricted({ denyAll: false }), "denyAll: Unsupported value: false"],
    [
      "root-key-inline",
      "a key in the manifest",
      { encryptionRootKey: { secretKeyRef: { key: "rootKey" } } },
      "spec.encryptionRootKey.secretKeyRef.name: Required value",
    ],
  ]),
];
