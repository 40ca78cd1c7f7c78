import type { Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { Member } from '../groups.ts';
import { networkRefusal } from '../network-refusal.ts';
import { isPhone, type Names } from './names.ts';

export interface Group {
  readonly id: string;
  readonly owner: string;
  readonly createdAt: number;
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

  othersIn(address: string, phone: string): readonly string[] | null {
    const members = this.#groups.get(address)?.members;
    return members?.has(phone) ? [...members.keys()].filter((member) => member !== phone) : null;
  }

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

  seenBy(phone: string, id: string): Group {
    const group = this.#groups.get(id);
    if (!group) throw networkRefusal(404);
    if (!group.members.has(phone)) throw networkRefusal(403);
    return group;
  }

  ledBy(phone: string, id: string): Group {
    const group = this.seenBy(phone, id);
    if (group.members.get(phone) === null) throw networkRefusal(403);
    return group;
  }

  /** Fails with 410 if the code was revoked. */
  byCode(code: string, phone: string): Group {
    const group = [...this.#groups.values()].find((one) => one.code === code || one.invited.get(code) === phone);
    if (!group) throw networkRefusal(this.#revoked.has(code) ? 410 : 404);
    return group;
  }
}
