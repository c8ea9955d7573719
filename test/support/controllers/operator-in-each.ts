import { afterEach, beforeEach } from "vitest";
import { openTheatre, type Theatre } from "./life.ts";
import { AT_ONCE } from "./shop.ts";
import { WholeOperator } from "./whole-operator.ts";

interface OperatorStage {
  readonly theatre: Theatre;
  readonly operator: WholeOperator;
}

/** An operator for each test of a file, in a theatre of its own where everything happens at once. */
export function operatorInEach(): OperatorStage {
  let stage: OperatorStage | undefined;
  const standing = (): OperatorStage => {
    if (stage === undefined) throw new Error("there is an operator in tests alone");
    return stage;
  };
  beforeEach(async () => {
    const theatre = await openTheatre(AT_ONCE);
    stage = { theatre, operator: await WholeOperator.start(theatre) };
  });
  afterEach(async () => {
    await stage?.operator[Symbol.asyncDispose]();
    await stage?.theatre[Symbol.asyncDispose]();
  });
  return {
    get theatre() {
      return standing().theatre;
    },
    get operator() {
      return standing().operator;
    },
  };
}
