import { expect, vi } from "vitest";
import type { EmulatorUnderTest, Received } from "./api.ts";

/** What waits for a project's database until something else has happened. */

/** As long as it takes to see on a busy machine that something waits for it. */
const LONGER = "select count(*) from generate_series(1, 3e6::bigint)";

export interface Waiting {
  /** whose database is busy */
  readonly ref: string;
  /** each asked when those before it wait */
  readonly asked: readonly { readonly method?: "GET" | "POST"; readonly path: string; readonly body?: object }[];
  /** happens before it is the turn of the first; default: nothing */
  readonly meanwhile?: () => Promise<unknown>;
}

interface Answered {
  /** of what the database was busy with */
  readonly first: Received;
  /** in the order in which they were asked for */
  readonly answers: readonly Received[];
}

export async function askedWhileBusy(
  under: EmulatorUnderTest,
  { ref, asked, meanwhile = () => Promise.resolve() }: Waiting,
): Promise<Answered> {
  await under.control.log.clear();
  const areAtWork = (bodies: readonly unknown[]) =>
    vi.waitFor(async () => {
      const { entries } = await under.control.log.read();
      const found = entries.map((entry) => [entry.status, entry.body !== undefined]);
      expect(found).toEqual(bodies.map((sent) => [null, sent !== undefined]));
    });
  const bodies: unknown[] = [{ query: LONGER }];
  const first = under.call("POST", `/v1/projects/${ref}/database/query`, { body: bodies[0] });
  await areAtWork(bodies);
  const answers: Promise<Received>[] = [];
  for (const { method = "POST", path, body } of asked) {
    answers.push(under.call(method, path, body === undefined ? {} : { body }));
    bodies.push(body);
    await areAtWork(bodies);
  }
  await meanwhile();
  return { answers: await Promise.all(answers), first: await first }; // which may be gone with its project
}
