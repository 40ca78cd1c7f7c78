import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { at } from '../../../../runtime/invariant.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { RunningBridge } from '../../../../scripts/bridge/chatwoot/bridge.ts';
import { bridged } from '../../../support/chatwoot/bridged.ts';
import type { Delivery, Fate } from '../../../support/chatwoot/chatwoot.ts';
import { mortal } from '../../../support/chatwoot/mortal.ts';
import { ANNA } from '../../../support/gateway.ts';

const SEED = Number(process.env['SEED'] ?? 7);
const BUDI = '6281211110002';
const PEOPLE = [ANNA, BUDI];
const personOf = (nth: number): string => `62813${String(nth).padStart(8, '0')}`;

/** Where the bridge dies: each write of its file, and before, during and after each request that changes something. */
const BOUNDARIES = [
  ...['before POST /contacts', 'after POST /contacts', 'save', 'before POST /conversations', 'during POST /conversations'],
  ...['after POST /conversations', 'ask', 'before POST /conversations/N/messages', 'during POST /conversations/N/messages'],
  ...['after POST /conversations/N/messages', 'mirrored', 'finish', 'transaction', 'after pullEvents'],
  ...['saveAnswer', 'before sendMessage', 'during sendMessage', 'after sendMessage', 'markDone'],
  ...['before PATCH /conversations/N/messages/N', 'after PATCH /conversations/N/messages/N'],
];

/** Number of further kills at random boundaries, for example `BRIDGE_KILLS=200`. */
const FURTHER = Number(process.env['BRIDGE_KILLS'] ?? 0);
/** These happen for a new person only. */
const ONCE = /POST \/(contacts|conversations)$|^save$/;
/** A request of these is carried out so long after the death of the bridge. */
const LATE: Fate = { lateMs: 8_000 };

describe(`a bridge that crashes (SEED=${SEED})`, () => {
  it('neither loses nor duplicates messages, whenever it crashes and even if Chatwoot fails', { timeout: 900_000 }, async (t) => {
    const random = seededRandom(SEED);
    const { gateway, chatwoot, parts, start, crash, write, seen, shown } = await bridged(t, { settleMs: 10_000, sweepMs: 10_000 });
    const pick = <T>(of: readonly T[]): T => at(of, Math.floor(random() * of.length));
    const died: string[] = [];
    chatwoot.delivery = () => pick<Delivery>(['once', 'once', 'never', 'twice', { lateMs: 2_000 }]);
    const people = new Set<string>();
    const wrote: string[] = [];
    const answered: string[] = [];

    const further = Array.from({ length: FURTHER }, () => pick(BOUNDARIES.filter((one) => !ONCE.test(one))));
    const planned = [...BOUNDARIES, ...further];
    for (const [nth, boundary] of planned.entries()) {
      const isLate = boundary.startsWith('during');
      chatwoot.fate = (method, path) =>
        isLate && boundary.endsWith(`${method} ${path.replace(/\d+/g, 'N')}`)
          ? LATE
          : method === 'GET'
            ? 'answered'
            : pick<Fate>(['answered', 'answered', 'answered', 'lost after', 'lost before', '500 after', { lateMs: 1_500 }]);
      const { bridge, death, bury } = mortal(parts(), chatwoot.url, (passing) => passing === boundary);
      const running = start(bridge).catch(() => null);
      // Each boundary of a new person needs one.
      const from = ONCE.test(boundary) ? personOf(nth) : at(PEOPLE, nth % PEOPLE.length);
      people.add(from);
      for (const text of [`${nth} a`, `${nth} b`]) {
        write(text, from);
        wrote.push(`${from} ${text}`);
      }
      const { conversations } = chatwoot.books;
      const open = conversations[nth % Math.max(1, conversations.length)];
      if (open) {
        const phone = chatwoot.books.contact(open.contact)?.phone?.slice(1) ?? '';
        chatwoot.write(open.id, `Answer ${nth}`);
        answered.push(`${phone} Answer ${nth}`);
      }
      let isDead = false;
      void death.then((where) => {
        died.push(where);
        isDead = true;
      });
      await gateway.until(`it dies at "${boundary}"`, () => isDead);
      void (await running)?.stop().catch(() => {});
      bury();
      if (nth % 6 === 2) await crash();
      if (nth % 6 === 5) await chatwoot.kill().then(() => chatwoot.start());
    }

    chatwoot.fate = () => 'answered';
    const last = await start();
    assert.ok(last instanceof RunningBridge);
    const everything = (): string =>
      JSON.stringify([seen().filter(({ type }) => type === 'incoming').length, [...people].map((phone) => shown(phone).length)]);
    await gateway.until('all has arrived', () => seen().filter(({ type }) => type === 'incoming').length >= wrote.length);
    await gateway.until('all is answered', () => [...people].flatMap((phone) => shown(phone)).length >= answered.length);
    const before = everything();
    await gateway.clock.advance(60_000);
    await gateway.during(last.stop());
    assert.equal(everything(), before);

    const { books } = chatwoot;
    const phoneIn = (conversation: number): string => books.contact(books.conversation(conversation)?.contact ?? 0)?.phone?.slice(1) ?? '';
    for (const phone of people) {
      const incoming = seen().filter(({ type, conversation }) => type === 'incoming' && phoneIn(conversation) === phone);
      assert.deepEqual(
        incoming.map(({ content }) => `${phone} ${content}`),
        wrote.filter((text) => text.startsWith(phone)),
      );
      assert.deepEqual(
        shown(phone).map(({ content }) => `${phone} ${'body' in content && content.body}`),
        answered.filter((text) => text.startsWith(phone)),
      );
    }
    assert.deepEqual([books.contacts.length, books.conversations.length], [people.size, people.size]);
    assert.deepEqual(died, planned);
    const unread = seen().filter(({ type, status }) => type === 'outgoing' && status !== 'read');
    assert.deepEqual(
      unread.map(({ content, status }) => [content, status]),
      [],
    );
  });
});
