import { describe, expect, it } from "vitest";
import { areThere, BASH, CURL, PYTHON } from "./needs.ts";

/** A machine with bash and nothing else. */
function bare(ci?: string) {
  const told: string[] = [];
  return {
    told,
    machine: {
      ends: ([program]: readonly string[]) => program === "bash",
      ci,
      tell: (text: string) => void told.push(text),
    },
  };
}

describe("tests that need a program", () => {
  it("run where it is there, and nothing is said", () => {
    const { machine, told } = bare("true");
    expect([areThere([BASH], machine), told]).toEqual([true, []]);
  });

  it.each([undefined, "", "false", "0"])("are skipped, and say so, where it is not and CI is %j", (ci) => {
    const { machine, told } = bare(ci);
    expect(areThere([BASH, CURL], machine)).toBe(false);
    expect(told).toEqual(["skipped: install curl to run these tests"]);
  });

  it.each(["true", "1"])("fail where it is not and CI is %j, and say what to install", (ci) => {
    const { machine, told } = bare(ci);
    expect(() => areThere([PYTHON, BASH, CURL], machine)).toThrow(
      "install python3 (3.9 or newer) and curl: on CI these tests are not skipped",
    );
    expect(told).toEqual([]);
  });
});
