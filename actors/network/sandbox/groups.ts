import type { Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { Member } from '../groups.ts';
import { networkRefusal } from '../network-refusal.ts';
import { isPhone, type Names } from './names.ts';

export interface Group {
  readonly id: string;
  /** Digits of who made it. */
  readonly owner: string;
  /** Epoch ms. */
  readonly createdAt: number;
  /** By digits, in the order in which they came. */
  readonly members: Map<string, Member['admin']>;
  subject: string;
  description: string | null;
  announce: boolean;
  restrict: boolean;
  ephemeral: number;
  joinApproval: boolean;
  memberAddMode: 'admins' | 'all';
  community: string | null;
  readonly isCommunity: boolean;
}

/** All groups there are, and who is in them. */
export class Groups {
  readonly #names: Names;
  readonly #clock: Clock;
  readonly #groups = new Map<string, Group>();

  constructor(names: Names, clock: Clock) {
    this.#names = names;
    this.#clock = clock;
  }

  /** Makes a group of these numbers and answers its address. The first made it. */
  create(members: readonly string[]): string {
    const [owner] = members;
    if (owner === undefined || !members.every(isPhone)) throw new Refusal('VALIDATION_FAILED', { field: 'members' });
    const group = this.#add(owner, '');
    for (const digits of members) if (!group.members.has(digits)) group.members.set(digits, null);
    return group.id;
  }

  /** The members other than `phone`; null when `phone` is in no such group. */
  othersIn(address: string, phone: string): readonly string[] | null {
    const members = this.#groups.get(address)?.members;
    return members?.has(phone) ? [...members.keys()].filter((member) => member !== phone) : null;
  }

  of(phone: string): readonly Group[] {
    return [...this.#groups.values()].filter(({ members }) => members.has(phone));
  }

  /** Refuses as the network does: 404 where there is none, 403 to those who are not in it. */
  seenBy(phone: string, id: string): Group {
    const group = this.#groups.get(id);
    if (!group) throw networkRefusal(404);
    if (!group.members.has(phone)) throw networkRefusal(403);
    return group;
  }

  #add(owner: string, subject: string): Group {
    const group: Group = {
      ...{ id: this.#names.group(), owner, createdAt: this.#clock.now(), subject, description: null, members: new Map() },
      ...{ announce: false, restrict: false, ephemeral: 0, joinApproval: false, memberAddMode: 'all', community: null, isCommunity: false },
    };
    group.members.set(owner, 'superadmin');
    this.#groups.set(group.id, group);
    return group;
  }
}
