import { z } from "zod";
import { freePort } from "../../test/support/control-plane/ports.ts";
import type { Bench } from "../bench.ts";
import { startChild } from "../child.ts";
import { openGround } from "../operator/ground.ts";
import { OBJECTS_PER_PROJECT, putLandscape, teamsOfProjects } from "../operator/landscape.ts";

const PROJECTS = 100;

const told = z.object({
  calls: z.number(),
  reconciles: z.number(),
  kubeReads: z.number(),
  kubeWrites: z.number(),
  ready: z.number(),
  cpuSeconds: z.number(),
});

/** `npm run bench -- hour`: what an hour costs in which nobody changes anything; the hour is simulated. */
export const hourBench: Bench = {
  summary: "an hour in which nobody changes anything, simulated: calls, requests, processor time",
  run: async ({ progress, signal, projects = PROJECTS }) => {
    const teams = teamsOfProjects(projects);
    const objects = projects * OBJECTS_PER_PROJECT;
    progress("a control plane and the emulator start");
    await using ground = await openGround(teams);
    progress(`${objects} objects of ${projects} projects are created, and made by the operator`);
    await putLandscape(ground.kube, teams, { platform: ground.platform, signal });
    const health = `127.0.0.1:${await freePort()}`;
    await using child = startChild(["bench/hour/program.ts", ground.kubeconfigPath, health, String(objects)]);
    const { calls, reconciles, kubeReads, kubeWrites, ready, cpuSeconds } = told.parse(JSON.parse(await child.line()));
    if (ready !== objects) throw new Error(`${ready} of ${objects} objects are Ready after the hour`);
    const note = `${objects} objects of ${projects} projects, drift checks every 10 minutes`;
    return [
      { name: "calls of the Management API", value: calls, unit: "calls", note },
      { name: "calls for each project", value: calls / projects, unit: "calls" },
      { name: "reconciles", value: reconciles, unit: "reconciles" },
      { name: "writes to the apiserver", value: kubeWrites, unit: "requests", target: { below: 1 } },
      { name: "reads of the apiserver", value: kubeReads, unit: "requests" },
      { name: "processor time", value: cpuSeconds, unit: "s", note: "with what pushes the clock" },
    ];
  },
};
