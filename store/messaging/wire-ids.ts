import { RecentCache } from '../../runtime/recent-cache.ts';
import type { MessageRow } from './message-row.ts';

const KEPT = 5_000;

/** The ids of messages that left lately, by the network's: neither ever changes, and receipts name messages by the network's alone. */
export class WireIds {
  readonly #ids = new RecentCache<string, string>(KEPT);

  learn(rows: readonly MessageRow[]): void {
    for (const { session_id, net_id, _id } of rows) this.#ids.set(`${session_id} ${net_id}`, _id);
  }

  /** null: not all of them are known. */
  of(sessionId: string, netIds: readonly string[]): readonly string[] | null {
    const ids: string[] = [];
    for (const netId of netIds) {
      const id = this.#ids.get(`${sessionId} ${netId}`);
      if (id === undefined) return null;
      ids.push(id);
    }
    return ids;
  }
}
