import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { type Converter, createConverter } from '../../../../../actors/services/media/convert/converter.ts';
import type { Recipe } from '../../../../../actors/services/media/convert/recipes.ts';
import { Unconvertible } from '../../../../../actors/services/media/convert/unconvertible.ts';
import { codeOf } from '../../../../../runtime/errors.ts';
import { at } from '../../../../../runtime/invariant.ts';
import { seededRandom } from '../../../../../runtime/random.ts';
import { familyOf, isAlive, someChildren } from '../../../../runtime/child-processes/children-fixture.ts';
import { missing } from '../../../../support/missing.ts';
import { MP4 } from '../files.ts';
import { tone, wavOf } from './samples.ts';

/** `CONVERTING_MINUTES=60` with `CONVERTING_KILLS=200`: the longer form, at the rate of a busy day. */
const MINUTES = Number(process.env['CONVERTING_MINUTES'] ?? 0);
const KILLS = Number(process.env['CONVERTING_KILLS'] ?? 5);
/** 40 files a minute are 57,600 a day. */
const EVERY_MS = 1_500;
const COUNT = MINUTES > 0 ? (MINUTES * 60_000) / EVERY_MS : 16;
const TENANTS = ['acme', 'bakery', 'clinic'];
const GONE_WITHIN_MS = 60_000;

const own = (nth: number): Buffer => Buffer.from(`file ${nth}`);
const photo = sharp({ create: { width: 1_200, height: 900, channels: 3, background: 'red' } }).jpeg();

/** What customers of a busy day send; each file has bytes of its own, as a file that ends its child is given up. */
const WORK: readonly (readonly [type: string, recipe: Recipe, file: (nth: number) => Promise<Buffer>])[] = [
  ['image/jpeg', { make: 'image', maxSide: 800 }, async (nth) => Buffer.concat([await photo.toBuffer(), own(nth)])],
  ['audio/wav', { make: 'voice' }, async (nth) => wavOf(tone({ seconds: 2, hz: 300 + nth }))],
  [
    'video/mp4',
    { make: 'video', isLoop: true },
    async (nth) => Buffer.concat([MP4, Buffer.from([0, 0, 0, 20]), Buffer.from('free'), own(nth)]),
  ],
  [
    'image/jpeg',
    { make: 'sticker', pack: { id: 'x', name: 'x', publisher: 'x', emojis: [] }, isAsked: true },
    async (nth) => Buffer.concat([await photo.toBuffer(), own(nth)]),
  ],
];

const others = (): readonly number[] => familyOf(process.pid).filter((pid) => pid !== process.pid && isAlive(pid));
const descriptors = (): number => readdirSync('/proc/self/fd').length;

/** Children are kept for seconds, and their folders with them, also of one that was ended meanwhile. */
async function untilOver(isOver: () => boolean): Promise<void> {
  for (const end = performance.now() + GONE_WITHIN_MS; !isOver() && performance.now() < end; ) await sleep(50);
}

/** Ends some process of ours while `work` is under way; answers whether there was one. */
async function killed(work: Promise<unknown>, random: () => number): Promise<boolean> {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  work.then(over, over);
  for (let wait = random() * 40; !isOver; wait = 5) {
    await sleep(wait);
    const running = isOver ? [] : others();
    if (running.length === 0) continue;
    process.kill(at(running, Math.floor(random() * running.length)), 'SIGKILL');
    return true;
  }
  return false;
}

/** Whether the file was made. */
async function converts({ convert }: Pick<Converter, 'convert'>, nth: number): Promise<boolean> {
  const [contentType, recipe, file] = at(WORK, nth % WORK.length);
  const bytes = await file(nth);
  const source = { contentType, sha256: createHash('sha256').update(bytes).digest('hex'), open: async () => [bytes] };
  try {
    const converted = await convert(at(TENANTS, nth % TENANTS.length), source, recipe);
    await converted.made?.file.close();
    return true;
  } catch (cause) {
    // Where what watches a child was ended, the caller may try again.
    assert.ok(cause instanceof Unconvertible || codeOf(cause) === 'OVERLOADED', String(cause));
    return false;
  }
}

describe(`${COUNT} conversions, ${KILLS} of them with a killed process`, () => {
  const options = { skip: missing('ffmpeg'), timeout: (MINUTES + 10) * 60_000 };
  it('leave no process, descriptor or file behind, and succeed when requested again', options, async (t) => {
    const children = await someChildren(t, { cpuMsAnHour: 36_000_000 });
    const converter = createConverter({ children, ffmpeg: 'auto', now: Date.now });
    const random = seededRandom(7);
    for (const nth of WORK.keys()) assert.ok(await converts(converter, nth));
    await untilOver(() => others().length === 0);
    const before = descriptors();

    const perKill = Math.floor(COUNT / KILLS);
    const failed: number[] = [];
    let kills = 0;
    for (let nth = 0; nth < COUNT; nth += 1) {
      const due = performance.now() + (MINUTES > 0 ? EVERY_MS : 0);
      const conversion = converts(converter, WORK.length + nth);
      if (nth % perKill === 0 && kills < KILLS && (await killed(conversion, random))) kills += 1;
      if (!(await conversion)) failed.push(WORK.length + nth);
      await sleep(Math.max(0, due - performance.now()));
    }
    for (const nth of failed) assert.ok(await converts(converter, nth), `file ${nth}`);
    const folder = `${children.data}/jobs`;
    const left = () => readdirSync(folder).flatMap((one) => readdirSync(`${folder}/${one}`));
    await untilOver(() => others().length + left().length === 0);
    assert.deepEqual([others(), left()], [[], []]);
    assert.ok(descriptors() <= before + 2, `${before} descriptors before, ${descriptors()} after`);
    assert.ok(kills > 0);
    t.diagnostic(`${kills} kills, ${failed.length} of ${COUNT} were not made at first`);
  });
});
