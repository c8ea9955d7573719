/**
 * test/clients: clients that nobody here wrote against the emulator, each in its own library's ways. What every one of them must be able to
 * do stands here; the programs are in programs/ and print, as JSON, what they saw for each claim. What only one program can do is in its
 * own test file.
 */

/** What a client sees, by what it does. */
export const CLAIMS = {
  "creates a project with JSON": "201 Grüße ☃",
  "exchanges a code as a form": "200 Bearer",
  // of a deploy, its status and what is there then: version, whether it verifies JWTs, and the files as a form
  "deploys with the metadata as text before the files": "201 1 false metadata index.ts",
  "deploys with the metadata as text after the files": "201 2 true metadata index.ts src/text.ts",
  "deploys with the metadata as a JSON file before the files": "201 3 false metadata index.ts src/file.ts",
  "deploys with the metadata as a JSON file after the files": "201 4 true metadata index.ts src/last.ts",
  "reads a long list compressed": "200 gzip 44",
  "sends a body compressed": "201",
  "sends a body in chunks": "201",
  "asks to continue before it sends a body": "201",
  "keeps its connection": "true",
  "asks for the head alone": "200 0",
  "reads a count from the head": "200 0",
  "accepts odd media types": "200 application/json; charset=utf-8",
  "writes header names in its own way": "200",
  "adds a slash": "404 Cannot GET /v1/profile/",
  "names a branch with a slash": "200 feature/one",
  "repeats a query parameter": "200 db auth",
  "separates values by commas": "200 db auth",
  "posts nothing as JSON": "200 {}",
  "deletes with a body": "200 0",
  "gets an answer without a body": "204 0",
  "reads a refusal": "404 Project not found",
  "reads the limits": "120",
} as const;

export type Claim = keyof typeof CLAIMS;

/** The claims with what is expected, as rows of a table. */
export const claimRows = Object.entries(CLAIMS).map(([claim, expected]) => ({ claim: claim as Claim, expected })); // its own keys
