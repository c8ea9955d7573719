import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { linkerFlags, pinnedVersion, programs } from "./programs.ts";

const goMod = readFileSync(new URL("go.mod", import.meta.url), "utf8");

it("the programs are exactly the tool lines of go.mod", () => {
  const block = /^tool \(([^)]*)\)/mu.exec(goMod)?.[1] ?? "";
  const lines = block.trim().split(/\s+/u);
  expect(programs.map((program) => program.goPackage).toSorted()).toEqual(lines.toSorted());
});

it("every staging module of Kubernetes is replaced by its twin of the same version", () => {
  const twins = [...goMod.matchAll(/^\t(k8s\.io\/[a-z-]+) => (k8s\.io\/[a-z-]+) (v[\d.]+)$/gmu)];
  const version = pinnedVersion("k8s.io/kubernetes").replace("v1.", "v0.");
  expect(twins).toHaveLength(33);
  expect(twins.filter((twin) => twin[1] !== twin[2] || twin[3] !== version)).toEqual([]);
});

it("the programs say the version that they are built from", () => {
  expect(linkerFlags()).toContain(`-X k8s.io/component-base/version.gitVersion=${pinnedVersion("k8s.io/kubernetes")}`);
});
