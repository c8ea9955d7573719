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

/** What the running members of a group are counted as. */
type Counted = "apart" | "together";

interface Group<T> {
  readonly name: string;
  /** By level; made when first needed. */
  readonly lines: Map<number, GroupLine<T>>;
  readonly running: Record<Counted, number>;
}

/**
 * Members that could run now, in the order in which they should. Higher levels go first, but for two that take turns; within a level the groups do, the
 * least recently served one first, so a group with a thousand members gets no more turns than a group with one; within a group, first
 * come first served. A group with `maxRunningPerGroup` running members waits, so that slow runs of one group do not take every worker. One level may be
 * counted apart: as many of it run beside the others, however many of those do.
 *
 * Every operation is O(log n).
 */
export class ReadySet<T extends ReadyMember> {
  readonly #maxRunningPerGroup: number;
  readonly #groups = new Map<string, Group<T>>();
  /** By level: the lines that have members and whose group may run one more. */
  readonly #turns: readonly Heap<GroupLine<T>>[];
  #turn = 0;
  readonly #takingTurns: readonly [number, number] | undefined;
  readonly #apart: number | undefined;
  /** Whether the second of the levels that take turns goes first now. */
  #secondFirst = false;

  /**
   * @param options.takingTurns two levels of which each goes first after the other was served
   * @param options.apart the level that is counted apart
   */
  constructor(options: {
    readonly levels: number;
    readonly maxRunningPerGroup: number;
    readonly takingTurns?: readonly [number, number];
    readonly apart?: number;
  }) {
    this.#maxRunningPerGroup = options.maxRunningPerGroup;
    this.#takingTurns = options.takingTurns;
    this.#apart = options.apart;
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

  /** The next member, taken out; it counts as running in its group until `finished`. @param only the one level to take from */
  take(only?: number): T | undefined {
    const [first, second] = this.#takingTurns ?? [];
    const preferred = only ?? (this.#secondFirst ? second : first) ?? 0;
    const inOrder = [...this.#turns.slice(preferred, preferred + 1), ...(only === undefined ? this.#turns : [])];
    for (const turns of inOrder) {
      const line = turns.peek();
      const member = line?.members.shift();
      if (line === undefined || member === undefined) continue;
      this.#secondFirst = line.level === first;
      line.turn = ++this.#turn;
      line.group.running[this.#countedAs(line.level)] += 1;
      for (const each of line.group.lines.values()) this.#settle(each);
      return member;
    }
    return undefined;
  }

  /** A member that was taken from the group has ended. */
  finished({ group: name, level }: ReadyMember): void {
    const group = this.#groups.get(name);
    if (group === undefined) return;
    group.running[this.#countedAs(level)] -= 1;
    for (const line of group.lines.values()) this.#settle(line);
    this.#forget(group);
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
    const running = line.group.running[this.#countedAs(line.level)];
    if (line.members.size > 0 && running < this.#maxRunningPerGroup) turns.push(line);
    else turns.remove(line);
  }

  #countedAs(level: number): Counted {
    return level === this.#apart ? "apart" : "together";
  }

  #forget(group: Group<T>): void {
    if (group.running.apart + group.running.together > 0) return;
    for (const line of group.lines.values()) if (line.members.size > 0) return;
    this.#groups.delete(group.name);
  }
}

function newGroup<T>(name: string): Group<T> {
  return { name, lines: new Map(), running: { apart: 0, together: 0 } };
}
