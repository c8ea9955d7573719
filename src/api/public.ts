/**
 * What programs without Kubernetes import as `baas-operator/client`: docs/client.md. The one list of it; what is not here is not theirs to
 * rely on.
 */
export type { Attributes, Span, SpanSpec, Tracer } from "../base/tracer.ts";
export { createClient } from "./client.ts";
export type { ApiClient, ApiOperations, Call, Pages } from "./client.ts";
export type { BranchCallOptions, CallOptions, ClientLimits, ClientOptions, ClientSettings } from "./client-options.ts";
export type { InputOf, OperationId, OutputOf } from "./contract/operation-id.ts";
export { Verbatim } from "./contract/operation.ts";
export type { UploadFile, UploadSource } from "./contract/operation.ts";
export { CredentialError } from "./credentials/credentials.ts";
export type { Credentials } from "./credentials/credentials.ts";
export { JwtBearer, assertionFile } from "./credentials/jwt-bearer.ts";
export type { AssertionSource, JwtBearerOptions } from "./credentials/jwt-bearer.ts";
export { OAuthRefresh } from "./credentials/oauth-refresh.ts";
export type { OAuthRefreshOptions } from "./credentials/oauth-refresh.ts";
export { PersonalToken } from "./credentials/personal-token.ts";
export { ApiError, apiErrorCodes, isApiError } from "./errors.ts";
export type { AnyApiError, ApiErrorCode, ApiErrorOf } from "./errors.ts";
export { operationFacts } from "./facts.ts";
export type { OperationFacts } from "./facts.ts";
export type { ApiIdentity } from "./identity.ts";
export type { ApiLane } from "./lanes.ts";
export { Pacer } from "./pacing/pacer.ts";
