import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { proto } from '@whiskeysockets/baileys';
import { STORIES } from '../../../../actors/network/jid.ts';
import type { Network } from '../../../../actors/network/port.ts';
import { location } from '../../../network-peer/people/sayings.ts';
import { children, el, type Stanza } from '../../../network-peer/stanza.ts';
import { eachStore } from '../../../support/stores.ts';
import { type Ear, link, logIn } from '../world.ts';
import { aRealGateway } from './gateway.ts';
import { overThePeer } from './peer-world.ts';

const OWNER = '6281100009999';
const SHOP = '6281100000001';
const ANNA = '6281100000002';
const BOT = '13135550002@bot';

async function aShop(t: TestContext) {
  const world = await overThePeer(t);
  const { peer } = world;
  const credentials = await link(world, SHOP);
  const [computer] = peer.phone(SHOP).linked;
  assert.ok(computer);
  return {
    ...world,
    anna: peer.contact(ANNA),
    brings: (stanza: Stanza) => computer.deliver(stanza),
    /** What comes next for the device has this beside it. */
    bringsNextWith(beside: Stanza) {
      const deliver = computer.deliver.bind(computer);
      computer.deliver = (stanza) => {
        computer.deliver = deliver;
        deliver(el(stanza.tag, stanza.attrs, [beside, ...children(stanza)]));
      };
    },
    /** Ids of what the network still keeps for the device, and would bring it again. */
    kept: () => computer.mailbox.waiting.filter(({ tag }) => tag === 'message').map(({ attrs }) => attrs['id']),
    answers: (id: string) => peer.journal.stanzas({ way: 'up', attrs: { id } }).map(({ stanza }) => stanza),
    enters: (network: Network = world.network) => logIn({ ...world, network }, credentials),
    /** As a process that dies. */
    async dies(ear: Ear) {
      ear.connection.close();
      await ear.hears('closed');
      world.restart();
    },
  };
}

const textsTo = (ear: Ear) => ear.all('received').map(({ message: { content } }) => 'body' in content && content.body);

describe('a malformed message', () => {
  const SENSELESS: Readonly<Record<string, proto.IMessage>> = {
    'a reaction without a target': { reactionMessage: { text: '👍' } },
    'a vote without a poll': { pollUpdateMessage: { vote: {} } },
  };
  for (const [what, message] of Object.entries(SENSELESS))
    it(`is acknowledged and not reported again, and the next message is read: ${what}`, async (t) => {
      const shop = await aShop(t);
      const ear = await shop.enters();
      const id = await shop.anna.writes(SHOP, message);
      await shop.anna.writes(SHOP, 'Hello');
      ear.connection.acknowledge((await ear.hears('received')).message.netId);
      await ear.catchesUp();
      assert.deepEqual(textsTo(ear), ['Hello']);
      assert.deepEqual(
        shop.answers(id).map(({ tag, attrs }) => [tag, attrs['type']]),
        [['receipt', 'inactive']],
      );
      assert.deepEqual(shop.kept(), []);
    });

  it('is rejected unread if it is longer than any client allows, and not reported again', async (t) => {
    const shop = await aShop(t);
    const ear = await shop.enters();
    const longest = '😀'.repeat(32_768);
    const id = await shop.anna.writes(SHOP, { conversation: 'a'.repeat(700_000) });
    await shop.anna.writes(SHOP, { extendedTextMessage: { text: longest, contextInfo: { quotedMessage: { conversation: longest } } } });
    ear.connection.acknowledge((await ear.hears('received')).message.netId);
    await ear.catchesUp();
    assert.deepEqual(textsTo(ear), [longest]);
    assert.deepEqual(
      shop.answers(id).map(({ tag, attrs }) => [tag, attrs['error']]),
      [['ack', '500']],
    );
    assert.deepEqual(shop.kept(), []);
  });

  it('is rejected if it comes from a bot, and not reported again', async (t) => {
    const shop = await aShop(t);
    const ear = await shop.enters();
    shop.brings(el('message', { from: BOT, id: 'B1', type: 'text', t: 1 }, [el('unavailable', { type: 'bot_unavailable_fanout' })]));
    await ear.catchesUp();
    assert.deepEqual(
      shop.answers('B1').map(({ tag, attrs }) => [tag, attrs['error']]),
      [['ack', '500']],
    );
    assert.deepEqual(shop.kept(), []);
  });

  it('is read with the first 200 characters of a 60,000-character sender name', async (t) => {
    const shop = await aShop(t);
    const ear = await shop.enters();
    shop.anna.isCalled('N'.repeat(60_000));
    await shop.anna.writes(SHOP, 'Hello');
    assert.equal((await ear.hears('received')).message.fromName, 'N'.repeat(200));
  });

  it('is requested again if only its metadata is unreadable', async (t) => {
    const shop = await aShop(t);
    const ear = await shop.enters();
    shop.bringsNextWith(el('verified_name', {}, Buffer.from([0xff])));
    const id = await shop.anna.writes(SHOP, 'Hello');
    assert.equal((await ear.hears('received')).message.netId, id);
  });
});

eachStore('a location with invalid coordinates', (kind) => {
  it('is logged, and the device stays connected for later messages', async (t) => {
    const gateway = await aRealGateway(t, kind);
    const { peer, until } = gateway;
    const api = gateway.as(await gateway.signUp(OWNER));
    const path = await gateway.linked(api, SHOP);
    const logins = peer.journal.events('logged-in').length;
    await peer.contact(ANNA).writes(SHOP, location(Number.NaN, Number.POSITIVE_INFINITY));
    await peer.contact(ANNA).writes(SHOP, 'Are you there?');
    const log = async () => (await api('GET', `${path}/messages?direction=inbound`)).body.messages;
    const types = async () => (await log()).map((one: { message_type: string }) => one.message_type).toSorted();
    assert.deepEqual(await until('both are in the log', async () => (await types()).length === 2 && types()), ['location', 'text']);
    assert.equal(peer.journal.events('logged-in').length, logins);
  });
});

describe('a vote that arrives while the store is down', () => {
  it('stays on the network, and is counted at the next login', async (t) => {
    const shop = await aShop(t);
    const choices = ['Red', 'Blue'];
    const sent = { netId: 'P1', to: `${ANNA}@s.whatsapp.net`, content: { type: 'poll', name: 'Which?', choices }, quotes: null } as const;
    let isDown = true;
    const findSent = async () => (isDown ? Promise.reject(new Error('the store is down')) : sent);
    const network: Network = { ...shop.network, open: (order, hear) => shop.network.open({ ...order, findSent }, hear) };
    const first = await shop.enters(network);
    first.connection.send(sent);
    await first.hears('receipt');
    await shop.anna.votes(SHOP, 'P1', ['Blue']);
    await first.catchesUp();
    await shop.dies(first);
    isDown = false;
    const second = await shop.enters(network);
    assert.deepEqual((await second.hears('vote')).choices, ['Blue']);
  });
});

describe('an unreadable status', () => {
  const DAY_S = 86_400;
  for (const [age, what, answers] of [
    [DAY_S + 60, 'is acknowledged but not requested again if it is older than a day', [['ack', undefined]]],
    [
      DAY_S - 60,
      'is requested again from its sender, not from the phone',
      [
        ['receipt', undefined],
        ['ack', '500'],
      ],
    ],
  ] as const)
    it(what, async (t) => {
      const shop = await aShop(t);
      const ear = await shop.enters();
      const at = { from: STORIES, participant: shop.anna.jid, t: Math.floor(shop.clock.now() / 1000) - age };
      shop.brings(el('message', { ...at, id: 'S1', type: 'text' }, [el('enc', { v: 2, type: 'skmsg' }, Buffer.alloc(100, 3))]));
      await ear.catchesUp();
      await shop.pass(20_000);
      assert.deepEqual(
        shop.answers('S1').map(({ tag, attrs }) => [tag, attrs['error']]),
        answers,
      );
      assert.deepEqual([shop.kept(), shop.peer.journal.stanzas({ way: 'up', tag: 'message' })], [[], []]);
    });
});

describe('a message with an unreadable part', () => {
  it('is delivered with its readable parts, and gets a receipt once it is stored', async (t) => {
    const shop = await aShop(t);
    const { jid } = shop.peer.group([SHOP, ANNA]);
    shop.peer.fault({ kind: 'drop', way: 'up', tag: 'receipt', where: ({ attrs }) => attrs['type'] === 'retry' });
    const ear = await shop.enters();
    await shop.anna.writes(jid, 'one');
    await ear.hears('received');
    shop.bringsNextWith(el('enc', { v: 2, type: 'msg' }, Buffer.alloc(80, 3)));
    const id = await shop.anna.writes(jid, 'two');
    await ear.hears('received', 2);
    assert.deepEqual(textsTo(ear), ['one', 'two']);
    for (const { message } of ear.all('received')) ear.connection.acknowledge(message.netId);
    await ear.catchesUp();
    assert.deepEqual(
      shop.answers(id).map(({ tag, attrs }) => [tag, attrs['type']]),
      [['receipt', 'inactive']],
    );
    assert.deepEqual(shop.kept(), []);
  });

  it('is requested again if the unreadable part is the content itself', async (t) => {
    const shop = await aShop(t);
    const { jid } = shop.peer.group([SHOP, ANNA]);
    const ear = await shop.enters();
    shop.peer.fault({ kind: 'spoil', only: 'skmsg', phone: SHOP, times: 1 });
    const id = await shop.anna.writes(jid, 'one');
    assert.equal((await ear.hears('received')).message.netId, id);
    assert.ok(shop.answers(id).some(({ attrs }) => attrs['type'] === 'retry'));
  });
});
