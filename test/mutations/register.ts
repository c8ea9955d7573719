import type { Mutant, Section } from "./mutant.ts";
import { absences } from "./sections/absences.ts";
import { apiserver } from "./sections/apiserver.ts";
import { artifacts } from "./sections/artifacts.ts";
import { askedLooks } from "./sections/asked-looks.ts";
import { branchEnds } from "./sections/branch-ends.ts";
import { cases } from "./sections/cases.ts";
import { counted } from "./sections/counted.ts";
import { creation } from "./sections/creation.ts";
import { credentials } from "./sections/credentials.ts";
import { database } from "./sections/database.ts";
import { declared } from "./sections/declared.ts";
import { deletion } from "./sections/deletion.ts";
import { deletionBound } from "./sections/deletion-bound.ts";
import { deletionGuards } from "./sections/deletion-guards.ts";
import { drift } from "./sections/drift.ts";
import { due } from "./sections/due.ts";
import { emulator } from "./sections/emulator.ts";
import { emulatorFolder } from "./sections/emulator-folder.ts";
import { emulatorProof } from "./sections/emulator-proof.ts";
import { emulatorState } from "./sections/emulator-state.ts";
import { keptTokens } from "./sections/kept-tokens.ts";
import { lastCopies } from "./sections/last-copies.ts";
import { lostAnswers } from "./sections/lost-answers.ts";
import { madeAnew } from "./sections/made-anew.ts";
import { manyFunctions } from "./sections/many-functions.ts";
import { nulls } from "./sections/nulls.ts";
import { olderVersions } from "./sections/older-versions.ts";
import { orphans } from "./sections/orphans.ts";
import { otherVersions } from "./sections/other-versions.ts";
import { outages } from "./sections/outages.ts";
import { outputs } from "./sections/outputs.ts";
import { claims } from "./sections/claims.ts";
import { ownership } from "./sections/ownership.ts";
import { pacing } from "./sections/pacing.ts";
import { passwords } from "./sections/passwords.ts";
import { payers } from "./sections/payers.ts";
import { process } from "./sections/process.ts";
import { rareAnswers } from "./sections/rare-answers.ts";
import { rotatedKeys } from "./sections/rotated-keys.ts";
import { redaction } from "./sections/redaction.ts";
import { redactionParts } from "./sections/redaction-parts.ts";
import { redactionStretches } from "./sections/redaction-stretches.ts";
import { refusedAgain } from "./sections/refused-again.ts";
import { refusedSections } from "./sections/refused-sections.ts";
import { refusedValues } from "./sections/refused-values.ts";
import { requests } from "./sections/requests.ts";
import { requestsAtEnd } from "./sections/requests-at-end.ts";
import { requestsOfLost } from "./sections/requests-of-lost.ts";
import { sectionOrder } from "./sections/section-order.ts";
import { sectionAbsences } from "./sections/section-absences.ts";
import { sectionCosts } from "./sections/section-costs.ts";
import { sectionPolicies } from "./sections/section-policies.ts";
import { sectionRefusals } from "./sections/section-refusals.ts";
import { settings } from "./sections/settings.ts";
import { snapshot } from "./sections/snapshot.ts";
import { status } from "./sections/status.ts";
import { telling } from "./sections/telling.ts";
import { tokenEnds } from "./sections/token-ends.ts";
import { touched } from "./sections/touched.ts";
import { traces } from "./sections/traces.ts";
import { unheard } from "./sections/unheard.ts";
import { unwell } from "./sections/unwell.ts";
import { waits } from "./sections/waits.ts";
import { wholePrograms } from "./sections/whole-programs.ts";
import { workQueue } from "./sections/work-queue.ts";

/** The register: engine.md, section by section, the credentials of connections, the cases of cases.md, and the emulator. */
export const sections: readonly Section[] = [
  workQueue,
  pacing,
  payers,
  snapshot,
  creation,
  passwords,
  requests,
  requestsAtEnd,
  requestsOfLost,
  lostAnswers,
  claims,
  ownership,
  branchEnds,
  madeAnew,
  outages,
  outputs,
  unwell,
  lastCopies,
  deletion,
  deletionBound,
  deletionGuards,
  absences,
  declared,
  drift,
  otherVersions,
  rotatedKeys,
  status,
  due,
  rareAnswers,
  redaction,
  redactionParts,
  redactionStretches,
  orphans,
  telling,
  traces,
  counted,
  process,
  apiserver,
  credentials,
  tokenEnds,
  keptTokens,
  settings,
  sectionOrder,
  sectionPolicies,
  sectionAbsences,
  sectionCosts,
  sectionRefusals,
  refusedAgain,
  refusedSections,
  refusedValues,
  touched,
  unheard,
  nulls,
  waits,
  askedLooks,
  olderVersions,
  database,
  cases,
  manyFunctions,
  artifacts,
  wholePrograms,
  emulator,
  emulatorState,
  emulatorProof,
  emulatorFolder,
];

/** A mutant and where it belongs. */
export interface Registered {
  readonly section: Section;
  readonly mutant: Mutant;
}

export const register: readonly Registered[] = sections.flatMap((section) =>
  section.mutants.map((mutant) => ({ section, mutant })),
);
