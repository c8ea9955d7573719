import { expect, it } from "vitest";
import { ignoredMessage, reportedMessage, stuckMessage } from "./drift-words.ts";

it.each([
  { what: "reported", message: reportedMessage, says: "differs remotely: spec.a, spec.b" },
  { what: "ignored", message: ignoredMessage, says: "driftPolicy Ignore leaves different: spec.a, spec.b" },
  {
    what: "written no more: with the end of either reason for it",
    message: stuckMessage,
    says:
      "came back different after three writes, or after one that interrupts what is served, and is left until that section of the spec changes, or baas.dev/reconcile-at; " +
      "or was another one sixty times within an hour, and is left until that hour is over: spec.a, spec.b",
  },
])("names the fields that are $what", ({ message, says }) => {
  expect(message(["spec.a", "spec.b"])).toBe(says);
});
