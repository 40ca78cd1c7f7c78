import type { NetworkMessage } from './protocol.ts';

const SHOWN_MS = 86_400_000;
const KEPT = 10_000;

interface Status {
  readonly message: NetworkMessage;
  readonly audience: ReadonlySet<string>;
  readonly views: Set<string>;
  readonly reactions: Map<string, string>;
  isGone: boolean;
}

export class Statuses {
  readonly #statuses = new Map<string, Status>();

  put(message: NetworkMessage, audience: readonly string[]): void {
    this.#statuses.set(message.netId, {
      ...{ message, audience: new Set(audience), isGone: false },
      ...{ views: new Set<string>(), reactions: new Map<string, string>() },
    });
    if (this.#statuses.size > KEPT) this.#statuses.delete(this.#statuses.keys().next().value ?? '');
  }

  remove(netId: string): void {
    const status = this.#statuses.get(netId);
    if (status) status.isGone = true;
  }

  authorFor(digits: string, netId: string, now: number): string | null {
    const status = this.#statuses.get(netId);
    if (!status?.audience.has(digits) || status.isGone) return null;
    return now - status.message.at < SHOWN_MS ? status.message.from : null;
  }

  view(digits: string, netId: string): boolean {
    const views = this.#statuses.get(netId)?.views;
    if (!views || views.has(digits)) return false;
    views.add(digits);
    return true;
  }

  /** An `emoji` of '' removes the reaction. Returns false when nothing changed. */
  react(digits: string, netId: string, emoji: string): boolean {
    const reactions = this.#statuses.get(netId)?.reactions;
    if (!reactions || (reactions.get(digits) ?? '') === emoji) return false;
    if (emoji === '') reactions.delete(digits);
    else reactions.set(digits, emoji);
    return true;
  }
}
