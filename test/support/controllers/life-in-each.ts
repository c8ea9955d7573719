import { inEach } from "./in-each.ts";
import { type Life, openTheatre, type Theatre } from "./life.ts";
import { AT_ONCE } from "./shop.ts";

export interface LivedStage {
  readonly theatre: Theatre;
  readonly life: Life;
}

/** A theatre for each test of a file, where everything happens at once, with a life of the operator in it. */
export function lifeInEach(): LivedStage {
  const standing = inEach("a life", async (stack) => {
    const theatre = stack.use(await openTheatre(AT_ONCE));
    return { theatre, life: await theatre.life() };
  });
  return {
    get theatre() {
      return standing().theatre;
    },
    get life() {
      return standing().life;
    },
  };
}
