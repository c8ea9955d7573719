import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { acting, exchanges, HOUR_MS, keptToken, restart, works } from "../support/stage/acting.ts";
import { eventually } from "../support/stage/eventually.ts";
import { conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";

/** Refresh tokens, which the platform replaces at each use: through GitOps, theft, and every end of a process. */

let stage: Stage;

beforeAll(async () => {
  stage = await startStage({ operator: { replicas: 2 } });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
});

describe("the refresh token of the user's Secret", () => {
  it("is used once: put back by GitOps after any number of rotations, restarts and new consents, it is left alone", async () => {
    const { room, app, seed } = await acting(stage, "oauth-gitops");
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "one");
    await room.kubectl("delete", "secret", "consent", "--timeout=40s");
    await room.apply(app.consentSecret(seed));
    await room.ready("Connection", "default");
    await works(room, "two");
    await restart(stage);
    await works(room, "three");
    await room.apply(app.consentSecret(await app.consent()));
    const before = await keptToken(room);
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "four");
    await keptToken(room, before);
    const after = await room.lastRequest();
    await room.apply(app.consentSecret(seed));
    await restart(stage);
    await works(room, "five");
    expect((await exchanges(room, after)).every((status) => status === 200)).toBe(true);
    expect(
      (await stage.emulator.control.oauth.grants()).filter(({ clientId }) => clientId === app.clientId),
    ).toHaveLength(2);
  });

  it("was used by somebody else as well: the platform ends it for both, and the Connection says so", async () => {
    const { room, app } = await acting(stage, "oauth-stolen");
    await app.refresh(await keptToken(room));
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=stolen");
    const stalled = await room.stalled("Connection", "default", "CredentialRevoked");
    expect(stalled.status["reachable"]).toBe(true);
    await room.apply(app.consentSecret(await app.consent()));
    await works(room, "renamed");
  });
});

describe("an operator that ends", () => {
  it("killed between the platform's rotation and the storing says what was lost, and not that the consent was taken back", async () => {
    const { room, app } = await acting(stage, "oauth-killed");
    const { id } = await stage.emulator.control.faults.add({
      operation: "oauth.token",
      count: null,
      fault: { kind: "half-open", phase: "after" },
    });
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    const after = await room.lastRequest();
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=killed");
    await eventually("the rotation is under way", async () =>
      (await exchanges(room, after)).length > 0 ? true : undefined,
    );
    await stage.operator.kill("SIGKILL");
    await stage.emulator.control.faults.remove({ id });
    await stage.operator.restart();
    const stalled = await room.stalled("Connection", "default", "RefreshTokenLost");
    expect(conditionOf(stalled, "Stalled")?.message).toContain("authorize the app again");
    await room.apply(app.consentSecret(await app.consent()));
    await works(room, "renamed");
  });

  it("asked to stop in the middle of a rotation stores its answer first", async () => {
    const { room } = await acting(stage, "oauth-stopped");
    const before = await keptToken(room);
    // Longer than runs get to end: nobody waits for the answer any more but the process itself.
    const fault = { kind: "delay", ms: 17_500, phase: "after" } as const;
    await stage.emulator.control.faults.add({ operation: "oauth.token", fault });
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    const after = await room.lastRequest();
    await room.kubectl("annotate", "project", "shop", "baas.dev/reconcile-at=stopped");
    await eventually("the rotation is under way", async () =>
      (await exchanges(room, after)).length > 0 ? true : undefined,
    );
    await stage.operator.kill("SIGTERM");
    expect(await keptToken(room, before)).not.toBe(before);
    await stage.operator.restart();
    await works(room, "renamed");
    await room.ready("Connection", "default");
  });

  it("killed is followed by a replica that goes on with the newest token, not with the user's", async () => {
    const { room } = await acting(stage, "oauth-replicas");
    await stage.emulator.control.time.advance({ ms: HOUR_MS });
    await works(room, "one");
    const after = await room.lastRequest();
    for (const replica of stage.operator.replicas) {
      const { text } = await replica.get("/metrics");
      if (/^baas_leader 1$/m.test(text)) await replica.kill("SIGKILL");
    }
    await works(room, "two");
    expect(await exchanges(room, after)).toEqual([200]);
    await stage.operator.startReplica();
  });
});
