import type { BigIntStats } from "node:fs";
import { stat } from "node:fs/promises";

/** Which file or folder something is, whatever its name: the name may become another's. As long as it is open, no other is the same. */
export function identityOf({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev} ${ino}`;
}

/** Which one has a name now; undefined: none. @throws what the system says where nobody may look */
export async function identityAt(path: string): Promise<string | undefined> {
  try {
    return identityOf(await stat(path, { bigint: true }));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
