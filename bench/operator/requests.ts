import { setTimeout as wait } from "node:timers/promises";
import { auditedRequests, auditLength } from "../../test/support/control-plane/audit-log.ts";
import type { Bench, Measure } from "../bench.ts";
import { openGround } from "./ground.ts";
import { countReady, OBJECTS_PER_PROJECT, putLandscape, teamsOfProjects } from "./landscape.ts";

const PROJECTS = 20;
const POLL_MS = 1000;
/** How long events may take to arrive after the last object is Ready, milliseconds. */
const SETTLE_MS = 3000;
/** Requests of the operator's own, however many objects there are, are told together. */
const OWN = /leases|^list|^watch|customresourcedefinitions/u;

/** `npm run bench -- requests`: which requests to the apiserver a first sync is made of. */
export const requestsBench: Bench = {
  summary: "a first sync with every request to the apiserver counted, by what it is about",
  run: async ({ progress, signal, projects = PROJECTS }) => {
    const teams = teamsOfProjects(projects);
    progress("a control plane and the emulator start");
    await using ground = await openGround(teams, { audit: true });
    await putLandscape(ground.kube, teams, { platform: ground.platform, signal });
    const since = auditLength(ground.auditLogPath);
    const objects = projects * OBJECTS_PER_PROJECT;
    progress(`the operator makes ${objects} objects`);
    await using _operator = await ground.startOperator();
    while ((await countReady(ground.kube, signal)) < objects) await wait(POLL_MS, undefined, { signal });
    await wait(SETTLE_MS, undefined, { signal });
    return asMeasures(auditedRequests(ground.auditLogPath, since, "baas-operator"), objects);
  },
};

function asMeasures(counts: ReadonlyMap<string, number>, objects: number): readonly Measure[] {
  const sum = (wanted: (request: string) => boolean): number =>
    [...counts].reduce((all, [request, count]) => all + (wanted(request) ? count : 0), 0);
  const each = (name: string, count: number): Measure => ({
    name,
    value: count / objects,
    unit: "for each object",
    note: `${count} of ${objects} objects`,
  });
  return [
    each(
      "all",
      sum((request) => !OWN.test(request)),
    ),
    ...[...counts].filter(([request]) => !OWN.test(request)).map(([request, count]) => each(request, count)),
    { name: "leases, lists and watches", value: sum((request) => OWN.test(request)), unit: "requests" },
  ];
}
