import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { RE2Set } from 're2js';
import { type ReadyRules, readyRules } from '../../../../actors/services/auto-reply/matching.ts';
import { linearPattern } from '../../../../actors/services/auto-reply/regex.ts';
import judge from '../../../../actors/services/auto-reply/regex-worker.ts';
import { type Clock, systemClock } from '../../../../runtime/clock.ts';
import { seededRandom } from '../../../../runtime/random.ts';
import { safeText } from '../../../../runtime/safe-text.ts';
import type { RuleRow } from '../../../../store/auto-reply/auto-replies.ts';
import { isNight } from '../../../support/night.ts';

const corpus = (name: string): readonly string[] =>
  readFileSync(join(import.meta.dirname, 'corpus', `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n');

/** By day every sixth of a corpus. */
const some = (patterns: readonly string[]): readonly string[] => patterns.filter((_pattern, nth) => isNight || nth % 6 === 0);

const verdictOf = (source: string) => judge({ source, matchCase: false });

/** What backtracking engines choke on. */
const CHOKING = ['a', 'ab', '0', ' ', 'x', 'aA', 'halo', '.', ',a', '-a'].map((part) => `${part.repeat(4_000).slice(0, 4_000)}!`);

describe('a regular expression in a rule', () => {
  it('is accepted in every form that businesses typically use', () => {
    const patterns = corpus('ordinary');
    assert.ok(patterns.length >= 100);
    assert.deepEqual(
      some(patterns).filter((source) => verdictOf(source) !== 'safe'),
      [],
    );
  });

  it('is rejected if matching could take exponential time', () => {
    const patterns = corpus('evil');
    assert.ok(patterns.length >= 200);
    const accepted = some(patterns).filter((source) => verdictOf(source) === 'safe');
    // Quadratic ones, like `\\s+$`: everyday patterns are no better.
    assert.ok(accepted.length <= (isNight ? 15 : 5), `accepted: ${accepted.join('\n')}`);
    for (const source of some(patterns)) for (const text of CHOKING) linearPattern(source, false)?.isIn(text);
  });

  it('is judged the same on machines of any speed', () => {
    const sources = ['(.*,){11}x', 'order.*late', ...(isNight ? ['(.*a){20}', '^(\\w+ ){1,40}x$'] : [])];
    const { now } = performance;
    const verdicts = [0, 10_000].map((msPerLook) => {
      let ms = 0;
      performance.now = () => (ms += msPerLook);
      try {
        return sources.map(verdictOf);
      } finally {
        performance.now = now;
      }
    });
    assert.deepEqual(verdicts[0], ['unsafe', 'safe', ...(isNight ? ['safe', 'unsafe'] : [])]);
    assert.deepEqual(verdicts[1], verdicts[0]);
  });

  it('has the same meaning as in JavaScript', () => {
    const found = (source: string, text: string, matchCase = false) => linearPattern(source, matchCase)?.isIn(text);
    assert.deepEqual(
      [found('harga|price', 'The PRICE?'), found('harga|price', 'The PRICE?', true), found('^\\d{3}$', '123'), found('👍|🙏', 'ok 🙏')],
      [true, false, true, true],
    );
    assert.equal(found('(?<order>\\d+)', 'no. 7'), true);
    assert.equal(linearPattern('(a{1000}){1000}', false), null);
  });
});

describe("tenants' patterns", () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const heapMb = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };

  it('need little memory, however many automaton states they have', async () => {
    const patterns = Array.from({ length: 40 }, (_, nth) => `[ax][abx]{20}[c-g${letter(nth)}]`);
    assert.equal(verdictOf(patterns[0]!), 'safe');
    const ready = aBook('t', patterns);
    const random = seededRandom(7);
    const texts = Array.from({ length: 20 }, () => Array.from({ length: 400 }, () => 'abx'[Math.floor(random() * 3)]).join(''));
    const before = heapMb();
    for (const text of texts) assert.equal(await ready.match(safeText(text)), null);
    const grown = heapMb() - before;
    assert.ok(grown < 20, `${grown} MB`);
    assert.equal((await ready.match(safeText(`${texts[0]?.slice(0, 370)} xa${'b'.repeat(20)}${letter(9)}`)))?.trigger_text, patterns[9]);
  });

  it('need little memory, even for 1,500 devices', async () => {
    const before = heapMb();
    const books = Array.from({ length: 1_500 }, (_, nth) => aBook(`t${nth}`, [`^(.?){100}${letter(nth)}$`]));
    for (const book of books) await book.match(safeText('hello'));
    const grown = heapMb() - before;
    assert.ok(grown < 80, `${grown} MB`);
    assert.ok(await books[0]!.match(safeText(`hello${letter(0)}`)));
  });

  it("do not delay another tenant's replies, however many messages arrive", async () => {
    let now = 0;
    // Each look at the clock is a slice later.
    const clock = { monotonic: () => (now += 3) };
    const patterns = Array.from({ length: 10 }, (_, nth) => `never${nth}`);
    const busy = aBook('busy', patterns, clock);
    const done: string[] = [];
    const many = Array.from({ length: 20 }, () => busy.match(safeText('halo')).then(() => done.push('busy')));
    const one = aBook('other', patterns, clock).match(safeText('halo'));
    await Promise.all([...many, one.then(() => done.push('other'))]);
    assert.equal(done[0], 'other');
  });
});

describe('compiled rule patterns', () => {
  let hours = 0;
  /** So much later that all memory is to be had. */
  const later = () => {
    let at = ++hours * 3_600_000 + systemClock.monotonic();
    return { monotonic: () => at, pass: (ms: number) => (at += ms) };
  };
  const WORDS = Array.from({ length: 48 }, (_, nth) => `${'abcdefgh'[nth % 8]}${nth}price`).join('|');
  const large = (from: number, count: number) => Array.from({ length: count }, (_, nth) => `(${WORDS}|${from + nth}q)`);

  it('are cached even for a device with the maximum number and size of patterns', async (t) => {
    const patterns = large(1_000, 500);
    assert.equal(verdictOf(patterns[0]!), 'safe');
    const book = aBook('large', patterns, later());
    const { mock } = t.mock.method(RE2Set.prototype, 'compile');
    await book.match(safeText('halo kak'));
    assert.equal(mock.callCount(), 500);
    await book.match(safeText('halo kak'));
    assert.equal(mock.callCount(), 500);
  });

  it('are evicted only for the tenant that exceeds the memory limit', async (t) => {
    const clock = later();
    const small = aBook('small', ['harga|price', 'ongkir', '^halo'], clock);
    await small.match(safeText('apa kabar'));
    const books = [0, 500, 1_000].map((from) => aBook('large', large(2_000 + from, 500), clock));
    for (const book of books) await book.match(safeText('halo kak'));
    const { mock } = t.mock.method(RE2Set.prototype, 'compile');
    for (const book of books) await book.match(safeText('halo kak'));
    const again = mock.callCount();
    assert.ok(again > 0 && again < 1_000, `${again}`);
    await small.match(safeText('apa kabar'));
    assert.equal(mock.callCount(), again);
  });

  it('are evicted from a tenant with many patterns to make room for a tenant with fewer', async (t) => {
    const clock = later();
    const books = [0, 500, 1_000].map((from) => aBook('large', large(4_000 + from, 500), clock));
    for (const book of books) await book.match(safeText('halo kak'));
    const other = aBook('other', large(6_000, 100), clock);
    await other.match(safeText('halo kak'));
    const { mock } = t.mock.method(RE2Set.prototype, 'compile');
    await other.match(safeText('halo kak'));
    assert.equal(mock.callCount(), 0);
  });

  it('are evicted to make room for the patterns that replace them', async (t) => {
    const clock = later();
    for (const from of [0, 500, 1_000]) await aBook('large', large(8_000 + from, 500), clock).match(safeText('halo kak'));
    clock.pass(61_000);
    const changed = aBook('large', large(10_000, 500), clock);
    await changed.match(safeText('halo kak'));
    const { mock } = t.mock.method(RE2Set.prototype, 'compile');
    await changed.match(safeText('halo kak'));
    assert.equal(mock.callCount(), 0);
  });
});

const letter = (nth: number): string => String.fromCharCode(0x100 + 2 * nth);

const aBook = (tenant_id: string, patterns: readonly string[], clock: Pick<Clock, 'monotonic'> = systemClock): ReadyRules =>
  readyRules({ _id: tenant_id, tenant_id, rev: 1, rules: patterns.map(aRule) }, clock);

const aRule = (trigger_text: string, nth: number): RuleRow => ({
  id: `r${nth}`,
  name: `rule ${nth}`,
  trigger_type: 'regex',
  trigger_text,
  match_case: 0,
  reply_type: 'text',
  reply_body: 'x',
  reply_r2_key: null,
  reply_caption: null,
  cooldown_ms: 0,
  priority: 0,
  is_active: 1,
  created_at: nth,
});
