import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contract, operations } from "../../api/contract/contract.ts";
import { secret } from "../../api/contract/fields.ts";
import type { BodySpec } from "../../api/contract/operation.ts";
import { BODIES, CANARY, CANARY_NUMBER } from "../../../test/support/emulator/any-request/bodies.ts";
import { misfitsOf, withMisfits } from "../../../test/support/emulator/misfits.ts";
import { refusalWords } from "./refusal-words.ts";
import { shown } from "./shown.ts";
import { coerceQuery } from "./validation.ts";

const CANARIES = [CANARY, CANARY_NUMBER];

const schemaOf = (body: BodySpec): z.ZodType => (body.encoding === "multipart" ? body.metadata : body.schema);

function refused(schema: z.ZodType, value: unknown): string {
  const { error } = schema.safeParse(value, { reportInput: true });
  return refusalWords(error?.issues ?? [], { schema, value, part: "body" });
}

/** Those of the texts that tell what nobody may know. */
const telling = (texts: readonly (string | undefined)[]) =>
  texts.filter((text) => CANARIES.some((canary) => text?.includes(String(canary))));

/** What stands where another structure is declared may be a secret: whoever mistook the one may have mistaken the place. */
describe("in a structure that is not as declared", () => {
  const bodies = operations.flatMap(({ id, body }) => (body === undefined ? [] : [{ id, schema: schemaOf(body) }]));

  it.each(bodies)("nothing of the body of $id is logged, nor told by its refusal", ({ id, schema }) => {
    const sent = CANARIES.flatMap((canary) => withMisfits(BODIES[id], misfitsOf(schema, canary)));
    expect(telling(sent.map((body) => JSON.stringify(shown(schema, body))))).toEqual([]);
    expect(telling(sent.map((body) => refused(schema, body)))).toEqual([]);
  });

  const queries = operations.flatMap(({ id, query }) => (Object.keys(query.shape).length === 0 ? [] : [{ id, query }]));

  it.each(queries)("nothing of the query of $id is logged, nor told by its refusal", ({ query }) => {
    const inBrackets = Object.keys(query.shape).map((name) => ({ [`${name}[UNKNOWN]`]: CANARY }));
    const fields = misfitsOf(query, CANARY).filter(({ path }) => path.length > 0);
    const logged = [...inBrackets, ...withMisfits({}, fields)];
    expect(telling(logged.map((one) => JSON.stringify(shown(query, one))))).toEqual([]);
    // a list of one item comes as a text: what is refused is that item
    const structured = withMisfits(
      {},
      fields.filter(({ value }) => typeof value === "object"),
    );
    const read = [...inBrackets, ...structured].map((one) => coerceQuery(query, z.looseObject({}).parse(one)));
    expect(telling(read.map((one) => refused(query, one)))).toEqual([]);
  });

  it.each([
    {
      of: "secrets by their names for a list",
      schema: contract.secrets.delete.body.schema,
      body: { STRIPE_LIVE: "s3cret", DB: "s3cret" },
      shows: { STRIPE_LIVE: "[redacted]", DB: "[redacted]" },
    },
    {
      of: "pairs of names and secrets for a list of texts",
      schema: contract.secrets.delete.body.schema,
      body: [["STRIPE_LIVE", "s3cret"]],
      shows: [["[redacted]", "[redacted]"]],
    },
    {
      of: "a text for a list of texts",
      schema: contract.secrets.delete.body.schema,
      body: "s3cret",
      shows: "[redacted]",
    },
    {
      of: "an item under a name for a list",
      schema: contract.secrets.create.body.schema,
      body: { name: { name: "A" } },
      shows: { name: { name: "[redacted]" } },
    },
    {
      of: "a list for what has names",
      schema: contract.ssoProviders.create.body.schema,
      body: { attribute_mapping: { keys: [{ name: "s3cret" }] } },
      shows: { attribute_mapping: { keys: [{ name: "[redacted]" }] } },
    },
    {
      of: "what is a text or a list of secrets",
      schema: z.strictObject({
        at: z.union([z.string().regex(/^a/, "a"), z.array(secret(z.string()))]),
        by: z.array(z.unknown()),
      }),
      body: { at: "s3cret", by: { a: "s3cret" } },
      shows: { at: "[redacted]", by: { a: "[redacted]" } },
    },
    {
      of: "a list of what is declared once",
      schema: contract.projects.update.body.schema,
      body: [{ name: ["shop", "s3cret"], nmae: "s3cret" }],
      shows: [{ name: ["shop", "s3cret"], nmae: "[redacted]" }],
    },
  ])("$of is logged as $shows, and not told", ({ schema, body, shows }) => {
    expect(shown(schema, body)).toEqual(shows);
    expect(refused(schema, body)).not.toContain("s3cret");
  });
});
