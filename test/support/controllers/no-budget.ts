import type { ApiClient } from "../../../src/api/client.ts";
import { ApiError } from "../../../src/api/errors.ts";
import type { ApiLane } from "../../../src/api/lanes.ts";
import { type Life, NAMESPACE } from "./life.ts";

/** How long an operation without budget is told to wait, milliseconds. */
const WAIT_MS = 5000;

/** The same object with one of its properties, and its methods still its own. */
function withProperty<T extends object>(object: T, name: string, value: (own: unknown) => unknown): T {
  return new Proxy(object, {
    get: (target, asked) => {
      const own: unknown = Reflect.get(target, asked);
      if (asked === name) return value(own);
      return typeof own === "function"
        ? (...given: readonly unknown[]): unknown => Reflect.apply(own, target, given)
        : own;
    },
  });
}

/**
 * Leaves no budget for an operation, `section.verb`, in the life's connection: whatever else the same runs ask for is answered.
 *
 * @param lane of those requests; default: any
 * @param after so many of them are answered before; default: none
 */
export function spendBudgetOf(
  life: Pick<Life, "client" | "environment">,
  operation: string,
  lane?: ApiLane,
  after = 0,
): void {
  const [section = "", verb = ""] = operation.split(".");
  let asked = 0;
  const refuse = (): Promise<never> => {
    const failure = { code: "BUDGET", retryAfterMs: WAIT_MS, refusedForMs: 0 } as const;
    return Promise.reject(new ApiError(operation, failure, { message: "the request budget is spent" }));
  };
  const client: ApiClient = withProperty(life.client, section, (own) =>
    withProperty(Object(own) as object, verb, (call) => (...given: readonly unknown[]): unknown => {
      const [, options] = given as readonly [unknown, { readonly lane: ApiLane }];
      const isOfLane = lane === undefined || options.lane === lane;
      if (isOfLane) asked += 1;
      if (isOfLane && asked > after) return refuse();
      return Reflect.apply(call as () => unknown, own, given);
    }),
  );
  const { sessions } = life.environment;
  const session = sessions.get(`Connection/${NAMESPACE}/default`);
  if (session === undefined) throw new Error("no connection is open");
  sessions.set({ ...session, client });
}
