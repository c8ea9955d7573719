import type { PGlite } from "@electric-sql/pglite";
import type { BeginsAs } from "./session.ts";
import { ADMIN, READER } from "./fresh.ts";
import { BrokenDatabaseError, type WireExchange, replyOf, simple } from "./wire.ts";

/**
 * Who began a session. A PostgreSQL that is no server knows one user, its superuser, and lets whatever his session is become anybody again: by
 * SQL that no reading finds, in a function's body, say. A server's session is begun by whoever signed in, which PostgreSQL keeps in a
 * variable of its own (`AuthenticatedUserId`, miscinit.c) that no SQL changes and no function sets here. So it is set where it stands in the memory, and
 * what may become of a session is for PostgreSQL to decide (ADR 28).
 */

/** Variables of the program stand below this, in words of 32 bits. */
const MOST_WORDS = 4 * 1024 * 1024;
/** Beside it, in the order in which they stand: the users of the session, of the outer context and of the current one. */
const TO_AUTHENTICATED = 5;

type Memory = Pick<PGlite["Module"], "wasmMemory">;

export interface AuthenticatedUser {
  readonly beginsAs: BeginsAs;
  /** where it stands, in words: the same in every database of one build */
  readonly place: number;
}

/**
 * @param known where it stood in another database of this build: it is tried there before it is sought
 * @throws BrokenDatabaseError where the variable is not found, as in another build of PostgreSQL
 */
export async function authenticatedUser(
  memory: Memory,
  exchange: WireExchange,
  known?: number,
): Promise<AuthenticatedUser> {
  const reader = await usersAs(exchange, READER);
  if (known !== undefined && standsAt(words(memory), known, reader)) {
    const beginsAs = setting(memory, known, reader);
    if (await works(exchange, beginsAs)) return { beginsAs, place: known };
    await usersAs(exchange, READER);
  }
  // one after the other: what has both in the same places is no accident
  const first = placesOf(memory, reader);
  const second = placesOf(memory, await usersAs(exchange, "postgres"));
  const places = first.filter((place) => second.includes(place));
  const [place] = places;
  if (place === undefined || places.length > 1) throw new BrokenDatabaseError(`${places.length} places of the user`);
  const beginsAs = setting(memory, place, reader);
  if (!(await works(exchange, beginsAs))) throw new BrokenDatabaseError("a session is not as it began");
  return { beginsAs, place };
}

function setting(memory: Memory, place: number, { admin }: Users): BeginsAs {
  return (who) => {
    const at = words(memory);
    const user = who === "superuser" ? admin : at[place - TO_AUTHENTICATED];
    if (user === undefined) throw new BrokenDatabaseError("the memory is not where it was");
    at[place] = user;
  };
}

/** Memory grows, and is another one then. */
function words({ wasmMemory }: Memory): Uint32Array {
  return new Uint32Array(wasmMemory.buffer);
}

/** OIDs of whom the session is now, and of the superuser. */
interface Users {
  readonly user: number;
  readonly admin: number;
}

async function usersAs(exchange: WireExchange, role: string): Promise<Users> {
  const sql = `set session authorization ${role}; ${oidOf(role)}; ${oidOf(ADMIN)}`;
  const { error, results } = replyOf(await exchange(simple(sql)));
  if (error !== undefined) throw new BrokenDatabaseError(`${role}: ${error.message}`);
  const [user, admin] = results.map(({ rows }) => Number(rows[0]?.[0]));
  if (user === undefined || admin === undefined) throw new BrokenDatabaseError(`${role} is nobody`);
  return { user, admin };
}

/** Where the variable may be, by the others. */
function placesOf(memory: Memory, users: Users): readonly number[] {
  const at = words(memory).subarray(0, MOST_WORDS);
  const places: number[] = [];
  for (let from = at.indexOf(users.user); from !== -1; from = at.indexOf(users.user, from + 1)) {
    if (standsAt(at, from + TO_AUTHENTICATED, users)) places.push(from + TO_AUTHENTICATED);
  }
  return places;
}

function standsAt(at: Uint32Array, place: number, { user, admin }: Users): boolean {
  const from = place - TO_AUTHENTICATED;
  return [0, 1, 2].every((next) => at[from + next] === user) && at[place] === admin;
}

/** Of nothing that the database's own settings may lead elsewhere. */
const oidOf = (role: string): string => `select '${role}'::pg_catalog.regrole::pg_catalog.oid`;

/** Whether it does what it is for. */
async function works(exchange: WireExchange, beginsAs: BeginsAs): Promise<boolean> {
  const become = async (): Promise<string | undefined> =>
    replyOf(await exchange(simple(`set session authorization ${ADMIN}`))).error?.code;
  beginsAs("itself");
  const own = await become();
  beginsAs("superuser");
  const superusers = await become();
  return own === "42501" && superusers === undefined;
}
