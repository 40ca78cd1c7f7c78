import type { Person } from './person.ts';
import type { Asks, None, QuestionKind } from './question.ts';

/** Groups and communities: what can be asked of the network about them, and what it tells. A community is a group of groups. */
export interface GroupQuestions {
  /** All groups and communities that this account is in. */
  readonly 'groups.list': Asks<None, readonly GroupRecord[]>;
  /** Refuses FORBIDDEN (not a member), NOT_FOUND. */
  readonly 'groups.get': Asks<AtGroup, GroupRecord>;
}

export const GROUP_QUESTIONS = {
  'groups.list': 'list',
  'groups.get': 'read',
} as const satisfies Readonly<Record<keyof GroupQuestions, QuestionKind>>;

export interface AtGroup {
  /** The group's address (`…@g.us`). */
  readonly id: string;
}

export interface Member extends Person {
  /** The address by which the group knows them. */
  readonly id: string;
  readonly admin: 'admin' | 'superadmin' | null;
}

export interface GroupRecord {
  readonly id: string;
  readonly subject: string;
  /** The address of who made it. */
  readonly owner: string | null;
  /** Epoch seconds, as the network reports it. */
  readonly creation: number | null;
  readonly description: string | null;
  /** All members, also where the network lists only some of them. */
  readonly size: number;
  readonly announce: boolean;
  readonly restrict: boolean;
  /** Seconds; 0: messages stay. */
  readonly ephemeral: number;
  readonly joinApproval: boolean;
  readonly memberAddMode: 'admins' | 'all';
  /** The community that it belongs to. */
  readonly community: string | null;
  readonly isCommunity: boolean;
  readonly members: readonly Member[];
}

/** What changed of a group: new values only. */
export interface GroupChanges {
  readonly subject?: string;
  readonly description?: string | null;
  readonly announce?: boolean;
  readonly restrict?: boolean;
  readonly ephemeral?: number;
  readonly join_approval?: boolean;
  readonly member_add_mode?: 'admins' | 'all';
  readonly invite_revoked?: true;
  /** The network's id of the new picture; null: there is none any more. */
  readonly picture?: string | null;
  readonly suspended?: boolean;
  readonly community?: string | null;
}

/** What the network tells of a group. `by`: who did it, as far as it says. */
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
