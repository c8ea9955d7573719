import { afterEach, beforeEach } from "vitest";
import { type Life, openTheatre, type Theatre } from "./life.ts";
import { AT_ONCE } from "./shop.ts";

interface LivedStage {
  readonly theatre: Theatre;
  readonly life: Life;
}

/** A theatre for each test of a file, where everything happens at once, with a life of the operator in it. */
export function lifeInEach(): LivedStage {
  let stage: LivedStage | undefined;
  const standing = (): LivedStage => {
    if (stage === undefined) throw new Error("there is a life in tests alone");
    return stage;
  };
  beforeEach(async () => {
    const theatre = await openTheatre(AT_ONCE);
    stage = { theatre, life: await theatre.life() };
  });
  afterEach(() => stage?.theatre[Symbol.asyncDispose]());
  return {
    get theatre() {
      return standing().theatre;
    },
    get life() {
      return standing().life;
    },
  };
}
