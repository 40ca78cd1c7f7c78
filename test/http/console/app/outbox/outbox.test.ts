import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createOutbox, mayBeStored, type Outgoing } from '../../../../../http/console/app/outbox/outbox.ts';

type Answer = 'taken' | 'no answer' | 'under way' | 'refused';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An outbox, and a gateway that answers as it is told; `taken` is then the answer. */
function anOutbox(answers: Answer[], kept: readonly Outgoing[] = []) {
  const sent: string[] = [];
  const stored: string[] = [];
  let shown: readonly Outgoing[] = kept;
  let now = 1_000;
  let timer: (() => void) | null = null;
  const outbox = createOutbox(
    {
      async send({ key, text }) {
        sent.push(`${key} ${text}`);
        const answer = answers.shift() ?? 'taken';
        if (answer === 'no answer') throw { status: 0, message: 'nothing' };
        if (answer === 'under way') throw { status: 409, code: 'IDEMPOTENCY_IN_PROGRESS', message: 'an earlier request is still running' };
        if (answer === 'refused') throw { status: 409, code: 'RECIPIENT_OPTED_OUT', message: 'opted out' };
        return { id: `id of ${key}`, status: 'queued' };
      },
      accepted: ({ key }) => stored.push(key),
      changed(all) {
        shown = all;
      },
      after(_ms, run) {
        timer = run;
        return () => {
          timer = null;
        };
      },
      now: () => now,
    },
    kept,
  );
  return {
    outbox,
    sent,
    stored,
    states: () => shown.map(({ key, state }) => `${key} ${state}`),
    all: () => shown,
    say: (key: string, chat = 'anna') =>
      outbox.add({
        key,
        session_id: 's',
        chat_id: chat,
        type: 'text',
        text: `text ${key}`,
        reply_to: null,
        media_key: null,
        filename: null,
        voice_note: false,
      }),
    async later(ms = 1_000) {
      now += ms;
      timer?.();
      await settled();
    },
  };
}

it('the outbox sends a message again under its original key after a lost response, and shows it once', async () => {
  const { say, sent, stored, states, later } = anOutbox(['no answer', 'no answer']);
  say('a');
  await settled();
  assert.deepEqual(states(), ['a waiting']);
  await later();
  await later();
  assert.deepEqual([sent, stored, states()], [['a text a', 'a text a', 'a text a'], ['a'], []]);
});

it('the outbox sends the messages of each chat in order, independently of other chats', async () => {
  const { say, sent, states, later } = anOutbox(['no answer']);
  say('a');
  say('b');
  say('c', 'budi');
  await settled();
  assert.deepEqual(
    [sent, states()],
    [
      ['a text a', 'c text c'],
      ['a waiting', 'b waiting'],
    ],
  );
  await later();
  assert.deepEqual(sent.slice(2), ['a text a', 'b text b']);
});

it('the outbox shows why a message was rejected, sends later messages, and reuses the key on a retry', async () => {
  const { outbox, say, sent, stored, states, all } = anOutbox(['refused']);
  say('a');
  say('b');
  await settled();
  assert.deepEqual([states(), all()[0]?.error, stored], [['a failed'], 'opted out', ['b']]);
  outbox.retry('a');
  await settled();
  assert.deepEqual([sent.at(-1), states(), stored], ['a text a', [], ['b', 'a']]);
  outbox.discard('a');
});

it('the outbox sends messages that a closed page left unsent if they are less than a day old', async () => {
  const one = (key: string, at: number): Outgoing => ({
    ...{ key, session_id: 's', chat_id: key, type: 'text', text: 'x', reply_to: null, media_key: null, filename: null, voice_note: false },
    ...{ at, state: 'sending', tried: true, error: null },
  });
  const { stored, states, sent, outbox, later } = anOutbox(['taken', 'no answer'], [one('now', 900), one('old', -86_400_000)]);
  await settled();
  assert.deepEqual([stored, states()], [['now'], ['old failed']]);
  outbox.retry('old');
  await settled();
  assert.deepEqual(states(), ['old waiting']);
  await later();
  assert.deepEqual([sent.length, states()], [2, ['old failed']], 'once for each press: the gateway no longer knows its key');
});

it('the outbox can retry a rejected message even after a day, because the gateway did not store the message', async () => {
  const { outbox, say, sent, states, later } = anOutbox(['refused', 'no answer']);
  say('a');
  await settled();
  await later(86_400_000);
  outbox.retry('a');
  await settled();
  await later();
  assert.deepEqual([sent.length, states()], [3, []]);
});

it('the outbox waits while the gateway is still processing an earlier request for the same message', async () => {
  const { say, stored, states, later } = anOutbox(['no answer', 'under way']);
  say('a');
  await settled();
  await later();
  assert.deepEqual(states(), ['a waiting']);
  await later();
  assert.deepEqual([stored, states()], [['a'], []]);
});

it('the outbox marks a message without a response as possibly sent, and later messages as unsent', async () => {
  const { say, all } = anOutbox(['no answer']);
  say('a');
  say('b');
  await settled();
  assert.deepEqual(
    all().map((one) => [one.key, one.state, mayBeStored(one)]),
    [
      ['a', 'waiting', true],
      ['b', 'waiting', false],
    ],
  );
});
