/**
 * test/image: the container image without a container engine. The Dockerfile is read and its stages are carried out in folders of this
 * machine: their copies and commands are real, their base image is this machine with the pinned Node.
 *
 * This file: reading a Dockerfile, as far as ours goes. Anything else in it is an error, so that nothing goes unseen.
 */

/** One instruction with its argument text; a `\` at a line's end continues it. */
export interface Instruction {
  readonly name: string;
  readonly argument: string;
}

/** A stage of the build: its base image, its name, and what follows. */
export interface Stage {
  readonly image: string;
  readonly name: string;
  readonly instructions: readonly Instruction[];
}

const known: ReadonlySet<string> = new Set([
  "ARG",
  "CMD",
  "COPY",
  "ENTRYPOINT",
  "ENV",
  "EXPOSE",
  "FROM",
  "LABEL",
  "RUN",
  "USER",
  "WORKDIR",
]);

/**
 * The instructions of a Dockerfile, without comments.
 *
 * @throws Error for an instruction that this stand-in does not know
 */
export function readInstructions(text: string): readonly Instruction[] {
  const lines = text
    .split("\n")
    .filter((line) => !/^\s*#/u.test(line))
    .join("\n")
    .replaceAll(/\\\n\s*/gu, " ")
    .split("\n")
    .filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [, name = "", argument = ""] = /^(\w+)\s+(.*)$/u.exec(line) ?? [];
    if (!known.has(name)) throw new Error(`unknown instruction: ${line}`);
    return { name, argument: argument.trim() };
  });
}

/** Replaces `$NAME` and `${NAME}`; a name that nobody set is left as it stands. */
export function substitute(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /\$(?:\{(\w+)\}|(\w+))/gu,
    (match, braced: string | undefined, bare: string | undefined) => variables.get(braced ?? bare ?? "") ?? match,
  );
}

/** NAME=value pairs of ENV, ARG and LABEL; values may be quoted. */
export function pairs(argument: string): ReadonlyMap<string, string> {
  const found = argument.matchAll(/([\w.]+)=(?:"([^"]*)"|(\S*))/gu);
  return new Map([...found].map(([, name = "", quoted, bare]) => [name, quoted ?? bare ?? ""]));
}

/** The stages, in order; ARGs before the first FROM apply to the FROM lines, as Docker has it. */
export function readStages(text: string): readonly Stage[] {
  const variables = new Map<string, string>();
  const stages: { image: string; name: string; instructions: Instruction[] }[] = [];
  for (const instruction of readInstructions(text)) {
    const current = stages.at(-1);
    if (instruction.name === "FROM") {
      const [image = "", , name = String(stages.length)] = instruction.argument.split(/\s+/u);
      stages.push({ image: substitute(image, variables), name, instructions: [] });
    } else if (current === undefined) {
      for (const [name, value] of pairs(instruction.argument)) variables.set(name, value);
    } else {
      current.instructions.push(instruction);
    }
  }
  return stages;
}
