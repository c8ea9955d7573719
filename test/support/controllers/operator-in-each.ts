import { inEach } from "./in-each.ts";
import { openTheatre, type Theatre } from "./life.ts";
import { AT_ONCE } from "./shop.ts";
import { WholeOperator } from "./whole-operator.ts";

interface OperatorStage {
  readonly theatre: Theatre;
  readonly operator: WholeOperator;
}

/** An operator for each test of a file, in a theatre of its own where everything happens at once. */
export function operatorInEach(): OperatorStage {
  const standing = inEach("an operator", async (stack) => {
    const theatre = stack.use(await openTheatre(AT_ONCE));
    return { theatre, operator: stack.use(await WholeOperator.start(theatre)) };
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
