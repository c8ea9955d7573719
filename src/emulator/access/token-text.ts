import { z } from "zod";

/** What can stand after `Bearer ` in a header: anything else no client can send. The words never repeat it. */
export const tokenText = z
  .string()
  .regex(/^[!-~]{1,8192}$/, "expected a token of printable ASCII characters without blanks");
