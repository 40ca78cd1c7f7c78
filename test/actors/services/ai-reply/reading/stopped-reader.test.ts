import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { READ_LIMITS } from '../../../../../actors/services/ai-reply/reading/reader.ts';
import { REASONS } from '../../../../../actors/services/ai-reply/reading/reading.ts';
import { readingAttemptsIn } from '../../../../../store/ai-reply/reading-attempts.ts';
import { BARE, someChildren } from '../../../../runtime/child-processes/children-fixture.ts';
import { embedded } from '../../../../support/stores.ts';
import { aReader, fileOf } from './reader-fixture.ts';

const HOUR = 3_600_000;
/** It never ends in time. */
const STOPPING = { ...READ_LIMITS, wallMs: 1 };
const PATIENT = { ...READ_LIMITS, wallMs: 600_000 };
const TEXT = fileOf('txt', 'Kami buka pukul 09.00.');
/** Not read in a millisecond, however the machine is. */
const LONG = fileOf('html', '<p>Kami buka pukul 09.00.</p>'.repeat(500));
const nothing = (): void => {};
const reasonOf = (reading: { readonly ok: boolean; readonly reason?: unknown }): unknown => (reading.ok ? 'read' : reading.reason);

describe('the limit on files that crash their reader', () => {
  it('prevents a third attempt within an hour, and gives the reason in the language of the business', async (t) => {
    const world = { now: Date.UTC(2026, 0, 1, 6, 4, 10) };
    const store = await embedded.fresh(t);
    const reader = await aReader(t, { limits: STOPPING, store, now: () => world.now, zone: 'Asia/Jakarta' });
    const read = async () => reasonOf(await reader.read('shop', LONG, nothing));
    assert.deepEqual([await read(), await read()], [REASONS.time, REASONS.time]);
    const third = {
      en: 'Reading this file failed twice. Try again after 14:05.',
      id: 'Berkas ini sudah dua kali gagal dibaca. Coba lagi setelah pukul 14.05.',
    };
    assert.deepEqual([await read(), await read()], [third, third]);
    const other = await aReader(t, { limits: PATIENT, store, now: () => world.now });
    assert.equal(reasonOf(await other.read('other', LONG, nothing)), 'read');
    world.now += HOUR;
    assert.deepEqual(await read(), REASONS.time);
    assert.equal(reasonOf(await other.read('shop', LONG, nothing)), 'read', 'and what can be read is read');
  });

  it('ignores attempts that were rejected with a reason', async (t) => {
    const reader = await aReader(t, { limits: PATIENT });
    for (let times = 0; times < 4; times += 1)
      assert.deepEqual(reasonOf(await reader.read('shop', fileOf('txt', ' '), nothing)), REASONS.noText);
  });

  it('ignores attempts that failed because the node stopped or could not start a reader', async (t) => {
    const store = await embedded.fresh(t);
    const attempts = readingAttemptsIn(store);
    const broken = { ...BARE, tools: { ...BARE.tools, prlimit: '/bin/false' } };
    const unable = await aReader(t, { store, children: await someChildren(t, { host: broken }) });
    for (let times = 0; times < 3; times += 1) await assert.rejects(unable.read('shop', TEXT, nothing), { code: 'OVERLOADED' });
    for (let times = 0; times < 3; times += 1) {
      const reader = await aReader(t, { store, limits: PATIENT });
      const long = reader.read('shop', fileOf('html', '<p>word</p>'.repeat(200_000)), () => assert.fail('it was read'));
      const ended = assert.rejects(long, { code: 'OVERLOADED' });
      await new Promise((resolve) => setTimeout(resolve, 300));
      await reader.close();
      await ended;
    }
    assert.equal(
      await attempts.begin('shop', (await import('node:crypto')).hash('sha256', '<p>word</p>'.repeat(200_000)), Date.now()),
      null,
    );
  });
});

describe('hostile files from one business', () => {
  it('cannot use more CPU time than the business has per hour, no matter how many variants there are', async (t) => {
    const children = await someChildren(t, { cpuMsAnHour: 3_000 });
    const reader = await aReader(t, { children, limits: { ...PATIENT, cpuSeconds: 2 } });
    const page = '<div>'.repeat(200_000);
    const outcomes = new Map<string, number>();
    for (let variant = 0; variant < 100; variant += 1) {
      const reading = await reader.read('hostile', fileOf('html', `${page}${variant}`), nothing);
      const what = reading.ok ? 'read' : reading.reason.en.replace(/\d\d:\d\d/, 'HH:MM');
      outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
    }
    const spent = outcomes.get('Your files have used up their processing time for this hour. Try again after HH:MM.') ?? 0;
    assert.ok(spent >= 97, JSON.stringify([...outcomes]));
    assert.equal(reasonOf(await reader.read('other', TEXT, nothing)), 'read');
  });
});
