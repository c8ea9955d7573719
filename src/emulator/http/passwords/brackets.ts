/** How far what a bracket opens is hidden: all strings in it, or those of its first argument. */
export type HiddenWithin = "all" | "first";

export interface Bracket {
  /** sign or word that opens it; none around all */
  readonly opening: string;
  /** a list of what is alike, as behind `in` */
  readonly isList: boolean;
  /** whether a value of a password opened it */
  readonly hides: HiddenWithin | undefined;
  isHidden: boolean;
  /** the name of a password stands in it */
  isNamed: boolean;
  /** how many commas stood in it */
  item: number;
  /** items that are names of passwords, where they are columns that rows are inserted by */
  readonly columns: number[] | undefined;
  /** items that are passwords of a row */
  rowOf: ReadonlySet<number> | undefined;
}

const CLOSED: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{", end: "case" };

/** The brackets that are open at a place of a text, which need not fit: it may be cut, or prose. Each costs once that it is opened and closed. */
export class Brackets {
  #open: Bracket[] = [outermost()];
  readonly #counts = new Map<string, number>();

  get innermost(): Bracket {
    return this.#open.at(-1) ?? outermost();
  }

  get around(): Bracket | undefined {
    return this.#open.at(-2);
  }

  open(opening: string, { hides, isList, ofColumns }: Readonly<Opening>): void {
    const isHidden = hides !== undefined || this.innermost.isHidden;
    const columns = ofColumns ? [] : undefined;
    this.#open.push({ opening, isList, hides, isHidden, isNamed: false, item: 0, columns, rowOf: undefined });
    this.#counts.set(opening, (this.#counts.get(opening) ?? 0) + 1);
  }

  /** @returns what it closes; what is open within that is closed as well */
  close(closing: string): Bracket | undefined {
    const opening = CLOSED[closing];
    if (opening === undefined || (this.#counts.get(opening) ?? 0) === 0) return undefined;
    for (;;) {
      const closed = this.#open.pop();
      if (closed === undefined) return undefined;
      this.#counts.set(closed.opening, (this.#counts.get(closed.opening) ?? 1) - 1);
      if (closed.opening === opening) return closed;
    }
  }

  separate(): void {
    const { innermost } = this;
    innermost.item += 1;
    if (innermost.hides === "first") innermost.isHidden = this.around?.isHidden === true;
  }

  closeAll(): void {
    this.#open = [outermost()];
    this.#counts.clear();
  }
}

interface Opening {
  hides: HiddenWithin | undefined;
  isList: boolean;
  ofColumns: boolean;
}

function outermost(): Bracket {
  const nothing = { hides: undefined, columns: undefined, rowOf: undefined };
  return { ...nothing, opening: "", isList: false, isHidden: false, isNamed: false, item: 0 };
}
