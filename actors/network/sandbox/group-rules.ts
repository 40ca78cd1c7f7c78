import type {
  GroupChanges,
  GroupFact,
  GroupPreview,
  GroupRecord,
  GroupSettings,
  MemberAction,
  MemberResult,
  NewGroup,
  PhoneOnlySettings,
} from '../groups.ts';
import { userJid } from '../jid.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { Person } from '../person.ts';
import { lidOf } from './addresses.ts';
import type { Group } from './groups.ts';
import type { Inboxes } from './inboxes.ts';
import type { SandboxDeps } from './sandbox-deps.ts';

type Told = GroupFact extends infer F ? (F extends GroupFact ? Omit<F, 'group_id' | 'by'> : never) : never;

const INVITED_FOR_MS = 3 * 86_400_000;

export class GroupRules {
  readonly #deps: SandboxDeps;
  readonly #inboxes: Inboxes;

  constructor(deps: SandboxDeps, inboxes: Inboxes) {
    this.#deps = deps;
    this.#inboxes = inboxes;
  }

  create(by: string, { subject, participants, community }: NewGroup): { readonly group: Group; readonly results: readonly MemberResult[] } {
    const { groups } = this.#deps;
    const parent = community === null ? null : groups.ledBy(by, community);
    const group = groups.add(by, subject, 'group', parent?.id ?? null);
    const results = participants.filter((digits) => digits !== by).map((digits) => this.#add(group, digits));
    this.made(group, by);
    return { group, results };
  }

  set(by: string, id: string, change: GroupSettings & PhoneOnlySettings): void {
    const { groups } = this.#deps;
    const group = groups.seenBy(by, id);
    const { subject, description, ephemeral, ...forAdmins } = change;
    if (group.restrict || Object.keys(forAdmins).length > 0) groups.ledBy(by, id);
    const { announce = group.announce, restrict = group.restrict } = change;
    const { join_approval = group.joinApproval, member_add_mode = group.memberAddMode } = change;
    Object.assign(group, { announce, restrict, joinApproval: join_approval, memberAddMode: member_add_mode });
    if (subject !== undefined) group.subject = subject;
    if (description !== undefined) group.description = description;
    if (ephemeral !== undefined) group.ephemeral = ephemeral;
    this.changed(group, by, change);
  }

  setPicture(by: string, id: string, isThere: boolean): string | null {
    const { groups } = this.#deps;
    const group = groups.seenBy(by, id);
    if (group.restrict) groups.ledBy(by, id);
    group.picture = isThere ? groups.pictureId() : null;
    this.changed(group, by, { picture: group.picture });
    return group.picture;
  }

  move(by: string, id: string, action: MemberAction, participants: readonly string[]): readonly MemberResult[] {
    const { groups } = this.#deps;
    const group = groups.seenBy(by, id);
    if (action !== 'add' || group.memberAddMode === 'admins') groups.ledBy(by, id);
    const before = [...group.members.keys()];
    const results = participants.map((digits) => this.#moved(group, digits, action));
    const done = results.flatMap(({ person, code }) => (code === null && person.phone !== null ? [person.phone] : []));
    if (done.length > 0) this.#tellMoved(group, by, before, { action, done });
    return results;
  }

  leave(by: string, id: string): void {
    const group = this.#deps.groups.seenBy(by, id);
    const before = [...group.members.keys()];
    group.members.delete(by);
    this.#tellMoved(group, by, before, { action: 'remove', done: [by], reason: 'left' });
  }

  renew(by: string, id: string): string {
    const group = this.#deps.groups.ledBy(by, id);
    this.#deps.groups.renew(group);
    this.changed(group, by, { invite_revoked: true });
    return group.code;
  }

  preview(by: string, code: string): GroupPreview {
    const { id, subject, members } = this.#deps.groups.byCode(code, by);
    return { id, subject, size: members.size };
  }

  join(by: string, code: string): { readonly id: string; readonly isMember: boolean } {
    const group = this.#deps.groups.byCode(code, by);
    if (group.members.has(by) || group.requests.has(by)) throw networkRefusal(409);
    const isInvited = group.invited.get(code) === by;
    if (group.joinApproval && !isInvited) {
      group.requests.add(by);
      this.#tellRequest(group, by, by, 'created');
      return { id: group.id, isMember: false };
    }
    group.invited.delete(code);
    this.#enter(group, by, by, 'invite');
    return { id: group.id, isMember: true };
  }

  withdraw(by: string, id: string): void {
    const group = this.#deps.groups.get(id);
    if (!group) throw networkRefusal(404);
    if (!group.requests.delete(by)) throw networkRefusal(409);
    this.#tellRequest(group, by, by, 'revoked');
  }

  answer(by: string, id: string, action: 'approve' | 'reject', phones: readonly string[]): readonly MemberResult[] {
    const group = this.#deps.groups.ledBy(by, id);
    return phones.map((digits) => {
      if (!group.requests.delete(digits)) return this.#result(digits, 404);
      this.#tellRequest(group, by, digits, action === 'approve' ? 'approved' : 'rejected');
      if (action === 'approve') this.#enter(group, by, digits, 'approved');
      return this.#result(digits);
    });
  }

  record(group: Group): GroupRecord {
    const { id, subject, owner, createdAt, members, description, announce, restrict, ephemeral, joinApproval, memberAddMode } = group;
    return {
      ...{ id, subject, owner: userJid(owner), creation: Math.floor(createdAt / 1_000), description, size: members.size },
      ...{ announce, restrict, ephemeral, joinApproval, memberAddMode, community: group.community },
      isCommunity: group.kind === 'community',
      members: [...members].map(([digits, admin]) => ({ id: userJid(digits), ...this.person(digits), admin })),
    };
  }

  person(digits: string): Person {
    const { lid, username, name } = this.#deps.phones.named(digits);
    return { phone: digits, lid: lid ? lidOf(digits) : null, username, name };
  }

  changed(group: Group, by: string, changed: GroupChanges): void {
    this.#tell(group, by, [...group.members.keys()], { fact: 'group.updated', changed });
  }

  made(group: Group, by: string): void {
    this.#tell(group, by, [...group.members.keys()], { fact: 'group.joined', reason: 'create', group: this.record(group) });
  }

  ended(group: Group, by: string, reason: string): void {
    this.#tell(group, by, [...group.members.keys()], { fact: 'group.left', reason });
  }

  enter(group: Group, by: string, digits: string, reason: string): void {
    if (!group.members.has(digits)) this.#enter(group, by, digits, reason);
  }

  expel(group: Group, by: string, people: readonly string[]): void {
    const before = [...group.members.keys()];
    const done = people.filter((digits) => group.members.delete(digits));
    if (done.length > 0) this.#tellMoved(group, by, before, { action: 'remove', done });
  }

  #enter(group: Group, by: string, digits: string, reason: string): void {
    const before = [...group.members.keys()];
    group.members.set(digits, null);
    this.#tellMoved(group, by, before, { action: 'add', done: [digits], reason });
  }

  #moved(group: Group, digits: string, action: MemberAction): MemberResult {
    if (action === 'add') return this.#add(group, digits);
    if (!group.members.has(digits)) return this.#result(digits, 404);
    if (group.members.get(digits) === 'superadmin') return this.#result(digits, 403);
    if (action === 'remove') group.members.delete(digits);
    else group.members.set(digits, action === 'promote' ? 'admin' : null);
    return this.#result(digits);
  }

  #add(group: Group, digits: string): MemberResult {
    const { phones, groups, clock } = this.#deps;
    if (!phones.isOnNetwork(digits)) return this.#result(digits, 404);
    if (group.members.has(digits)) return this.#result(digits, 409);
    if (!phones.named(digits).addable) {
      const code = groups.inviteCode();
      group.invited.set(code, digits);
      return { ...this.#result(digits, 403), invite: { code, expiresAt: clock.now() + INVITED_FOR_MS } };
    }
    group.members.set(digits, null);
    return this.#result(digits);
  }

  #result(digits: string, code: number | null = null): MemberResult {
    return { person: this.person(digits), code, invite: null };
  }

  #tellMoved(
    group: Group,
    by: string,
    before: readonly string[],
    { action, done, reason = null }: { readonly action: MemberAction; readonly done: readonly string[]; readonly reason?: string | null },
  ): void {
    const isTheirs = (digits: string): boolean => (action === 'add' || action === 'remove') && done.includes(digits);
    const participants = done.map((digits) => this.person(digits));
    const others = [...new Set([...before, ...group.members.keys()])].filter((digits) => !isTheirs(digits));
    this.#tell(group, by, others, { fact: 'group.participants', action, participants, reason });
    const theirs = done.filter(isTheirs);
    if (action === 'add') this.#tell(group, by, theirs, { fact: 'group.joined', reason: reason ?? 'add', group: this.record(group) });
    if (action === 'remove') this.#tell(group, by, theirs, { fact: 'group.left', reason: reason ?? 'removed' });
  }

  #tellRequest(group: Group, by: string, digits: string, action: Extract<GroupFact, { fact: 'group.join_request' }>['action']): void {
    const admins = [...group.members].flatMap(([member, admin]) => (admin === null ? [] : [member]));
    this.#tell(group, by, admins, { fact: 'group.join_request', action, person: this.person(digits), method: 'invite_link' });
  }

  #tell(group: Group, by: string, whom: readonly string[], told: Told): void {
    const { devices, names, clock } = this.#deps;
    const fact: GroupFact = { ...told, group_id: group.id, by: this.person(by) };
    const event = { type: 'facts', token: names.message(), at: clock.now(), facts: [fact] } as const;
    for (const device of whom.flatMap((digits) => devices.of(digits))) this.#inboxes.put(device, event);
  }
}
