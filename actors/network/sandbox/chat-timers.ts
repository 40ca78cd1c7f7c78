import type { MessageTimer } from '../timers.ts';
import { numberAt } from './addresses.ts';
import type { Groups } from './groups.ts';
import type { Phones } from './phones.ts';

/** Holds the timers of one-to-one chats. A group's timer is one of its settings. */
export class SandboxTimers {
  readonly #phones: Phones;
  readonly #groups: Groups;
  readonly #timers = new Map<string, MessageTimer>();

  constructor(phones: Phones, groups: Groups) {
    this.#phones = phones;
    this.#groups = groups;
  }

  of(digits: string, to: string): MessageTimer | null {
    const timer = this.lastOf(digits, to);
    return timer && timer.seconds > 0 ? timer : null;
  }

  lastOf(digits: string, to: string): MessageTimer | null {
    const group = this.#groups.get(to);
    if (group) return { seconds: group.ephemeral, at: group.createdAt };
    const other = numberAt(to);
    return other === null ? null : (this.#timers.get(this.#key(digits, other)) ?? null);
  }

  set(digits: string, other: string, timer: MessageTimer): void {
    this.#timers.set(this.#key(digits, other), timer);
  }

  shown(digits: string): Readonly<Record<string, number>> {
    const shown = new Map(this.#groups.of(digits).map(({ id, ephemeral }) => [id, ephemeral]));
    for (const [key, { seconds }] of this.#timers) {
      const pair = key.split(' ');
      if (pair.includes(digits)) shown.set(pair.find((one) => one !== digits) ?? digits, seconds);
    }
    return Object.fromEntries([...shown].filter(([, seconds]) => seconds > 0));
  }

  #key(...digits: readonly [string, string]): string {
    return digits
      .map((one) => this.#phones.registered(one))
      .sort()
      .join(' ');
  }
}
