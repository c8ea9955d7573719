import type { JitRole, JitUser, NewJitRole } from "../../api/contract/jit.ts";
import { type Caller, visibleProject } from "../access.ts";
import { ApiFailure, badRequest, notFound } from "../failure.ts";
import type { JitGrant, JitInvitation } from "./jit-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { newCredential, newId } from "../state/ids.ts";
import { stayingProject } from "../state/presence.ts";
import { DAY_MS } from "../state/spans.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { jitAccessOf } from "./jit-access.ts";
import { isAssumable, type JitContext, refusalOf, roleOutput } from "./jit-rights.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/**
 * src/emulator/jit: roles of a project's database that people have for a while: just-in-time access, invitations to it, and login roles for
 * the command line. Never here: a login: nobody logs in to the emulated databases.
 */

/** An invitation that nobody accepts ends by itself after this time. */
const INVITATION_MS = DAY_MS;

/** Grants of database roles for a while, to members and to invited people from outside. */
export function jitHandlers(world: World): SectionHandlers<"jit"> {
  return {
    acceptInvite: ({ params, body }) => {
      const project = stayingProject(world, params.ref);
      if (project === undefined) throw notFound("Project");
      refuseUnlessEnabled(world, project);
      return userOutput(accept(world, project.ref, invitationFor(world, project.ref, body)));
    },
    invite: ({ params, body, caller }) => {
      const { ref } = enabledProject(world, caller, params.ref);
      const { id, email, roles } = invite(world, ref, body.email, body.roles);
      return { email, invite_id: id, user_roles: roles.map(roleOutput) };
    },
    deleteInvite: ({ params, caller }) => {
      const { ref } = enabledProject(world, caller, params.ref);
      if (!openInvitations(world, ref).some(({ id }) => id === params.invite_id)) throw notFound("Invitation");
      world.jitInvitations.delete(ref, params.invite_id);
      return undefined;
    },
    authorize: ({ params, body, caller }) => {
      const project = ownProject(world, caller, params.ref);
      return { user_id: caller.userId, user_role: assumed(world, project, caller.userId, body) };
    },
    get: ({ params, caller }) => {
      const project = ownProject(world, caller, params.ref);
      return userOutput(assumableOf(world, project, grantOf(world, project.ref, caller.userId)));
    },
    update: ({ params, body, caller }) => {
      const project = enabledProject(world, caller, params.ref);
      const grant = { ...subject(world, project, body.user_id), roles: body.roles };
      world.jitGrants.set(project.ref, grant.userId, grant);
      return userOutput(grant);
    },
    list: ({ params, caller }) => {
      const { ref } = enabledProject(world, caller, params.ref);
      const granted = [...world.jitGrants.of(ref).values()].map((grant) => listed(grant, undefined));
      return { items: [...granted, ...openInvitations(world, ref).map((one) => listed(one, one))] };
    },
    delete: ({ params, caller }) => {
      const { ref } = enabledProject(world, caller, params.ref);
      world.jitGrants.delete(ref, grantOf(world, ref, params.user_id).userId);
      return undefined;
    },
  };
}

/** @throws ApiFailure 400 */
function refuseUnlessEnabled(world: World, project: ProjectRecord): void {
  if (jitAccessOf(world, project).state === "enabled") return;
  throw badRequest("Just-in-time access is not enabled for the project; it is switched on by PUT …/jit-access");
}

function enabledProject(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = visibleProject(world, caller, ref);
  refuseUnlessEnabled(world, project);
  return project;
}

/**
 * The project for those who ask about themselves: people from outside who hold a grant see it as well, by a token of their own; an app is
 * let into one organization, whatever its user holds elsewhere.
 * @throws ApiFailure 404, 400
 */
function ownProject(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = stayingProject(world, ref);
  const holdsGrant = caller.grant === undefined && world.jitGrants.get(ref, caller.userId) !== undefined;
  if (project === undefined || !holdsGrant) return enabledProject(world, caller, ref);
  refuseUnlessEnabled(world, project);
  return project;
}

/** @throws ApiFailure 404 */
function grantOf(world: World, ref: string, userId: string): JitGrant {
  const grant = world.jitGrants.get(ref, userId);
  if (grant === undefined) throw notFound("Just-in-time access of this user");
  return grant;
}

/** Somebody who can be granted roles: a member of the organization, or who accepted an invitation. @throws ApiFailure 404 */
function subject(world: World, project: ProjectRecord, userId: string): Omit<JitGrant, "roles"> {
  const known = world.jitGrants.get(project.ref, userId);
  const user = world.users.get(userId);
  const member = Object.hasOwn(organizationOf(world, project).members, userId);
  if (user === undefined || (known === undefined && !member)) throw notFound("User");
  return { userId, email: user.email };
}

/** What of a grant can be assumed now. */
function assumableOf(world: World, project: ProjectRecord, grant: JitGrant): JitGrant {
  const context = contextOf(world, project);
  return { ...grant, roles: grant.roles.filter((role) => isAssumable(role, context)) };
}

function contextOf(world: World, { branchOf }: ProjectRecord): JitContext {
  return { nowMs: world.clock.now(), isBranch: branchOf !== undefined };
}

/** The first of a user's grants of a role under which the host may assume it. @throws ApiFailure 403 */
function assumed(
  world: World,
  project: ProjectRecord,
  userId: string,
  asked: { readonly role: string; readonly rhost: string },
): JitRole {
  const roles = world.jitGrants.get(project.ref, userId)?.roles ?? [];
  const attempt = { host: asked.rhost, ...contextOf(world, project) };
  let reason = "it is not granted";
  for (const role of roles.filter((granted) => granted.role === asked.role)) {
    const refusal = refusalOf(role, attempt);
    if (refusal === undefined) return roleOutput(role);
    reason = refusal;
  }
  throw new ApiFailure(403, `Not authorized to assume the role: ${reason}`);
}

function openInvitations(world: World, ref: string): readonly JitInvitation[] {
  const nowMs = world.clock.now();
  return [...world.jitInvitations.of(ref).values()].filter(({ expiresAtMs }) => nowMs < expiresAtMs);
}

/** A second invitation of the same address takes the place of the first. */
function invite(world: World, ref: string, email: string, roles: readonly NewJitRole[]): JitInvitation {
  for (const { id, email: invited, expiresAtMs } of world.jitInvitations.of(ref).values()) {
    if (invited === email || expiresAtMs <= world.clock.now()) world.jitInvitations.delete(ref, id);
  }
  const invitation: JitInvitation = {
    id: newId(),
    email,
    userId: userIdOf(world, email),
    token: newCredential(),
    expiresAtMs: world.clock.now() + INVITATION_MS,
    roles,
  };
  world.jitInvitations.set(ref, invitation.id, invitation);
  return invitation;
}

/** Of who has the address: a user, or somebody whom another project has invited before; the same one in every project. */
function userIdOf(world: World, email: string): string {
  const user = [...world.users.values()].find((known) => known.email === email);
  const invited = [...world.jitInvitations.rows()].find(([, invitation]) => invitation.email === email);
  return user?.id ?? invited?.[1].userId ?? newId();
}

/** The same words whatever is wrong: whoever guesses learns nothing. @throws ApiFailure 404 */
function invitationFor(
  world: World,
  ref: string,
  { email, token }: { readonly email: string; readonly token: string },
): JitInvitation {
  const found = openInvitations(world, ref).find((one) => one.email === email && one.token === token);
  if (found === undefined) throw notFound("Invitation");
  return found;
}

/** Makes the invited person a user and grants the roles, beside those that were granted before. */
function accept(world: World, ref: string, { id, email, roles }: JitInvitation): JitGrant {
  const userId = userIdOf(world, email);
  if (!world.users.has(userId)) world.users.set(userId, { id: userId, username: email, email });
  const named = new Set(roles.map(({ role }) => role));
  const before = world.jitGrants.get(ref, userId)?.roles ?? [];
  const grant = { userId, email, roles: [...before.filter(({ role }) => !named.has(role)), ...roles] };
  world.jitGrants.set(ref, userId, grant);
  world.jitInvitations.delete(ref, id);
  return grant;
}

function userOutput({ userId, roles }: Pick<JitGrant, "userId" | "roles">): JitUser {
  return { user_id: userId, user_roles: roles.map(roleOutput) };
}

function listed({ email, ...grant }: JitGrant, invitation: JitInvitation | undefined) {
  return {
    ...userOutput(grant),
    primary_email: email,
    invite_id: invitation?.id ?? null,
    expires_at: invitation === undefined ? null : new Date(invitation.expiresAtMs).toISOString(),
  };
}
