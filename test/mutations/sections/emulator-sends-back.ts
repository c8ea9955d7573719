import type { Mutant } from "../mutant.ts";

const REFUSED = "src/emulator/oauth/oauth-refused.ts";
const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/${file}.loopback.test.ts`], only }) as const;
const authorize = (only: string) => of("oauth/oauth-authorize", only);
const TOLD = authorize("what is not as declared");
const ALONE = authorize("never redirects a query");

/** What a browser is sent back to an app with, and what it is not (RFC 6749 §4.1.2.1). */
export const emulatedSendsBack: readonly Mutant[] = [
  {
    name: "browser-left-with-an-undeclared-query",
    promise: "a browser whose query is not as declared goes back to its app with the error",
    file: REFUSED,
    find: "!acceptsPage(accept) ||",
    replace: 'acceptsPage(accept + ", text/html") ||',
    killer: TOLD,
  },
  {
    name: "program-sent-back-as-a-browser",
    promise: "a caller that is no browser gets a refusal of authorize as a 400",
    file: REFUSED,
    find: "!acceptsPage(accept) ||",
    replace: "",
    killer: TOLD,
  },
  {
    name: "sent-back-wherever-it-says",
    promise: "no browser is sent to a redirect URI that is not the app's, whatever else is wrong",
    file: REFUSED,
    find: "  appReturningTo(world, { client_id, redirect_uri });\n",
    replace: "",
    killer: ALONE,
  },
  {
    name: "sent-back-without-its-state",
    promise: "the error goes back to the app with the state that the app sent",
    file: REFUSED,
    find: 'typeof state === "string" ? state : undefined',
    replace: "undefined",
    killer: TOLD,
  },
  {
    name: "unsupported-response-type-called-invalid",
    promise: "a response type that there is not is unsupported_response_type to the app",
    file: REFUSED,
    find: "error: codeOf(message)",
    replace: 'error: "invalid_request"',
    killer: TOLD,
  },
  {
    name: "description-of-any-characters",
    promise: "a description has the characters alone that RFC 6749 allows",
    file: "src/emulator/oauth/oauth-failure.ts",
    find: "\\x5D-\\x7E]/gu",
    replace: "\\x5D-\\uFFFF]/gu",
    killer: TOLD,
  },
  {
    name: "claim-left-with-an-undeclared-query",
    promise: "a browser that claims a project goes back to its app with the error as well",
    file: REFUSED,
    find: "[oauth.authorize.id, oauth.authorizeProjectClaim.id]",
    replace: "[oauth.authorize.id]",
    killer: of("oauth/project-claim", "leads a browser back"),
  },
  {
    name: "program-refused-what-the-catalogue-has",
    promise: "who is no browser gets the catalogue's 204 for every response type that the contract has",
    file: "src/emulator/oauth/oauth-authorize.ts",
    find: "const refusal = refusalOf(app, query);",
    replace: "const refusal = unservedOf(query) ?? refusalOf(app, query);",
    killer: of("oauth/oauth-authorize", "whoever is no browser what the catalogue has"),
  },
];
