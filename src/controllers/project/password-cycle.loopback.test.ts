import { expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { secretData } from "../../../test/support/controllers/outputs.ts";
import { operatorInEach } from "../../../test/support/controllers/operator-in-each.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** Passwords that are made of what is written of passwords: each write of one would make another of the next, without end. */

const stage = operatorInEach();

function put(name: string, password?: { readonly name: string; readonly key: string }, policies = {}): void {
  const databasePassword = password === undefined ? {} : { databasePassword: { secretKeyRef: password } };
  const keys = [
    { key: "plain", value: "$(password)" },
    { key: "longer", value: "x$(password)" },
  ];
  const spec = {
    organization: "acme",
    writeConnectionSecretToRef: { name: `${name}-out`, keys },
    ...databasePassword,
    ...policies,
  };
  stage.theatre.kubernetes.put("projects", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name, namespace: NAMESPACE },
    spec,
  });
}

async function during(minutes: number, each: () => void = () => undefined): Promise<void> {
  for (let n = 0; n < minutes * 6; n += 1) {
    each();
    stage.operator.look();
    await stage.operator.advance(10_000);
  }
}

function conditions(name: string): readonly object[] {
  return projectKind.parseStatus(stage.theatre.kubernetes.get("projects", NAMESPACE, name)).conditions;
}

async function rotations(): Promise<number> {
  const { byOperation } = await stage.theatre.emulator.control.log.summary();
  return byOperation["projects.updatePassword"] ?? 0;
}

it.each(["plain", "longer"])("an output is no source of a password, as each other's %s would be", async (key) => {
  put("a");
  put("b");
  await during(1);
  put("a", { name: "b-out", key });
  put("b", { name: "a-out", key });
  await during(2);
  expect(await rotations()).toBe(0);
  const message = expect.stringContaining("databasePassword.secretKeyRef: the Secret b-out is an output");
  expect(conditions("a")).toContainEqual(expect.objectContaining({ type: "Stalled", reason: "InvalidSpec", message }));
});

it("nothing is created with what an output holds", async () => {
  put("a");
  await during(1);
  put("c", { name: "a-out", key: "plain" });
  await during(1);
  expect(conditions("c")).toContainEqual(expect.objectContaining({ type: "Stalled", reason: "InvalidSpec" }));
  expect((await stage.theatre.emulator.control.state.read({})).projects).toHaveLength(1);
});

it("what others copy from one output to the other's password ends, and says so", async () => {
  put("a");
  put("b");
  await during(1);
  const copy = (from: string, to: string): void => {
    const value = secretData(stage.theatre, from)?.["longer"];
    if (value === undefined) return;
    const data = { password: Buffer.from(value).toString("base64") };
    if (secretData(stage.theatre, to)?.["password"] === value) return;
    const metadata = { name: to, namespace: NAMESPACE };
    stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data });
  };
  const copyBoth = (): void => {
    copy("a-out", "for-b");
    copy("b-out", "for-a");
  };
  copyBoth();
  put("a", { name: "for-a", key: "password" });
  put("b", { name: "for-b", key: "password" });
  await during(30, copyBoth);
  const after = await rotations();
  expect(after).toBeGreaterThan(20);
  expect(after).toBeLessThanOrEqual(120);
  await during(10, copyBoth);
  expect(await rotations()).toBe(after);
  const message = expect.stringContaining("spec.databasePassword");
  expect(conditions("a")).toContainEqual(expect.objectContaining({ type: "Converging", status: "False", message }));
});

it("what was rotated too often is written once that hour is over, also where no drift check comes", async () => {
  const rotate = (n: number): void => {
    const data = { password: Buffer.from(`password-number-${n}`).toString("base64") };
    const metadata = { name: "rotated", namespace: NAMESPACE };
    stage.theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data });
  };
  rotate(0);
  put("a", { name: "rotated", key: "password" }, { driftPolicy: "Ignore" });
  await during(1);
  for (let n = 1; n <= 61; n += 1) {
    rotate(n);
    await during(0.5);
  }
  expect(await rotations()).toBe(60);
  await during(40);
  expect(await rotations()).toBe(61);
  expect(conditions("a")).not.toContainEqual(expect.objectContaining({ type: "Converging" }));
});
