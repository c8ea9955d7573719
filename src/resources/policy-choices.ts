/** What may stand in a policy that the operator's flags set too: apart, so that a command line is read without the schemas of the kinds. */

export const driftPolicies = ["Correct", "Report", "Ignore"] as const;
export const managementPolicies = ["Manage", "Observe"] as const;
