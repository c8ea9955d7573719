import { NAMESPACE } from "../life.ts";
import type { Play } from "./play.ts";
import { type Happening, outage, putShop, shopRef } from "./scenarios.ts";

/** What happens to what a Project configures: its settings, what programs need to connect, what is asked for once. */
export function settingsLife(play: Play): readonly Happening[] {
  const { control } = play.theatre.emulator;
  const clientSecret = { secretKeyRef: { name: "mine", key: "github" } };
  const declared = {
    auth: { siteUrl: "https://shop.example.com" },
    storage: { fileSizeLimit: "20Mi" },
    writeConnectionSecretToRef: { name: "connection" },
  };
  const put = (more: object = {}): void => putShop(play, { ...declared, ...more });
  const signIn = {
    auth: { ...declared.auth, providers: { github: { enabled: true, clientId: "shop", clientSecret } } },
  };
  const byHand = (site_url: string): Promise<unknown> =>
    play.client.authConfig.update({ ref: shopRef(play), body: { site_url } });
  const ask = (verb: string): void => play.annotate("projects", "shop", { [`baas.dev/${verb}`]: "once" });
  return [
    { what: "applied with settings and outputs", act: () => put(), moves: true },
    { what: "edited", act: () => put({ storage: { fileSizeLimit: "30Mi" } }) },
    { what: "a setting changed by hand", act: () => byHand("https://hand.example.com") },
    { what: "set to Report", act: () => put({ driftPolicy: "Report" }) },
    { what: "a setting changed by hand again", act: () => byHand("https://hand.example.com") },
    { what: "set to Correct", act: () => put() },
    { what: "given a secret that is not there", act: () => put(signIn), moves: true },
    {
      what: "the secret put there",
      act: () => play.putCore("secrets", "mine", { github: "first" }),
      moves: true,
    },
    { what: "the secret rotated", act: () => play.putCore("secrets", "mine", { github: "second" }) },
    {
      what: "edited where the platform does not take it",
      act: async () => {
        const fault = { kind: "status", status: 400, body: { message: "not that" } } as const;
        await control.faults.add({ operation: "storage.update", count: null, fault });
        put({ storage: { fileSizeLimit: "40Mi" } });
      },
      moves: true,
    },
    {
      what: "edited where it takes it",
      act: async () => {
        await control.faults.clear({});
        put({ storage: { fileSizeLimit: "50Mi" } });
      },
      moves: true,
    },
    {
      what: "given what its plan has not",
      act: () => put({ database: { backups: { scheduleFor: "03:00" } } }),
      moves: true,
    },
    { what: "without it again", act: () => put(), moves: true },
    {
      what: "given a setting of the database that needs a restart",
      act: () => put({ database: { settings: { maxConnections: 90 } } }),
      moves: true,
    },
    { what: "asked to restart", act: () => ask("restart"), moves: true },
    {
      what: "drifted in an outage",
      act: async () => {
        await byHand("https://hand.example.com");
        await control.faults.add(outage);
      },
    },
    { what: "the end of it", act: () => control.faults.clear({}) },
    {
      what: "its output taken by hand",
      act: () => play.theatre.kubernetes.delete("secrets", NAMESPACE, "connection"),
    },
    { what: "without any of it", act: () => putShop(play) },
  ];
}
