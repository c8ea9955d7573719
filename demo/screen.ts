/** Where the demo writes: on a terminal a table that is drawn anew in place, elsewhere plain lines. */
export interface Screen {
  /** A line that stays. */
  line(text: string): void;
  /** A heading for what comes next. */
  step(text: string): void;
  /** Shows rows under each other; on a terminal, in place of those shown before. `key` tells rows apart where lines are plain. */
  table(rows: readonly (readonly string[])[]): void;
  /** Leaves the table as it is; the next one begins below. */
  keep(): void;
}

const ESC = "\u001B[";

function columnsOf(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** Colours and movement of the cursor are used only on a terminal. */
export function createScreen(stream: NodeJS.WritableStream, { isTerminal }: { readonly isTerminal: boolean }): Screen {
  return isTerminal ? new TerminalScreen(stream) : new PlainScreen(stream);
}

class TerminalScreen implements Screen {
  readonly #stream: NodeJS.WritableStream;
  #height = 0;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  line(text: string): void {
    this.keep();
    this.#stream.write(`${text}\n`);
  }

  step(text: string): void {
    this.line(`${ESC}1m${text}${ESC}0m`);
  }

  table(rows: readonly (readonly string[])[]): void {
    if (this.#height > 0) this.#stream.write(`${ESC}${this.#height}A${ESC}0J`);
    const lines = columnsOf(rows).map((line) => line.replace(/\bTrue\b/, `${ESC}32mTrue${ESC}39m`));
    for (const line of lines) this.#stream.write(`${line}\n`);
    this.#height = lines.length;
  }

  keep(): void {
    this.#height = 0;
  }
}

class PlainScreen implements Screen {
  readonly #stream: NodeJS.WritableStream;
  /** what was said of each object, so that only news is written */
  readonly #said = new Map<string, string>();

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  line(text: string): void {
    this.#stream.write(`${text}\n`);
  }

  step(text: string): void {
    this.line(`== ${text}`);
  }

  table(rows: readonly (readonly string[])[]): void {
    for (const [key = "", ...cells] of rows.slice(1)) {
      const news = cells.slice(0, -1).join("  ");
      if (this.#said.get(key) === news) continue;
      this.#said.set(key, news);
      // The age, last, changes by itself and is no news.
      this.line(`  ${key.padEnd(22)}  ${news.padEnd(28)}  ${cells.at(-1) ?? ""}`);
    }
  }

  keep(): void {
    // lines stay by themselves
  }
}
