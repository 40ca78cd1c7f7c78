import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { seededRandom } from '../../runtime/random.ts';
import { ANNA, type Answer, aGateway, PHONE } from '../support/gateway.ts';
import { storeOfLives } from '../support/mortal-store.ts';
import { isNight } from '../support/night.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';

/**
 * The process dies at a write that follows from an inbound message, for each kind of content with writes of its own.
 * The next process must leave exactly what an undisturbed one leaves: the same entries, events and chats. A run of the
 * night goes through all writes of each kind, other runs through one write of some kinds that SEED decides.
 */

const BUDI = '6281211110002';
const SEED = Number(process.env['SEED'] ?? 1);
const MOST_WRITES = 40;
/** Other runs kill once for each of a few kinds, at one of its first writes. */
const FEW = 3;
const FIRST_WRITES = 4;

type Verbs = ReturnType<typeof sandboxVerbs>;
type Body = Answer['body'];

interface Kind {
  readonly name: string;
  /** Writes what the content refers to, and returns its network id. */
  before?(verbs: Verbs): string;
  come(verbs: Verbs, before: string): void;
}

const file = { size: 1_000, seed: 1, content_type: 'image/jpeg' };
const order = (verbs: Verbs): string => verbs.write(ANNA, { to: PHONE, body: 'I want tow' }).id;

const KINDS: readonly Kind[] = [
  {
    name: 'an edit',
    before: order,
    come: (verbs, target) => void verbs.write(ANNA, { to: PHONE, type: 'edit', target, body: 'I want two', sealed: true }),
  },
  {
    name: 'a reaction',
    before: order,
    come: (verbs, target) => void verbs.write(ANNA, { to: PHONE, type: 'reaction', target, body: '👍', sealed: true }),
  },
  {
    name: 'a comment',
    before: order,
    come: (verbs, target) => void verbs.write(ANNA, { to: PHONE, type: 'comment', target, body: 'Soon' }),
  },
  {
    name: 'a deletion',
    before: order,
    come: (verbs, target) => void verbs.write(ANNA, { to: PHONE, type: 'delete', target }),
  },
  { name: 'a picture in HD', come: (verbs) => void verbs.write(ANNA, { to: PHONE, type: 'image', file, hd: true, caption: 'Look' }) },
  {
    name: 'what the owner sends to a list',
    come: (verbs) => void verbs.act(PHONE, { act: 'write_own', to: 'list', recipients: [ANNA, BUDI], body: 'Sale' }),
  },
  { name: 'unknown content', come: (verbs) => void verbs.write(ANNA, { to: PHONE, type: 'unsupported', field: 137 }) },
  { name: 'a text with a timer', come: (verbs) => void verbs.write(ANNA, { to: PHONE, body: 'Today', ephemeral: 86_400 }) },
  { name: 'the end of a timer', come: (verbs) => void verbs.act(ANNA, { act: 'set_timer', to: PHONE, ephemeral: 0 }) },
  {
    name: 'contacts',
    come: (verbs) => void verbs.write(ANNA, { to: PHONE, type: 'contact', contacts: [{ name: 'Ben', phones: ['6281', '6282'] }] }),
  },
];

async function aShop(t: Scope, kind: StoreKind) {
  const lives = storeOfLives();
  let gateway = await aGateway(t, { kind, over: lives.over });
  const acme = await gateway.signUp();
  const device = await acme.linked(PHONE);
  const verbs = sandboxVerbs(gateway.sandbox);
  const seen = new Set<string>();
  const api = (...call: Parameters<typeof acme.api>) => gateway.as(acme.tokens.token)(...call);
  // These are only recorded for those who name them.
  const events = ['message.edited', 'message.deleted', 'message.reaction'];
  await api('POST', '/v1/webhooks', { url: 'https://example.com/in', events, secret: 'a secret of at least thirty-two letters' });
  const read = async (path: string): Promise<Body> => (await api('GET', path)).body;
  let after = '';

  /** Everything new since the last call, without ids and times. */
  async function news(): Promise<object> {
    const { messages } = await read(`${device.path}/messages?limit=50`);
    const fresh = messages.filter(({ id }: Body) => !seen.has(id));
    const entries = [];
    for (const { id } of fresh) {
      seen.add(id);
      const { chat_id, direction, message_type, kind, body, caption, status, ephemeral, reactions, media, contacts } = await read(
        `${device.path}/messages/${id}`,
      );
      const emojis = reactions?.map(({ emoji }: Body) => emoji);
      entries.push({ chat_id, direction, message_type, kind, body, caption, status, ephemeral, emojis, size: media?.size, contacts });
    }
    const { events: pulled, next } = await read(`/v1/events/pull?limit=200${after}`);
    after = `&after=${next}`;
    const told = pulled
      .filter(({ type }: Body) => type.startsWith('message.'))
      .map(({ type, data }: Body) => `${type} ${data.body ?? data.emoji ?? ''}`);
    const chats = [];
    for (const phone of [ANNA, BUDI]) {
      const { last_message, unread_count, ephemeral } = await read(`${device.path}/chats/${phone}`);
      chats.push({ last_message, ephemeral, unread_count });
    }
    return { entries: entries.map((one) => JSON.stringify(one)).toSorted(), told: told.toSorted(), chats };
  }

  return {
    /** Returns the result for a content if the process dies after this write (0: before the first); null if there are fewer writes. */
    async outcome({ before, come }: Kind, write: number | null): Promise<object | null> {
      const target = before?.(verbs) ?? '';
      verbs.act(PHONE, { act: 'write_own', to: ANNA, body: 'Ok' });
      await gateway.clock.advance(3_000);
      if (write !== null) lives.arm({ write: Math.max(1, write), isMade: write > 0 });
      come(verbs, target);
      await gateway.clock.advance(3_000);
      const isDead = lives.isDead();
      if (isDead) gateway = await gateway.crash(() => lives.arm(null));
      else lives.arm(null);
      await gateway.until('the device is online', async () => (await read(device.path)).status === 'connected');
      await gateway.clock.advance(10_000);
      const found = await news();
      return write === null || isDead ? found : null;
    },
  };
}

interface Play {
  readonly kind: Kind;
  /** Writes at which to kill, in turn, until one is not reached. */
  readonly writes: readonly number[];
}

function plays(random: () => number): readonly Play[] {
  if (isNight) return KINDS.map((kind) => ({ kind, writes: Array.from({ length: MOST_WRITES }, (_, nth) => nth) }));
  const drawn = KINDS.map((kind) => ({ kind, lot: random() })).toSorted((one, other) => one.lot - other.lot);
  return drawn.slice(0, FEW).map(({ kind }) => ({ kind, writes: [Math.floor(random() * FIRST_WRITES)] }));
}

eachStore('content that arrives when the process crashes', (kind) => {
  it('has the same effects as it would without a crash', async (t) => {
    const shop = await aShop(t, kind);
    const outcomes: object[] = [];
    const undisturbed: object[] = [];
    for (const { kind: one, writes } of plays(seededRandom(SEED))) {
      const expected = await shop.outcome(one, null);
      for (const write of writes) {
        const found = await shop.outcome(one, write);
        if (found === null) break;
        outcomes.push({ kind: one.name, write, ...found });
        undisturbed.push({ kind: one.name, write, ...expected });
      }
    }
    t.diagnostic(`killed ${outcomes.length} times`);
    assert.ok(outcomes.length > 0);
    assert.deepEqual(outcomes, undisturbed);
  });
});
