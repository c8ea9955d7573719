import { createHash } from "node:crypto";

/** The pages that a browser's user sees. No script; the one style is named by its hash; every text from outside is escaped. */

/** Somebody who may consent, and for which organization. */
export interface Account {
  readonly value: string;
  readonly label: string;
}

export interface ConsentView {
  readonly app: string;
  readonly scopes: readonly string[];
  readonly accounts: readonly Account[];
  /** where the answer goes */
  readonly returnsTo: string;
  /** of the project that is claimed */
  readonly project: string | undefined;
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem}" +
  "select,button{font:inherit;padding:.4rem .8rem;margin:.5rem .5rem .5rem 0}code{word-break:break-all}";
const STYLE_HASH = `'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`;

/** Headers of a page. @param formTargets what its form may lead to beside the page itself: browsers check redirects too */
export function pageHeaders(formTargets: readonly string[]): Readonly<Record<string, string>> {
  const forms = ["'self'", ...formTargets].join(" ");
  const policy = `default-src 'none'; style-src ${STYLE_HASH}; form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`;
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin", // the answer must carry its origin, and nobody else learns the address
    "cache-control": "no-store",
  };
}

export function consentPage({ app, scopes, accounts, returnsTo, project }: ConsentView): string {
  const options = accounts.map(
    ({ value, label }) => `<option value="${escapeHtml(value)}">${escapeHtml(label)}</option>`,
  );
  const claim =
    project === undefined
      ? ""
      : `<p>The project <strong>${escapeHtml(project)}</strong> moves to the organization that you choose.</p>`;
  const choice =
    accounts.length === 0
      ? "<p>Nobody here may allow this: there is no such organization, or it has no fitting member.</p>"
      : `<p><label>Organization <select name="account">${options.join("")}</select></label></p>`;
  const approve = accounts.length === 0 ? "" : '<button name="decision" value="approve">Approve</button>';
  return page(
    `Authorize ${app}`,
    `<p><strong>${escapeHtml(app)}</strong> asks for access to an organization of yours:</p>` +
      `<ul>${scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join("")}</ul>${claim}` +
      `<form method="post">${choice}${approve}<button name="decision" value="deny">Deny</button></form>` +
      `<p>You return to <code>${escapeHtml(returnsTo)}</code>.</p>`,
  );
}

/** @param text what went wrong */
export function errorPage(title: string, text: string): string {
  return page(title, `<p>${escapeHtml(text)}</p>`);
}

function page(title: string, content: string): string {
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>` +
    `<style>${STYLE}</style></head><body><h1>${escapeHtml(title)}</h1>${content}</body></html>\n`
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
