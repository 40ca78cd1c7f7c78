import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idFloor } from '../../../runtime/derived-ids.ts';
import { type Random, seededRandom } from '../../../runtime/random.ts';
import type { LogFilter } from '../../../store/messaging/log-filter.ts';
import type { MessageRow } from '../../../store/messaging/message-row.ts';
import { type Messages, messagesIn, messagesSpec } from '../../../store/messaging/messages.ts';
import { AdaptiveRange } from '../../../store/paging/adaptive-range.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachEngine } from '../../support/stores.ts';

const HOUR_MS = 3_600_000;
const NOW = 1_790_000_000_000;
const SEEDS = 5;
const MESSAGES = 80;

eachEngine('pages of the message log', (kind) => {
  it('return every message once, newest first, even across busy hours and empty years', async (t) => {
    const store = await kind.fresh(t);
    const rows = store.collection<MessageRow>(messagesSpec);
    const messages = messagesIn(store);
    await store.prepare();
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = seededRandom(seed);
      const log = aLog(String(seed), random);
      await rows.insertMany(log);
      const { chat_id } = log[0]!;
      for (const filter of [
        {},
        { direction: 'inbound' },
        { status: 'failed' },
        { status: 'read', ...someTime(log, random) },
        { chat_id },
        { chat_id, direction: 'inbound' },
        { chat_id, status: 'failed', ...someTime(log, random) },
      ] as const) {
        const limit = 1 + Math.floor(random() * 20);
        assert.deepEqual(
          await readAll(messages, String(seed), filter, limit),
          expected(log, filter),
          `seed ${seed}, ${JSON.stringify(filter)}`,
        );
      }
    }
  });
});

describe('reading a page of a busy message log', () => {
  const written = Array.from({ length: 100_000 }, (_, nth) => NOW - nth * 1_000);

  it('searches back at most one hour from where the page starts', async () => {
    const reach = new AdaptiveRange();
    for (const from of [NOW, NOW - 12 * HOUR_MS]) assert.ok(from - (await looksFor(reach, written, from)).at(-1)! <= HOUR_MS);
  });

  it('searches further back if messages are rare, and then needs a single query', async () => {
    const reach = new AdaptiveRange();
    const rare = written.filter((_, nth) => nth % 1_000 === 0);
    assert.ok((await looksFor(reach, rare, NOW)).length > 1);
    assert.equal((await looksFor(reach, rare, NOW)).length, 1);
  });

  /** How far back each look for the page went (0: to the beginning). */
  async function looksFor(reach: AdaptiveRange, times: readonly number[], from: number): Promise<number[]> {
    const looks: number[] = [];
    const read = async function* (since: number | null) {
      looks.push(since ?? 0);
      const found = times.filter((created_at) => created_at <= from && created_at >= (since ?? 0));
      yield* found.slice(0, 50).map((created_at) => ({ created_at, _id: String(created_at) }));
    };
    assert.equal((await Array.fromAsync(reach.page({ key: 'k', from, since: null, limit: 50, read }))).length, 50);
    return looks;
  }
});

/** Some pauses take 10 ms, others years. */
function aLog(session: string, random: Random): MessageRow[] {
  let at = NOW;
  return Array.from({ length: MESSAGES }, (_, nth) => {
    at -= Math.trunc(10 ** (random() * (random() < 0.1 ? 10.5 : 6)));
    return messageRow(session, nth, at, random);
  });
}

function someTime(log: readonly MessageRow[], random: Random): LogFilter {
  const since = log[40 + Math.floor(random() * 40)]!.created_at;
  return random() < 0.5 ? { since } : { since, until: log[Math.floor(random() * 40)]!.created_at };
}

async function readAll(messages: Messages, session: string, filter: LogFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let last: MessageRow | undefined;
  for (;;) {
    const from = { before: last?.created_at ?? null, beforeId: last?._id ?? null };
    const page = await Array.fromAsync(messages.list('t1', session, filter, { limit, ...from, now: NOW }));
    ids.push(...page.map(({ _id }) => _id));
    last = page.at(-1);
    if (page.length < limit || !last) return ids;
  }
}

function expected(log: readonly MessageRow[], { direction, status, since = 0, until = Number.POSITIVE_INFINITY }: LogFilter): string[] {
  return log
    .filter((row) => (direction === undefined || row.direction === direction) && (status === undefined || row.status === status))
    .filter(({ created_at }) => created_at >= since && created_at < until)
    .map(({ _id }) => _id);
}

function messageRow(session_id: string, nth: number, created_at: number, random: Random): MessageRow {
  return aMessageRow({
    _id: `${idFloor(created_at).slice(0, 14)}${session_id.padStart(6, '0')}${String(MESSAGES - nth).padStart(6, '0')}`,
    tenant_id: 't1',
    session_id,
    direction: random() < 0.6 ? 'inbound' : 'outbound',
    status: random() < 0.1 ? 'failed' : 'read',
    created_at,
  });
}
