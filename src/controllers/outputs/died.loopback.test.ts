import { describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { applyProject, configMapData, projectStatus, secretData } from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** An operator that dies over outputs leaves none half, none twice and none behind. */

const stage = askedInEach(AT_ONCE);

/** Names of the Secrets and ConfigMaps that carry the outputs' label. */
function outputs(): readonly string[] {
  const all = [...stage.theatre.kubernetes.list("secrets"), ...stage.theatre.kubernetes.list("configmaps")];
  return all
    .filter(({ apiVersion, metadata }) => apiVersion === "v1" && metadata.labels?.["baas.dev/output"] !== undefined)
    .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    .toSorted();
}

function asked(name: string): void {
  applyProject(stage.theatre, {
    writeConnectionSecretToRef: { name },
    writeConnectionConfigMapToRef: { name },
  });
}

describe("an operator that dies after any one request", () => {
  it("[K-08] while outputs are made and then moved, and goes on in a new life, leaves those that are asked for and no others", async () => {
    asked("one");
    const counting = await stage.theatre.life();
    await counting.settle("Project", "shop");
    const whole = counting.begun;
    const first = secretData(stage.theatre, "one") ?? {};
    expect(whole).toBeGreaterThan(6);
    for (let survived = 0; survived < whole; survived += 1) {
      const name = `name-${survived}`;
      asked(name);
      await (await stage.theatre.life(survived)).settle("Project", "shop");
      expect([undefined, first]).toContainEqual(secretData(stage.theatre, name));
      await (await stage.theatre.life()).settle("Project", "shop");
      expect(outputs(), `died after ${survived} requests`).toEqual([`ConfigMap ${name}`, `Secret ${name}`]);
      expect(secretData(stage.theatre, name)).toEqual(first);
      expect(configMapData(stage.theatre, name)).toHaveProperty("host");
      expect(projectStatus(stage.theatre).binding).toEqual({ name });
    }
  });

  it.each(["refused", "lost"] as const)("or whose write of one is %s, writes it once", async (fault) => {
    asked("one");
    await (await stage.theatre.life()).settle("Project", "shop");
    for (let skip = 0; skip < 6; skip += 1) {
      const name = `${fault}-${skip}`;
      asked(name);
      stage.theatre.kubernetes.failWrite(skip, fault);
      const life = await stage.theatre.life();
      expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
      expect(outputs(), `write ${skip}`).toEqual([`ConfigMap ${name}`, `Secret ${name}`]);
    }
    expect(stage.theatre.kubernetes.get("secrets", NAMESPACE, "one")).toBeUndefined();
  });
});
