import type { ProjectDetail, ServiceHealth } from "../../api/contract/projects.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { ProjectSpec } from "../../resources/project/spec.ts";
import type { ProjectStatus } from "../../resources/project/status.ts";
import { isFailedState, passingState, type Phase, servicesOf } from "../shared/project-states.ts";

type Status = DeepReadonly<ProjectStatus>;

interface PhaseInput {
  readonly state: string;
  readonly declared: DeepReadonly<ProjectSpec>["state"];
  readonly unhealthy: readonly string[];
  /** what the status says of an upgrade */
  readonly upgrade?: Status["upgrade"];
}

/** Reads the platform's state. Pure; a state that nobody knows yet counts as under way, since enums are open. */
export function phaseOf({ state, declared, unhealthy, upgrade }: PhaseInput): Phase {
  if (isFailedState(state)) {
    const message = `the platform reports ${state}: see the project on the platform; nothing is deleted or made again by itself`;
    return { kind: "failed", reason: "ProvisioningFailed", message };
  }
  if (state === "INACTIVE") {
    return declared === "Running"
      ? { kind: "underway", reason: "Resuming", operation: "Resuming", message: "the project is being resumed" }
      : { kind: "ready", reason: "Paused", message: "the project is paused" };
  }
  if (state === "ACTIVE_HEALTHY") {
    if (declared === "Paused") {
      return { kind: "underway", reason: "Pausing", operation: "Pausing", message: "the project is being paused" };
    }
    if (unhealthy.length === 0) return { kind: "ready", reason: "Available", message: "the project is as declared" };
    const message = `not healthy: ${unhealthy.join(", ")}`;
    return { kind: "underway", reason: "Unhealthy", operation: "Recovering", message };
  }
  return { kind: "underway", ...passingState(state), message: `the project is ${state}${farOf(state, upgrade)}` };
}

/** How far an upgrade is, for people. */
function farOf(state: string, upgrade: Status["upgrade"]): string {
  if (state !== "UPGRADING" || upgrade?.state !== "Running") return "";
  return ` to version ${upgrade.to}${upgrade.progress === undefined ? "" : `: ${upgrade.progress}`}`;
}

/** The platform's facts as the status shows them; without services, which were not asked, those of an earlier look are forgotten. Pure. */
export function factsOf(remote: ProjectDetail, services: readonly ServiceHealth[] | undefined): Partial<Status> {
  const { database } = remote;
  return {
    ref: remote.ref,
    name: remote.name,
    state: remote.status,
    organization: remote.organization_slug,
    region: remote.region,
    createdAt: remote.created_at,
    ...(database === undefined ? {} : { host: database.host, databaseVersion: database.version }),
    services: services === undefined ? undefined : servicesOf(services),
  };
}
