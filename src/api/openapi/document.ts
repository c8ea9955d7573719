import type { z } from "zod";
import { STANDARD_LIMIT } from "../contract/operation.ts";
import type { LimitClass, Operation } from "../contract/operation.ts";
import { errorResponses, errorShapes } from "./errors.ts";
import { headerComponents } from "./headers.ts";
import { operationObject, sectionOf } from "./operation-object.ts";
import { schemaWriter } from "./schemas.ts";
import type { JsonObject } from "./json.ts";
import type { SchemaWriter } from "./schemas.ts";
import { shapes } from "./shapes.ts";

/**
 * src/api/openapi: the contract as an OpenAPI 3.1 document. Everything in it follows from the declarations in contract/; a section that is
 * added there is in the document without a line here. Pure: reads no file, asks no server.
 */

export interface DocumentOptions {
  /** of the program that gives the document */
  readonly version: string;
  /** Base URL of the API, without a slash at the end. A relative one is relative to where the document is found. */
  readonly serverUrl: string;
}

/** The document of these operations, as JSON. The same input gives the same document. */
export function openApiDocument(operations: readonly Operation[], options: DocumentOptions): JsonObject {
  const names = Object.entries({ ...shapes, ...errorShapes }).map(([name, schema]) => [schema, name] as const);
  const schemas = schemaWriter(new Map<z.core.$ZodType, string>(names));
  const paths = pathsOf(operations, schemas);
  const responses = errorResponses(operations, schemas);
  return {
    openapi: "3.1.1",
    info: { title: "Management API", version: options.version, description: DESCRIPTION },
    servers: [{ url: options.serverUrl }],
    tags: [...new Set(operations.map(sectionOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.components(),
      responses,
      headers: headerComponents,
      securitySchemes: securitySchemes(operations, options),
    },
    "x-rate-limit-classes": rateLimitClasses(operations),
  };
}

const DESCRIPTION = [
  "Organizations and projects of the platform: their databases, authentication, functions, branches and settings.",
  "Requests are checked strictly. Answers may hold fields and enum values that are not listed here (`x-known-values`).",
  "`x-retry` tells what may be done after an answer that does not say whether the request took effect: `read` and `idempotent`",
  "requests may be sent again, a `once` only when the failure proves that nothing happened. `x-permissions` lists what a fine-grained token",
  "needs: any one of the lists, the whole of it; `x-secret-permission` what it needs besides to be shown the secrets of the answer.",
].join("\n");

function pathsOf(operations: readonly Operation[], schemas: SchemaWriter): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const operation of operations) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = operationObject(operation, schemas);
  }
  return paths;
}

/** Bearer: personal and fine-grained tokens. OAuth2: the flow of behaviour.md, Authentication 5. */
function securitySchemes(operations: readonly Operation[], { serverUrl }: DocumentOptions): JsonObject {
  const scopes = [...new Set(operations.flatMap((operation) => operation.scopes))].toSorted();
  const base = serverUrl === "/" ? "" : serverUrl;
  return {
    bearer: { type: "http", scheme: "bearer", description: "A personal access token, fine-grained or not." },
    oauth2: {
      type: "oauth2",
      description: "An access token that an app got for a user, limited to the scopes that were approved.",
      flows: {
        authorizationCode: {
          authorizationUrl: `${base}/v1/oauth/authorize`,
          tokenUrl: `${base}/v1/oauth/token`,
          refreshUrl: `${base}/v1/oauth/token`,
          scopes: Object.fromEntries(scopes.map((scope) => [scope, scopeInWords(scope)])),
        },
      },
    },
  };
}

/** `edge_functions:read` is "Read edge functions". */
function scopeInWords(scope: string): string {
  const [what = "", verb = ""] = scope.split(":");
  return `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)} ${what.replaceAll("_", " ")}`;
}

/** Each class that `x-rate-limit-class` names; a request passes the standard one and its own. */
function rateLimitClasses(operations: readonly Operation[]): JsonObject {
  const classes = operations.flatMap(({ limitClass }): readonly LimitClass[] =>
    limitClass === undefined ? [] : [limitClass],
  );
  return Object.fromEntries([STANDARD_LIMIT, ...classes].map(({ name, windows }) => [name, windows]));
}
