import type { Member, MemberResult, SubGroup } from '../groups.ts';
import { userJid } from '../jid.ts';
import { networkRefusal } from '../network-refusal.ts';
import type { GroupRules } from './group-rules.ts';
import type { Group, Groups } from './groups.ts';

/** Each community has an announcement group with all its members. */
export class Communities {
  readonly #groups: Groups;
  readonly #rules: GroupRules;

  constructor(groups: Groups, rules: GroupRules) {
    this.#groups = groups;
    this.#rules = rules;
  }

  create(by: string, subject: string, description: string | null): Group {
    const community = this.#groups.add(by, subject, 'community');
    community.description = description;
    const announcements = this.#groups.add(by, subject, 'announcements', community.id);
    for (const group of [community, announcements]) this.#rules.made(group, by);
    return community;
  }

  end(by: string, id: string): void {
    const community = this.#ledBy(by, id);
    for (const group of this.#groups.in(id)) {
      if (group.kind === 'announcements') this.#remove(group, by);
      else this.#moveTo(group, by, null);
    }
    this.#remove(community, by);
  }

  subGroups(by: string, id: string): readonly SubGroup[] {
    const community = this.#groups.seenBy(by, id);
    if (community.kind !== 'community') throw networkRefusal(404);
    return this.#groups.in(id).map((group) => ({
      ...{ id: group.id, subject: group.subject, size: group.members.size },
      isAnnouncement: group.kind === 'announcements',
    }));
  }

  link(by: string, id: string, groupId: string): void {
    const community = this.#ledBy(by, id);
    const group = this.#groups.ledBy(by, groupId);
    if (group.kind !== 'group' || group.community !== null) throw networkRefusal(409);
    this.#moveTo(group, by, id);
    this.#welcome(community, by, [...group.members.keys()]);
  }

  unlink(by: string, id: string, groupId: string): void {
    this.#ledBy(by, id);
    const group = this.#groups.in(id).find((one) => one.id === groupId && one.kind === 'group');
    if (!group) throw networkRefusal(404);
    this.#moveTo(group, by, null);
  }

  participants(by: string, id: string): readonly Member[] {
    const community = this.#groups.seenBy(by, id);
    const all = new Set([community, ...this.#groups.in(id)].flatMap(({ members }) => [...members.keys()]));
    return [...all].map((digits) => ({
      ...{ id: userJid(digits), ...this.#rules.person(digits) },
      admin: community.members.get(digits) ?? null,
    }));
  }

  removedFrom(by: string, id: string, results: readonly MemberResult[]): void {
    const people = results.flatMap(({ person: { phone }, code }) => (code === null && phone !== null ? [phone] : []));
    for (const group of this.#groups.in(id)) this.#rules.expel(group, by, people);
  }

  #welcome(community: Group, by: string, people: readonly string[]): void {
    const rooms = [community, ...this.#groups.in(community.id).filter(({ kind }) => kind === 'announcements')];
    for (const room of rooms) for (const digits of people) this.#rules.enter(room, by, digits, 'linked_group');
  }

  #ledBy(by: string, id: string): Group {
    const community = this.#groups.ledBy(by, id);
    if (community.kind !== 'community') throw networkRefusal(404);
    return community;
  }

  #moveTo(group: Group, by: string, community: string | null): void {
    group.community = community;
    this.#rules.changed(group, by, { community });
  }

  #remove(group: Group, by: string): void {
    this.#rules.ended(group, by, 'community_ended');
    this.#groups.remove(group);
  }
}
