import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { run, succeeded } from "../support/programs/run.ts";
import type { BuildContext } from "./context.ts";
import { copyInto } from "./context.ts";
import type { Instruction, Stage } from "./dockerfile.ts";
import { pairs, substitute } from "./dockerfile.ts";

const commandMs = 240_000;
const commandSchema = z.array(z.string()).min(1);

/** A stage that was carried out: its file system below `root`, and what it says about running it. */
export interface BuiltStage {
  readonly stage: Stage;
  readonly root: string;
  readonly workdir: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly labels: ReadonlyMap<string, string>;
  readonly user: string | undefined;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** Carries out one stage, instruction by instruction. */
class StageBuild {
  readonly #stage: Stage;
  readonly #root: string;
  readonly #context: BuildContext;
  readonly #done: ReadonlyMap<string, BuiltStage>;
  #workdir = "/";
  #user: string | undefined;
  #entrypoint: readonly string[] = [];
  #command: readonly string[] = [];
  readonly #variables = new Map<string, string>();
  readonly #environment = new Map<string, string>();
  readonly #labels = new Map<string, string>();

  constructor(stage: Stage, root: string, context: BuildContext, done: ReadonlyMap<string, BuiltStage>) {
    this.#stage = stage;
    this.#root = root;
    this.#context = context;
    this.#done = done;
    // What the base image sets: this machine's folders, with the Node that runs this.
    this.#variables.set("PATH", `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`);
  }

  async build(): Promise<BuiltStage> {
    mkdirSync(this.#root, { recursive: true });
    for (const instruction of this.#stage.instructions) await this.#carryOut(instruction);
    return {
      stage: this.#stage,
      root: this.#root,
      workdir: this.#here("."),
      environment: new Map([...this.#environment].map(([name, value]) => [name, this.#moved(value)])),
      labels: this.#labels,
      user: this.#user,
      entrypoint: this.#entrypoint.map((word) => this.#moved(word)),
      command: this.#command,
    };
  }

  /** A path of the image, on this machine. */
  #here(path: string): string {
    return join(this.#root, resolve(this.#workdir, path)) + (path.endsWith("/") ? "/" : "");
  }

  /** A value that begins with the image's working folder, on this machine. */
  #moved(value: string): string {
    return value.startsWith(`${this.#workdir}/`) ? join(this.#root, value) : value;
  }

  async #carryOut({ name, argument: raw }: Instruction): Promise<void> {
    const argument = name === "RUN" ? raw : substitute(raw, this.#variables);
    switch (name) {
      case "ARG":
        for (const [key, value] of pairs(argument)) this.#variables.set(key, value);
        return;
      case "ENV":
        for (const [key, value] of pairs(argument)) {
          this.#variables.set(key, value);
          this.#environment.set(key, value);
        }
        return;
      case "LABEL":
        for (const [key, value] of pairs(argument)) this.#labels.set(key, value);
        return;
      case "WORKDIR":
        this.#workdir = argument;
        mkdirSync(this.#here("."), { recursive: true });
        return;
      case "USER":
        this.#user = argument;
        return;
      case "ENTRYPOINT":
        this.#entrypoint = commandSchema.parse(JSON.parse(argument));
        return;
      case "CMD":
        this.#command = commandSchema.parse(JSON.parse(argument));
        return;
      case "EXPOSE":
        return;
      case "COPY":
        this.#copy(argument.split(/\s+/u));
        return;
      case "RUN":
        await this.#run(argument);
        return;
      default:
        throw new Error(`this stand-in does not carry out ${name}`);
    }
  }

  #copy(words: readonly string[]): void {
    const from = words.find((word) => word.startsWith("--from="))?.slice("--from=".length);
    const paths = words.filter((word) => !word.startsWith("--"));
    const target = this.#here(paths.at(-1) ?? ".");
    for (const path of paths.slice(0, -1)) {
      if (from === undefined) {
        this.#context.copy(path, target);
        continue;
      }
      const stage = this.#done.get(from);
      if (stage === undefined) throw new Error(`COPY --from=${from}: no earlier stage has this name`);
      copyInto(join(stage.root, path), target);
    }
  }

  async #run(command: string): Promise<void> {
    const env = {
      ...Object.fromEntries(this.#environment),
      PATH: this.#variables.get("PATH") ?? "",
      // Packages that are on this machine need no network.
      npm_config_prefer_offline: "true",
    };
    succeeded(await run("/bin/sh", ["-c", command], { cwd: this.#here("."), env, timeoutMs: commandMs }));
  }
}

/**
 * Carries out stages in order, each with a file system of its own below `directory`.
 *
 * @returns the last one
 * @throws Error with the words of the command that failed
 */
export async function buildImage(
  stages: readonly Stage[],
  context: BuildContext,
  directory: string,
): Promise<BuiltStage> {
  const done = new Map<string, BuiltStage>();
  for (const stage of stages) {
    done.set(stage.name, await new StageBuild(stage, join(directory, stage.name), context, done).build());
  }
  const last = [...done.values()].at(-1);
  if (last === undefined) throw new Error("the Dockerfile has no stage");
  return last;
}
