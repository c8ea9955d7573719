import type { OperationId } from "../api/contract/operation-id.ts";

/** How deep the emulation of each operation goes, for the operations reference: what a test against the emulator proves, and what not. */

/** The levels, in words. Every one of them checks rights, limits, plans and the contract's schemas, and refuses as documented. */
export const depthMeanings = {
  state: "what is written is kept, and read back as the service would",
  machine: "its state goes on by itself through the documented steps, as time passes",
  database: "runs on a real PostgreSQL of the project",
  computed: "answered from what the emulator keeps, saw or measured",
  seeded: "of state that no operation makes: the seed file or a control call does",
  fixed: "a list or value that is the same for everyone",
  accepted: "checked and answered, without an effect that could be seen",
} as const;

export type Depth = keyof typeof depthMeanings;

const depths: Readonly<Partial<Record<OperationId, Depth>>> = {};

/** @param id of an operation of the contract */
export function emulatorDepth(id: string): Depth | "" {
  return Object.entries(depths).find(([own]) => own === id)?.[1] ?? "";
}
