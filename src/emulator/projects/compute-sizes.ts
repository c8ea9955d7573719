import type { BRANCH_INSTANCE_SIZES } from "../../api/contract/fields.ts";

export type InstanceSize = (typeof BRANCH_INSTANCE_SIZES)[number];

/** What a project or branch has that says no size: "add-on ci_micro" (facts.md §4). */
export const USUAL_SIZE = "micro" satisfies InstanceSize;

/** The smallest one whose backups can lead to a point in time. */
export const SMALLEST_WITH_PITR = "small" satisfies InstanceSize;

/** What a compute size gives and costs. */
export interface ComputeSize {
  readonly cores: number;
  /** not shared with other projects */
  readonly dedicated: boolean;
  readonly memoryGb: number;
  /** dollars; made up, but one consistent list */
  readonly hourlyPrice: number;
  /** connections that the database takes, and clients that the pooler takes */
  readonly connections: number;
  readonly poolerClients: number;
  /** connections that the pooler opens for each user and database where nothing else is set */
  readonly poolSize: number;
}

type SizeRow = readonly [
  cores: number,
  memoryGb: number,
  hourlyPrice: number,
  connections: number,
  poolerClients: number,
  poolSize: number,
];

/** In ascending order of what they give. */
const ROWS: Readonly<Record<InstanceSize, SizeRow>> = {
  pico: [2, 0.25, 0.0034, 30, 100, 10],
  nano: [2, 0.5, 0.0067, 60, 200, 15],
  micro: [2, 1, 0.0134, 60, 200, 15],
  small: [2, 2, 0.0206, 90, 400, 15],
  medium: [2, 4, 0.0822, 120, 600, 15],
  large: [2, 8, 0.1517, 160, 800, 20],
  xlarge: [4, 16, 0.2877, 240, 1000, 20],
  "2xlarge": [8, 32, 0.562, 380, 1500, 30],
  "4xlarge": [16, 64, 1.32, 480, 3000, 32],
  "8xlarge": [32, 128, 2.562, 490, 6000, 64],
  "12xlarge": [48, 192, 3.836, 500, 9000, 96],
  "16xlarge": [64, 256, 5.12, 500, 12_000, 128],
  "24xlarge": [96, 384, 7.8, 500, 18_000, 192],
  "24xlarge_optimized_memory": [96, 768, 9.9, 500, 18_000, 192],
  "24xlarge_optimized_cpu": [96, 192, 6.9, 500, 18_000, 192],
  "24xlarge_high_memory": [96, 1536, 15.8, 500, 18_000, 192],
  "48xlarge": [192, 768, 15.6, 500, 36_000, 384],
  "48xlarge_optimized_memory": [192, 1536, 19.8, 500, 36_000, 384],
  "48xlarge_optimized_cpu": [192, 384, 13.8, 500, 36_000, 384],
  "48xlarge_high_memory": [192, 3072, 31.6, 500, 36_000, 384],
};

const SIZES = Object.keys(ROWS);

export function computeSize(size: InstanceSize): ComputeSize {
  const [cores, memoryGb, hourlyPrice, connections, poolerClients, poolSize] = ROWS[size];
  const dedicated = isAtLeast(size, "large");
  return { cores, dedicated, memoryGb, hourlyPrice, connections, poolerClients, poolSize };
}

/** Whether a size gives at least what another one gives. */
export function isAtLeast(size: InstanceSize, other: InstanceSize): boolean {
  return SIZES.indexOf(size) >= SIZES.indexOf(other);
}
