import { CLAIM_MS } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { BucketRow } from '../../../store/analytics/bucket-row.ts';
import type { Buckets } from '../../../store/analytics/buckets.ts';
import type { CountedMessage, CountedMessages } from '../../../store/analytics/counted-messages.ts';
import { countBucket, isAnswer, isPersonal, waitingIn } from '../../domain/analytics/count-bucket.ts';

/**
 * Recounts the figures of changed buckets. They are counted from the stored messages, so a second
 * recount does no harm. Data: store/analytics/buckets.ts.
 */

export interface RecountDeps {
  readonly buckets: Buckets;
  readonly countedMessages: CountedMessages;
  readonly clock: Pick<Clock, 'now'>;
  chatKey(tenantId: string, chatId: string): string;
}

export interface Recount {
  continueAll(now: number): Promise<void>;
  freshen(tenantId: string, now: number): Promise<void>;
}

const MAX_PER_SWEEP = 500;
const MAX_PER_READ = 200;
const FRESH_MS = 2_000;
const LOOK_BACK = 200;

export function createRecount({ buckets, countedMessages, clock, chatKey }: RecountDeps): Recount {
  const freshening = new Map<string, Promise<void>>();

  async function waits(sessionId: string, at: number, messages: readonly CountedMessage[]): Promise<ReadonlyMap<string, number | null>> {
    const chats = new Set(messages.filter((message) => isAnswer(message) && isPersonal(message.chat_id)).map(({ chat_id }) => chat_id));
    const waiting = new Map<string, number | null>();
    for (const chat of chats) waiting.set(chat, waitingIn(await countedMessages.before(sessionId, chat, at, LOOK_BACK)));
    return waiting;
  }

  async function recount(row: BucketRow, now: number): Promise<void> {
    const { tenant_id, session_id, at } = row;
    const messages: CountedMessage[] = [];
    for await (const message of countedMessages.inBucket(session_id, at)) messages.push(message);
    messages.reverse();
    const waiting = await waits(session_id, at, messages);
    const campaigned = new Set(messages.flatMap(({ blast_id, chat_id }) => (blast_id === undefined ? [] : [chat_id])));
    const known = await countedMessages.since(session_id, [...campaigned]);
    const figures = countBucket(
      messages,
      (chat) => waiting.get(chat) ?? null,
      (chat) => chatKey(tenant_id, chat),
      (chat) => known.get(chat) ?? Number.POSITIVE_INFINITY,
    );
    // Retention or erasure removed messages. The earlier figures stay, as they hold no personal data.
    const isShrunk = row.figures !== null && figures.rows < row.figures.rows;
    await buckets.counted(row, isShrunk ? null : figures, now);
  }

  async function freshen(tenantId: string, now: number): Promise<void> {
    for (const row of await buckets.dirtyOf(tenantId, now - FRESH_MS, MAX_PER_READ)) await recount(row, now);
  }

  return {
    async continueAll(now) {
      for (let done = 0; done < MAX_PER_SWEEP; done += 1) {
        const row = await buckets.due(now, Math.max(0, clock.now() - now) + CLAIM_MS);
        if (!row) return;
        await recount(row, now);
      }
    },

    freshen(tenantId, now) {
      const under = freshening.get(tenantId);
      if (under) return under;
      const work = freshen(tenantId, now).finally(() => freshening.delete(tenantId));
      freshening.set(tenantId, work);
      return work;
    },
  };
}
