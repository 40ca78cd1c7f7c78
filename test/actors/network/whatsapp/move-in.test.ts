import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { BAILEYS_KINDS } from '../../../../actors/network/move-in/baileys-records.ts';
import { fromEarlier } from '../../../../actors/network/whatsapp/signal/earlier.ts';
import { inChunks } from '../../../../runtime/in-chunks.ts';
import { at } from '../../../../runtime/invariant.ts';
import { bundleOf, type Source } from '../../../../scripts/commands/shell/move-in/source.ts';
import { whatsmeowSource } from '../../../../scripts/commands/shell/move-in/whatsmeow.ts';
import type { StanzaEntry } from '../../../network-peer/journal.ts';
import { children } from '../../../network-peer/stanza.ts';
import { installed } from '../../../network-peer/witness/whatsmeow.ts';
import type { Api } from '../../../support/gateway.ts';
import { aRedis, hasRedis } from '../../../support/redis.ts';
import { aDirectory, embedded, type Scope } from '../../../support/stores.ts';
import { aRealGateway, passing, type RealGateway } from './gateway.ts';
import { anOldBaileys, anOldWhatsmeow, type OldProgram } from './moving/old-programs.ts';
import { baileys6, baileys7, evolutionBoth, evolutionFiles, evolutionRedis, type Form, fazer, isHidden, waha } from './moving/sources.ts';

/** `MOVE_LOGINS` logins, spread over the programs, each with `MOVE_PEOPLE` people. The first two are those of the daily tests. */
const LOGINS = Number(process.env['MOVE_LOGINS'] ?? 2);
const PEOPLE = Number(process.env['MOVE_PEOPLE'] ?? 3);
const IN_GROUP = 3;
const ANSWERED = 3;
const AT_ONCE = 100;
const WATCH_MS = 5 * 60_000;
const NDJSON = { 'content-type': 'application/x-ndjson' };

const PROGRAM = installed();
/** The forms in which each program keeps a login. Only whatsmeow writes its own here. */
const PROGRAMS: readonly (readonly (Form | string | null)[])[] = [
  [evolutionFiles, evolutionRedis, evolutionBoth],
  [baileys6, baileys7],
  [waha],
  [fazer],
  [PROGRAM],
];
const NEEDS_REDIS: ReadonlySet<unknown> = new Set([evolutionRedis, evolutionBoth, fazer]);

interface Shop {
  readonly name: string;
  readonly phone: string;
  readonly people: readonly string[];
  readonly group: string;
  readonly source: Source;
}

interface Moved extends Shop {
  readonly api: Api;
  readonly path: string;
  readonly move: string;
}

/** Everybody writes and is answered, and some write to a group. Then the program ends. */
async function liveBefore(gateway: RealGateway, program: OldProgram, phone: string, people: readonly string[]): Promise<string> {
  const { peer, clock, until } = gateway;
  const group = peer.group([phone, ...people.slice(0, IN_GROUP)], { subject: 'Regulars' }).jid;
  const inGroup = people.slice(0, IN_GROUP);
  const toAll = await Promise.all(inGroup.map((person) => peer.contact(person).writes(group, 'to all')));
  await passing(clock, Promise.all(toAll.map((id) => program.gets(id))));
  await passing(clock, program.sends(group, 'to all of you'));
  await until('the group reads it', () => inGroup.every((person) => peer.contact(person).shows().at(-1)?.text === 'to all of you'));
  for (const some of inChunks(people, AT_ONCE)) {
    const ids = await Promise.all(some.map((person) => peer.contact(person).writes(phone, 'before')));
    await passing(clock, Promise.all(ids.map((id) => program.gets(id))));
    await passing(clock, Promise.all(some.map((person) => program.sends(`${person}@s.whatsapp.net`, `to ${person}`))));
    await until('they read it', () => some.every((person) => peer.contact(person).shows().at(-1)?.text === `to ${person}`));
    const answers = await Promise.all(some.map((person) => peer.contact(person).writes(phone, 'an answer')));
    await passing(clock, Promise.all(answers.map((id) => program.gets(id))));
  }
  await program.ends();
  return group;
}

async function aShop(scope: Scope, gateway: RealGateway, nth: number, redis: string | null): Promise<Shop | null> {
  const forms = at(PROGRAMS, nth % PROGRAMS.length);
  const form = at(forms, Math.floor(nth / PROGRAMS.length) % forms.length);
  if (form === null || (redis === null && NEEDS_REDIS.has(form))) return null;
  const phone = `62811${String(1_000_000 + nth)}`;
  const people = Array.from({ length: PEOPLE }, (_, each) => `62812${String(nth).padStart(3, '0')}${String(each).padStart(5, '0')}`);
  const directory = join(aDirectory(scope), phone);
  mkdirSync(directory);
  await Promise.all(people.map((person) => gateway.peer.contact(person).is({ isHidden: isHidden(person) })));
  if (typeof form === 'string') {
    const program = await anOldWhatsmeow(gateway, phone, form, directory);
    const group = await liveBefore(gateway, program, phone, people);
    return { name: 'whatsmeow', phone, people, group, source: whatsmeowSource(program.file, undefined) };
  }
  const program = await anOldBaileys(gateway, phone);
  const group = await liveBefore(gateway, program, phone, people);
  return { name: form.name, phone, people, group, source: await form({ directory, phone, redis }, program.records()) };
}

async function moveIn(gateway: RealGateway, shop: Shop, nth: number): Promise<Moved> {
  const { clock, until } = gateway;
  const api = gateway.as(await gateway.signUp(`62813${String(1_000_000 + nth)}`));
  const { id } = (await api('POST', '/v1/sessions', {})).body;
  const path = `/v1/sessions/${id}`;
  const { source, phone, people } = shop;
  const bundle = bundleOf(source, await passing(clock, source.read()));
  const checked = (await passing(clock, api('POST', `${path}/move-in/check`, bundle, NDJSON))).body;
  assert.deepEqual([checked.phone, checked.dropped], [phone, []], JSON.stringify(checked));
  assert.ok(checked.accepted.session >= people.length && checked.accepted['pre-key'] > 100, JSON.stringify(checked.accepted));
  assert.ok(checked.accepted['sender-key'] >= Math.min(IN_GROUP, people.length), JSON.stringify(checked.accepted));
  const move = (await passing(clock, api('POST', `${path}/move-in`, bundle, NDJSON))).body.id;
  await until('it is watched', async () => {
    const { body } = await api('GET', `${path}/move-in/${move}`);
    assert.notEqual(body.status, 'failed', JSON.stringify(body));
    return body.status === 'watching';
  });
  return { ...shop, api, path, move };
}

async function ends({ clock, until }: RealGateway, { api, path, move, source }: Moved): Promise<void> {
  await until('the move is done', async () => (await api('GET', `${path}/move-in/${move}`)).body.status === 'done');
  await passing(clock, source.retire('2026-01-01'));
  await source.close();
  assert.equal((await api('GET', '/v1/contacts')).body.contacts.length, 0, 'nobody becomes a contact by the move');
  assert.equal((await api('GET', '/v1/consent')).body.consent.length, 0, 'nobody consents by the move');
}

async function inboundOf({ api, path }: Moved): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (let before = ''; ; ) {
    const { messages, next_before, next_before_id } = (await api('GET', `${path}/messages?direction=inbound&limit=100${before}`)).body;
    bodies.push(...messages.map(({ body }: { body: string }) => body));
    if (!next_before) return bodies;
    before = `&before=${next_before}&before_id=${next_before_id}`;
  }
}

async function continues({ peer, until }: RealGateway, shop: Moved): Promise<void> {
  const { phone, people, group, api, path } = shop;
  const wanted = people.map((person) => `after ${person}`);
  for (const some of inChunks(people, AT_ONCE)) {
    await Promise.all(some.map((person) => peer.contact(person).writes(phone, `after ${person}`)));
    await until('these are in the log', async () => {
      const { messages } = (await api('GET', `${path}/messages?direction=inbound&limit=1`)).body;
      return messages[0]?.body?.startsWith('after');
    });
  }
  for (const person of people.slice(0, IN_GROUP)) {
    await peer.contact(person).writes(group, `to all ${person}`);
    wanted.push(`to all ${person}`);
  }
  await until('all are in the log', async () => (await inboundOf(shop)).length >= wanted.length);
  assert.deepEqual((await inboundOf(shop)).toSorted(), wanted.toSorted());
  for (const chat_id of [...people.slice(0, ANSWERED), group]) {
    const sent = (await api('POST', `${path}/messages`, { chat_id, type: 'text', body: 'from here' })).body.id;
    await until('it is read', async () => (await api('GET', `${path}/messages/${sent}`)).body.status === 'read');
  }
}

/** Counts the messages to the shop by type: `msg` and `skmsg` use earlier sessions, `pkmsg` starts a new one. */
function sealsTo({ peer }: RealGateway, since: number): Readonly<Record<string, number>> {
  const messages = peer.journal.stanzas({ way: 'down', tag: 'message' }).filter(({ seq }) => seq > since);
  const types = messages.flatMap(({ stanza }) => children(stanza, 'enc').map(({ attrs }) => attrs['type'] ?? ''));
  return Object.fromEntries([...new Set(types)].map((type) => [type, types.filter((one) => one === type).length]));
}

const isRetry = ({ stanza }: StanzaEntry): boolean => stanza.attrs['type'] === 'retry';

describe('logins moved from other programs', () => {
  it('go on with earlier conversations and groups in both directions, without any retry', { timeout: 6 * 3_600_000 }, async (t) => {
    const redis = hasRedis ? (await aRedis(t)).url : null;
    // The old programs ask for some things in other words than the web client.
    const gateway = await aRealGateway(t, embedded, { grammar: null, givesOwnKeys: true, keep: 20_000 + LOGINS * PEOPLE * 40 });
    const { peer, clock } = gateway;
    const started = performance.now();
    const tell = (what: string): void => t.diagnostic(`${((performance.now() - started) / 1_000).toFixed(1)} s: ${what}`);
    const shops: Shop[] = [];
    for (let nth = 0; nth < LOGINS; nth += 1) {
      const shop = await aShop(t, gateway, nth, redis);
      if (shop) shops.push(shop);
      tell(shop ? `${shop.name} has talked with ${shop.people.length} people` : 'a program is not installed');
    }
    const since = peer.journal.count;
    const retries = () => peer.journal.stanzas({ way: 'up', tag: 'receipt' }).filter((entry) => entry.seq > since && isRetry(entry)).length;
    const moved: Moved[] = [];
    for (const [nth, shop] of shops.entries()) moved.push(await moveIn(gateway, shop, nth));
    await clock.advance(WATCH_MS);
    for (const shop of moved) await ends(gateway, shop);
    tell(`${moved.length} logins moved`);
    for (const shop of moved) {
      const [from, before] = [peer.journal.count, retries()];
      await continues(gateway, shop);
      const seals = sealsTo(gateway, from);
      tell(`${shop.name}, ${shop.people.length} people: ${JSON.stringify(seals)}, ${retries() - before} retries`);
      assert.equal(seals['pkmsg'] ?? 0, 0, 'no session begins anew');
    }
    tell(`${retries()} retries, ${peer.ledger.seals} keys used, ${peer.ledger.violations.length} violations`);
    assert.equal(retries(), 0);
    assert.deepEqual(peer.ledger.violations, []);
    assert.deepEqual(peer.journal.events('unreadable'), []);
  });
});

describe('a session stored by Baileys', () => {
  it('is read without losing or changing a key', () => {
    const { records, unanswered } = JSON.parse(readFileSync(join(import.meta.dirname, 'recorded-sessions.json'), 'utf8'));
    const own = { identity: new Uint8Array(33), registrationId: 7 };
    for (const record of [records.ours, records.hers, unanswered]) {
      const read = BAILEYS_KINDS['session']?.read(record);
      assert.ok(read);
      assert.deepEqual(fromEarlier(read as typeof record, own), fromEarlier(record, own));
    }
  });
});
