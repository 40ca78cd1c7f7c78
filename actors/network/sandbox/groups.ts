import type { Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { Member } from '../groups.ts';
import { networkRefusal } from '../network-refusal.ts';
import { isPhone, type Names } from './names.ts';

export interface Group {
  readonly id: string;
  /** Digits of the creator. */
  readonly owner: string;
  readonly createdAt: number;
  /** Members by digits, in the order in which they joined. */
  readonly members: Map<string, Member['admin']>;
  readonly requests: Set<string>;
  readonly invited: Map<string, string>;
  code: string;
  subject: string;
  description: string | null;
  announce: boolean;
  restrict: boolean;
  ephemeral: number;
  joinApproval: boolean;
  memberAddMode: 'admins' | 'all';
  community: string | null;
  picture: string | null;
  readonly kind: 'group' | 'community' | 'announcements';
}

export class Groups {
  readonly #names: Names;
  readonly #clock: Clock;
  readonly #groups = new Map<string, Group>();
  readonly #revoked = new Set<string>();

  constructor(names: Names, clock: Clock) {
    this.#names = names;
    this.#clock = clock;
  }

  /** Creates a group with these numbers and returns its address. The first number is the creator. */
  create(members: readonly string[]): string {
    const [owner] = members;
    if (owner === undefined || !members.every(isPhone)) throw new Refusal('VALIDATION_FAILED', { field: 'members' });
    const group = this.add(owner, '');
    for (const digits of members) if (!group.members.has(digits)) group.members.set(digits, null);
    return group.id;
  }

  add(owner: string, subject: string, kind: Group['kind'] = 'group', community: string | null = null): Group {
    const group: Group = {
      ...{ id: this.#names.group(), owner, createdAt: this.#clock.now(), kind, community, subject, description: null },
      ...{ members: new Map(), requests: new Set(), invited: new Map(), code: this.#names.inviteCode(), picture: null },
      ...{ announce: kind === 'announcements', restrict: false, ephemeral: 0, joinApproval: false, memberAddMode: 'all' },
    };
    group.members.set(owner, 'superadmin');
    this.#groups.set(group.id, group);
    return group;
  }

  remove(group: Group): void {
    this.#groups.delete(group.id);
    this.#revoked.add(group.code);
  }

  renew(group: Group): void {
    this.#revoked.add(group.code);
    group.code = this.#names.inviteCode();
  }

  pictureId(): string {
    return this.#names.message();
  }

  inviteCode(): string {
    return this.#names.inviteCode();
  }

  /** Returns the members other than `phone`; null when `phone` is not in the group. */
  othersIn(address: string, phone: string): readonly string[] | null {
    const members = this.#groups.get(address)?.members;
    return members?.has(phone) ? [...members.keys()].filter((member) => member !== phone) : null;
  }

  /** Whether a member may write: with `announce`, only admins may. */
  mayWrite(address: string, phone: string): boolean {
    const group = this.#groups.get(address);
    return group !== undefined && (!group.announce || group.members.get(phone) !== null);
  }

  get(id: string): Group | null {
    return this.#groups.get(id) ?? null;
  }

  of(phone: string): readonly Group[] {
    return [...this.#groups.values()].filter(({ members }) => members.has(phone));
  }

  in(community: string): readonly Group[] {
    return [...this.#groups.values()].filter((group) => group.community === community);
  }

  /** Fails like the network does: NOT_FOUND if the group does not exist, FORBIDDEN for non-members. */
  seenBy(phone: string, id: string): Group {
    const group = this.#groups.get(id);
    if (!group) throw networkRefusal(404);
    if (!group.members.has(phone)) throw networkRefusal(403);
    return group;
  }

  /** Returns the group like `seenBy`, but also fails with FORBIDDEN for members who are not admins. */
  ledBy(phone: string, id: string): Group {
    const group = this.seenBy(phone, id);
    if (group.members.get(phone) === null) throw networkRefusal(403);
    return group;
  }

  /**
   * Finds a group by invitation link or by an invitation for `phone`. Fails with NOT_FOUND (410 if
   * the code was revoked).
   */
  byCode(code: string, phone: string): Group {
    const group = [...this.#groups.values()].find((one) => one.code === code || one.invited.get(code) === phone);
    if (!group) throw networkRefusal(this.#revoked.has(code) ? 410 : 404);
    return group;
  }
}
