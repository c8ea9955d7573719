import { describe, expect, it } from "vitest";
import { actions } from "../../../src/api/contract/actions.ts";
import { functions } from "../../../src/api/contract/functions.ts";
import type { Operation } from "../../../src/api/contract/operation.ts";
import { projects } from "../../../src/api/contract/projects.ts";
import { realtime } from "../../../src/api/contract/realtime.ts";
import { undeclared } from "./api.ts";

/** What is held to the contract must be red where an answer is not as declared, or nothing that is checked by it says anything. */

const JSON_TYPE = "application/json; charset=utf-8";
const FORM = "multipart/form-data; boundary=b";
const form = (metadata: string): string =>
  `--b\r\nContent-Disposition: form-data; name="metadata"\r\n\r\n${metadata}\r\n--b--\r\n`;

interface Row {
  readonly what: string;
  readonly operation: Operation;
  readonly type?: string;
  readonly text?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const DECLARED: readonly Row[] = [
  { what: "JSON of the schema", operation: projects.list, type: JSON_TYPE, text: "[]" },
  { what: "nothing where there is to be nothing", operation: projects.pause },
  { what: "the object that servers send", operation: projects.restart, type: JSON_TYPE, text: "{}" },
  { what: "the message that servers send", operation: functions.delete, type: JSON_TYPE, text: '{"message":"ok"}' },
  { what: "nothing with a 204", operation: realtime.update },
  { what: "a form", operation: functions.getBody, type: FORM, text: form("{}") },
  { what: "a bundle", operation: functions.getBody, type: "application/vnd.denoland.eszip", text: "1" },
  { what: "text", operation: actions.logs, type: "text/plain; charset=utf-8", text: "said" },
  { what: "a count", operation: actions.count, headers: { "x-total-count": "3" } },
  { what: "a refusal", operation: projects.list, status: 401, type: JSON_TYPE, text: '{"message":"no"}' },
];

const UNDECLARED: readonly Row[] = [
  { what: "JSON of another type", operation: projects.list, type: "text/html", text: "[]" },
  { what: "JSON of no type", operation: projects.list, text: "[]" },
  { what: "HTML instead of JSON", operation: projects.list, type: JSON_TYPE, text: "<html>" },
  { what: "nothing instead of JSON", operation: projects.list, type: JSON_TYPE },
  { what: "JSON of another schema", operation: projects.list, type: JSON_TYPE, text: "[{}]" },
  { what: "text where there is to be nothing", operation: projects.pause, type: "text/plain", text: "done" },
  { what: "an object where there is to be nothing", operation: projects.pause, type: JSON_TYPE, text: "{}" },
  { what: "nothing instead of an object", operation: projects.restart },
  { what: "half of an object", operation: projects.restart, type: JSON_TYPE, text: "{" },
  { what: "another object", operation: projects.restart, type: JSON_TYPE, text: '{"message":"ok"}' },
  { what: "an object instead of a message", operation: functions.delete, type: JSON_TYPE, text: "{}" },
  { what: "a body with a 204", operation: realtime.update, type: JSON_TYPE, text: "{}" },
  { what: "JSON instead of a form", operation: functions.getBody, type: JSON_TYPE, text: "{}" },
  { what: "half of a form", operation: functions.getBody, type: FORM, text: form("{}").slice(0, -6) },
  { what: "a form without metadata", operation: functions.getBody, type: FORM, text: "--b--\r\n" },
  { what: "a form whose metadata is none", operation: functions.getBody, type: FORM, text: form("[") },
  { what: "JSON instead of text", operation: actions.logs, type: JSON_TYPE, text: "{}" },
  { what: "no count", operation: actions.count },
  { what: "a count that is no number", operation: actions.count, headers: { "x-total-count": "many" } },
  { what: "a count with a body", operation: actions.count, headers: { "x-total-count": "3" }, text: "3" },
  { what: "a success of another status", operation: projects.list, status: 202, type: JSON_TYPE, text: "[]" },
  { what: "a refusal in HTML", operation: projects.list, status: 401, type: "text/html", text: "<html>" },
  { what: "a refusal of another form", operation: projects.list, status: 401, type: JSON_TYPE, text: '{"error":1}' },
  { what: "a failure that nobody asked for", operation: projects.list, status: 599, type: JSON_TYPE, text: "{}" },
];

function judged({ operation, type, text = "", status = operation.success.status, headers = {} }: Row) {
  const sent = { ...headers, ...(type === undefined ? {} : { "content-type": type }) };
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return undeclared(operation, { status, headers: sent, text, json });
}

describe("an answer", () => {
  it.each(DECLARED)("is as declared: $what", (row) => {
    expect(judged(row)).toBeUndefined();
  });

  it.each(UNDECLARED)("is not as declared: $what", (row) => {
    expect(judged(row)).toContain(row.operation.id);
  });
});
