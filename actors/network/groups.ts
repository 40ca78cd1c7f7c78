import type { Person } from './person.ts';
import type { Asks, None, QuestionKind } from './question.ts';

export interface GroupQuestions {
  readonly 'groups.list': Asks<None, readonly GroupRecord[]>;
  readonly 'groups.get': Asks<AtGroup, GroupRecord>;
  /** People who could not be added are listed in `results`. The group is created nevertheless. */
  readonly 'groups.create': Asks<NewGroup, { readonly group: GroupRecord; readonly results: readonly MemberResult[] }>;
  readonly 'groups.set': Asks<AtGroup & { readonly change: GroupSettings }, null>;
  readonly 'groups.leave': Asks<AtGroup, null>;
  readonly 'groups.participants': Asks<AtGroup & MemberChange, readonly MemberResult[]>;
  readonly 'groups.invite': Asks<AtGroup, { readonly code: string }>;
  readonly 'groups.renewInvite': Asks<AtGroup, { readonly code: string }>;
  readonly 'groups.preview': Asks<ByCode, GroupPreview>;
  readonly 'groups.join': Asks<ByCode, { readonly id: string | null; readonly isMember: boolean }>;
  readonly 'groups.requests': Asks<AtGroup, readonly Person[]>;
  readonly 'groups.answerRequests': Asks<
    /** Digits, or hidden addresses of people whose number is unknown. */
    AtGroup & { readonly action: 'approve' | 'reject'; readonly phones: readonly string[] },
    readonly MemberResult[]
  >;
  /** A null `jpeg` removes the picture. Returns the network's id of the new picture. */
  readonly 'groups.setPicture': Asks<AtGroup & { readonly jpeg: string | null }, { readonly picture: string | null }>;
  readonly 'communities.create': Asks<{ readonly subject: string; readonly description: string | null }, GroupRecord>;
  readonly 'communities.end': Asks<AtGroup, null>;
  readonly 'communities.groups': Asks<AtGroup, readonly SubGroup[]>;
  readonly 'communities.link': Asks<AtGroup & { readonly group: string }, null>;
  readonly 'communities.unlink': Asks<AtGroup & { readonly group: string }, null>;
  readonly 'communities.participants': Asks<AtGroup, readonly Member[]>;
}

export const GROUP_QUESTIONS = {
  'groups.list': 'list',
  'groups.get': 'read',
  'groups.create': 'change',
  'groups.set': 'change',
  'groups.leave': 'change',
  'groups.participants': 'change',
  'groups.invite': 'read',
  'groups.renewInvite': 'change',
  'groups.preview': 'read',
  'groups.join': 'change',
  'groups.requests': 'read',
  'groups.answerRequests': 'change',
  'groups.setPicture': 'change',
  'communities.create': 'change',
  'communities.end': 'change',
  'communities.groups': 'read',
  'communities.link': 'change',
  'communities.unlink': 'change',
  'communities.participants': 'read',
} as const satisfies Readonly<Record<keyof GroupQuestions, QuestionKind>>;

export interface AtGroup {
  readonly id: string;
}

export interface NewGroup {
  readonly subject: string;
  readonly participants: readonly string[];
  readonly community: string | null;
}

export type MemberAction = 'add' | 'remove' | 'promote' | 'demote';

export interface MemberChange {
  readonly action: MemberAction;
  readonly participants: readonly string[];
  readonly isCommunity?: boolean;
}

export interface MemberResult {
  readonly person: Person;
  /** The network's error number; null if the change was made. */
  readonly code: number | null;
  readonly invite: { readonly code: string; readonly expiresAt: number } | null;
}

interface ByCode {
  readonly code: string;
}

export interface GroupPreview {
  readonly id: string;
  readonly subject: string;
  readonly size: number | null;
}

export interface SubGroup {
  readonly id: string;
  readonly subject: string;
  readonly size: number | null;
  readonly isAnnouncement: boolean;
}

export interface Member extends Person {
  readonly id: string;
  readonly admin: 'admin' | 'superadmin' | null;
}

export interface GroupRecord {
  readonly id: string;
  readonly subject: string;
  readonly owner: string | null;
  /** Creation time in epoch seconds, as the network reports it. */
  readonly creation: number | null;
  readonly description: string | null;
  readonly size: number;
  readonly announce: boolean;
  readonly restrict: boolean;
  /** Message timer in seconds; 0 if it is off. */
  readonly ephemeral: number;
  readonly joinApproval: boolean;
  readonly memberAddMode: 'admins' | 'all';
  readonly community: string | null;
  readonly isCommunity: boolean;
  readonly members: readonly Member[];
}

export type GroupSettings = Pick<
  GroupChanges,
  'subject' | 'description' | 'announce' | 'restrict' | 'ephemeral' | 'join_approval' | 'member_add_mode'
>;

export interface PhoneOnlySettings {
  readonly member_link_mode?: 'admins' | 'all';
  readonly member_share_history_mode?: 'admins' | 'all';
  readonly admin_reports?: boolean;
  readonly no_frequently_forwarded?: boolean;
  /** Until this time (epoch ms), new members cannot join. Null if the group is no longer locked. */
  readonly locked_until?: number | null;
}

export interface GroupChanges extends PhoneOnlySettings {
  readonly subject?: string;
  readonly description?: string | null;
  readonly announce?: boolean;
  readonly restrict?: boolean;
  readonly ephemeral?: number;
  readonly join_approval?: boolean;
  readonly member_add_mode?: 'admins' | 'all';
  readonly invite_revoked?: true;
  readonly picture?: string | null;
  readonly suspended?: boolean;
  readonly community?: string | null;
}

export type GroupFact = { readonly group_id: string; readonly by: Person | null } & (
  | { readonly fact: 'group.joined'; readonly reason: string | null; readonly group: GroupRecord }
  | { readonly fact: 'group.left'; readonly reason: string | null }
  | { readonly fact: 'group.updated'; readonly changed: GroupChanges }
  | {
      readonly fact: 'group.participants';
      readonly action: 'add' | 'remove' | 'promote' | 'demote' | 'modify';
      readonly participants: readonly Person[];
      readonly reason: string | null;
    }
  | {
      readonly fact: 'group.join_request';
      readonly action: 'created' | 'revoked' | 'approved' | 'rejected';
      readonly person: Person;
      readonly method: string | null;
    }
);
