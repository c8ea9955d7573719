import { Fifo } from "./fifo.ts";
import { Heap } from "./heap.ts";

/** What the set needs of a member: whom it belongs to and how urgent it is. Neither may change while it is in. */
export interface ReadyMember {
  readonly group: string;
  /** 0 goes first. */
  readonly level: number;
}

/** The members of one group at one level, and when the group was last served there. */
interface GroupLine<T> {
  readonly group: Group<T>;
  readonly level: number;
  readonly members: Fifo<T>;
  turn: number;
}

/** Who takes a member: one of those that take any, or of those that take the members of one level alone. */
export type Taker = "general" | "reserved";

interface Group<T> {
  readonly name: string;
  /** By level; made when first needed. */
  readonly lines: Map<number, GroupLine<T>>;
  /** Members that run: those that general takers took, and those of the reserved level, whoever took them. */
  readonly running: { general: number; reserved: number };
}

/**
 * Members that could run now, in the order in which they should. Higher levels go first, but for two that take turns; within a level the groups do, the
 * least recently served one first, so a group with a thousand members gets no more turns than a group with one; within a group, first
 * come first served. General takers run `maxRunningPerGroup` of a group at once, so that slow runs of one group do not hold all of these takers; and as many of
 * its reserved level run at once, whoever took them.
 *
 * Every operation is O(log n).
 */
export class ReadySet<T extends ReadyMember> {
  readonly #maxRunningPerGroup: number;
  readonly #groups = new Map<string, Group<T>>();
  /** By level: the lines that have members and whose group may run one more for a general taker. */
  readonly #turns: readonly Heap<GroupLine<T>>[];
  /** Of the reserved level: those whose group may run one more for a reserved taker. */
  readonly #reservedTurns = new Heap<GroupLine<T>>((a, b) => a.turn < b.turn);
  #turn = 0;
  readonly #takingTurns: readonly [number, number] | undefined;
  readonly #reserved: number | undefined;
  /** Whether the second of the levels that take turns goes first now. */
  #secondFirst = false;

  /**
   * @param options.takingTurns two levels of which each goes first after the other was served
   * @param options.reserved the level that reserved takers take, and nothing else
   */
  constructor(options: {
    readonly levels: number;
    readonly maxRunningPerGroup: number;
    readonly takingTurns?: readonly [number, number];
    readonly reserved?: number;
  }) {
    this.#maxRunningPerGroup = options.maxRunningPerGroup;
    this.#takingTurns = options.takingTurns;
    this.#reserved = options.reserved;
    this.#turns = Array.from({ length: options.levels }, () => new Heap<GroupLine<T>>((a, b) => a.turn < b.turn));
  }

  add(member: T): void {
    const line = this.#line(member);
    if (line.members.size === 0) line.turn = ++this.#turn;
    line.members.push(member);
    this.#settle(line);
  }

  /** Takes a member out; nothing happens when it is not in. */
  remove(member: T): void {
    const line = this.#line(member);
    line.members.remove(member);
    this.#settle(line);
    this.#forget(line.group);
  }

  /** The next member that a taker of this sort may have, taken out; it counts as running in its group until `finished`. */
  take(taker: Taker = "general"): T | undefined {
    for (const turns of taker === "reserved" ? [this.#reservedTurns] : this.#inOrder()) {
      const line = turns.peek();
      const member = line?.members.shift();
      if (line === undefined || member === undefined) continue;
      if (taker === "general") this.#secondFirst = line.level === this.#takingTurns?.[0];
      line.turn = ++this.#turn;
      this.#count(line.group, { level: line.level, taker }, 1);
      for (const each of line.group.lines.values()) this.#settle(each);
      return member;
    }
    return undefined;
  }

  /** Levels, the one first whose turn it is. */
  #inOrder(): readonly Heap<GroupLine<T>>[] {
    const preferred = this.#takingTurns?.[this.#secondFirst ? 1 : 0];
    const first = preferred === undefined ? undefined : this.#turns[preferred];
    return first === undefined ? this.#turns : [first, ...this.#turns];
  }

  /** A member that such a taker took has ended. */
  finished({ group: name, level }: ReadyMember, taker: Taker = "general"): void {
    const group = this.#groups.get(name);
    if (group === undefined) return;
    this.#count(group, { level, taker }, -1);
    for (const line of group.lines.values()) this.#settle(line);
    this.#forget(group);
  }

  #count({ running }: Group<T>, { level, taker }: { readonly level: number; readonly taker: Taker }, by: 1 | -1): void {
    if (taker === "general") running.general += by;
    if (level === this.#reserved) running.reserved += by;
  }

  #line({ group: name, level }: T): GroupLine<T> {
    const group = this.#groups.get(name) ?? newGroup<T>(name);
    this.#groups.set(name, group);
    const line = group.lines.get(level) ?? { group, level, members: new Fifo<T>(), turn: 0 };
    group.lines.set(level, line);
    return line;
  }

  /** Puts the line among those that take turns, or takes it out. */
  #settle(line: GroupLine<T>): void {
    const turns = this.#turns[line.level];
    if (turns === undefined) throw new RangeError(`no level ${line.level}`);
    const { general, reserved } = line.group.running;
    const isReserved = line.level === this.#reserved;
    const mayRun = line.members.size > 0 && (!isReserved || reserved < this.#maxRunningPerGroup);
    put(turns, line, mayRun && general < this.#maxRunningPerGroup);
    if (isReserved) put(this.#reservedTurns, line, mayRun);
  }

  #forget(group: Group<T>): void {
    if (group.running.general > 0 || group.running.reserved > 0) return;
    for (const line of group.lines.values()) if (line.members.size > 0) return;
    this.#groups.delete(group.name);
  }
}

function put<T extends object>(heap: Heap<T>, item: T, isIn: boolean): void {
  if (isIn) heap.push(item);
  else heap.remove(item);
}

function newGroup<T>(name: string): Group<T> {
  return { name, lines: new Map(), running: { general: 0, reserved: 0 } };
}
