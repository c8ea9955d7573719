import { expect, it } from "vitest";
import { WaitingUsers } from "./waiting-users.ts";

const [PLACE, OTHER] = ["ReferencedSecret/ns/a", "ReferencedSecret/ns/b"];

it("tells each place's users once, whoever was noted in how many touches", () => {
  const users = new WaitingUsers();
  users.note(PLACE, ["a"]);
  users.note(PLACE, ["b", "a"]);
  users.note(OTHER, ["c"]);
  expect([...users.take(PLACE)]).toEqual(["a", "b"]);
  expect([...users.take(PLACE)]).toEqual([]);
  expect([...users.take(OTHER)]).toEqual(["c"]);
});

it("keeps nobody who is gone: where nobody leads nobody asks", () => {
  const users = new WaitingUsers();
  for (let n = 0; n < 100; n += 1) {
    users.note(PLACE, [`${n}`]);
    users.note(OTHER, [`${n}`, "stays"]);
    users.forget(`${n}`);
  }
  expect(users.size).toBe(2);
  expect([...users.take(OTHER)]).toEqual(["stays"]);
});

it("keeps nothing of whom it has told", () => {
  const users = new WaitingUsers();
  for (let n = 0; n < 100; n += 1) {
    users.note(`${PLACE}-${n}`, ["stays"]);
    users.take(`${PLACE}-${n}`);
  }
  expect(users.size).toBe(0);
});
