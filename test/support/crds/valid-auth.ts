import fc from "fast-check";
import { authSettings } from "../../../src/resources/settings/auth/auth.ts";
import { declaredSettings, declaring, valuesOf } from "../sections/declared.ts";
import type { Spec } from "./manifest.ts";

/** spec.auth with every setting declared, by values that the operator takes: the apiserver must take them too. */
export function everyAuthSetting(seed: number): Spec {
  const one = fc.tuple(
    ...declaredSettings(authSettings).map((setting) =>
      valuesOf(setting).map((value) => [setting.path, value] as const),
    ),
  );
  const whole = one.map(declaring).filter((declared) => authSettings.safeParse(declared).success);
  const [declared = {}] = fc.sample(whole, { numRuns: 1, seed });
  return declared;
}
