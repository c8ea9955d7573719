import type { LogDrain, LogDrainChange, NewLogDrain } from "../../api/contract/log-drains.ts";
import { visibleProject } from "../access.ts";
import { badRequest, notFound } from "../failure.ts";
import type { LogDrainRecord } from "./log-drain-state.ts";
import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { sealed } from "./log-drain-config.ts";

/** Log drains: kept and shown; nothing is ever sent to them, since what would be sent is not described (behaviour.md, Events). */
export function logDrainsHandlers(world: World): SectionHandlers<"logDrains"> {
  return {
    create: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      return { data: logDrainOutput(stored(world, ref, newDrain(body.data.attributes))) };
    },
    list: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      return { data: [...world.logDrains.of(ref).values()].map(logDrainOutput) };
    },
    update: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const drain = changedDrain(drainOf(world, ref, params.id), body.data.attributes);
      return { data: logDrainOutput(stored(world, ref, drain)) };
    },
    delete: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      world.logDrains.delete(ref, drainOf(world, ref, params.id).id);
      return undefined;
    },
  };
}

/** @throws ApiFailure 404 */
function drainOf(world: World, ref: string, id: string): LogDrainRecord {
  const known = world.logDrains.get(ref, id);
  if (known === undefined) throw notFound("Log drain");
  return known;
}

function stored(world: World, ref: string, drain: LogDrainRecord): LogDrainRecord {
  world.logDrains.set(ref, drain.id, drain);
  return drain;
}

/** Two drains may have one name: no text says that they may not. */
function newDrain({ name, description, backend_type: backendType, config }: NewLogDrain): LogDrainRecord {
  return {
    id: newId(),
    name,
    ...(description === undefined ? {} : { description }),
    backendType,
    ...sealed(backendType, config),
  };
}

/** What is not sent stays; a configuration replaces the one before as a whole. @throws ApiFailure 400 */
function changedDrain(known: LogDrainRecord, said: LogDrainChange): LogDrainRecord {
  const { name = known.name, description = known.description, backend_type: backendType, config } = said;
  if (config === undefined && backendType !== known.backendType) {
    throw badRequest(
      `data.attributes.config: expected the configuration of a ${backendType} drain, since the drain's backend_type is '${known.backendType}'`,
    );
  }
  return {
    ...known,
    name,
    ...(description === undefined ? {} : { description }),
    backendType,
    ...(config === undefined ? {} : sealed(backendType, config)),
  };
}

function logDrainOutput({ id, name, description, backendType, config }: LogDrainRecord): LogDrain {
  return {
    type: "log_drain",
    id,
    attributes: {
      name,
      description: description ?? "",
      config: { ...config },
      backend_type: backendType,
    },
  };
}
