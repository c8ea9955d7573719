/** Closed sets of the platform that a spec may choose from (facts.md §1). What the platform answers is open: a status never uses them. */

export const regionCodes = [
  "us-east-1",
  "us-east-2",
  "us-west-1",
  "us-west-2",
  "ap-east-1",
  "ap-southeast-1",
  "ap-southeast-2",
  "ap-northeast-1",
  "ap-northeast-2",
  "ap-south-1",
  "eu-west-1",
  "eu-west-2",
  "eu-west-3",
  "eu-north-1",
  "eu-central-1",
  "eu-central-2",
  "ca-central-1",
  "sa-east-1",
] as const;

export const regionGroups = ["americas", "emea", "apac"] as const;

/** Compute sizes of a new project. */
export const projectSizes = [
  "nano",
  "micro",
  "small",
  "medium",
  "large",
  "xlarge",
  "2xlarge",
  "4xlarge",
  "8xlarge",
  "12xlarge",
  "16xlarge",
  "24xlarge",
  "24xlarge_optimized_memory",
  "24xlarge_optimized_cpu",
  "24xlarge_high_memory",
  "48xlarge",
  "48xlarge_optimized_memory",
  "48xlarge_optimized_cpu",
  "48xlarge_high_memory",
] as const;

/** Compute sizes of a new branch: those of a project and one smaller. */
export const branchSizes = ["pico", ...projectSizes] as const;

/** Engines of a new branch's database. */
export const postgresEngines = ["15", "17", "17-oriole"] as const;

/** Where a release of the database comes from. */
export const releaseChannels = ["internal", "alpha", "beta", "ga", "withdrawn", "preview"] as const;
