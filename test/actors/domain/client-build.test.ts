import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DEFAULT_CONNECTION_CONFIG } from '@whiskeysockets/baileys';
import {
  acked,
  ageInUse,
  ageOf,
  BUILT_IN,
  type BuildSettings,
  buildFor,
  buildIn,
  buildInPage,
  claimed,
  closed,
  departed,
  expiryOf,
  inUse,
  isUrgent,
  lookedUp,
  lookUpBegun,
  lookUpDue,
  NO_BUILDS,
  noticed,
  opened,
  pinnedTo,
  settled,
  toTry,
} from '../../../actors/domain/client-build.ts';
import type { Builds } from '../../../store/devices/client-build.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 28);
const NEW = BUILT_IN + 1_000_000;
const AUTOMATIC: BuildSettings = { pinned: null, canaries: [], looksUp: true };
const fit = (sessionId: string) => ({ sessionId, isFit: true });

/** Builds with a candidate that waits for its canary. */
const withCandidate: Builds = { ...NO_BUILDS, candidate: { build: NEW, at: NOW } };
const tried = (at = NOW, sessionId = 'a', builds = withCandidate): Builds => claimed(builds, AUTOMATIC, fit(sessionId), at);
const used = (builds: Builds, settings = AUTOMATIC) => inUse(builds, settings);

/** The same answer of a look-up, and of the second look an hour later. */
function lookedUpTwice(first: number, second: number, at = NOW): Builds {
  const once = lookedUp(lookUpBegun(NO_BUILDS, 'daily', at), AUTOMATIC, { build: first, kind: 'daily' }, at);
  return lookedUp(lookUpBegun(once, 'confirming', at + HOUR), AUTOMATIC, { build: second, kind: 'confirming' }, at + HOUR);
}

describe('the client build', () => {
  it("defaults to the library's version", () => {
    assert.deepEqual(DEFAULT_CONNECTION_CONFIG.version, [2, 3000, BUILT_IN]);
    assert.deepEqual(used(NO_BUILDS), { build: BUILT_IN, source: 'built_in' });
  });

  it('has an age estimated from how often builds are released', () => {
    assert.equal(Math.floor(ageOf(BUILT_IN, NOW) / DAY), 127);
    assert.equal(ageOf(BUILT_IN, Date.UTC(2026, 0, 1)), 0, 'never below zero');
  });

  it('is read from the page whether or not its JSON is escaped, and malformed values are rejected', () => {
    assert.equal(buildInPage('x\\"client_revision\\":1026131876,'), 1_026_131_876);
    assert.equal(buildInPage('{"client_revision": 1026131876}'), 1_026_131_876);
    for (const page of ['', '<html>', '"client_revision":"soon"', '"client_revision":99999999999', '"client_revision":0'])
      assert.equal(buildInPage(page), null, page);
    for (const version of ['2.3000.', '2.3000.0', '2.3000.4294967296', '2.2.5', '3.3000.5', '2.3000.5 ', ''])
      assert.equal(buildIn(version), null, version);
  });
});

describe('a build lookup', () => {
  it('is due once a day, and once more an hour after it finds a new build', () => {
    assert.equal(lookUpDue(NO_BUILDS, AUTOMATIC, NOW), 'daily');
    const begun = lookUpBegun(NO_BUILDS, 'daily', NOW);
    assert.equal(lookUpDue(begun, AUTOMATIC, NOW + DAY - 1), null);
    assert.equal(lookUpDue(begun, AUTOMATIC, NOW + DAY), 'daily');
    const once = lookedUp(begun, AUTOMATIC, { build: NEW, kind: 'daily' }, NOW);
    assert.equal(lookUpDue(once, AUTOMATIC, NOW + HOUR - 1), null);
    assert.equal(lookUpDue(once, AUTOMATIC, NOW + HOUR), 'confirming');
    assert.equal(
      lookUpDue(lookUpBegun(once, 'confirming', NOW + HOUR), AUTOMATIC, NOW + HOUR),
      null,
      'a process that died does not ask again',
    );
    for (const settings of [
      { ...AUTOMATIC, looksUp: false },
      { ...AUTOMATIC, pinned: NEW },
    ])
      assert.equal(lookUpDue(NO_BUILDS, settings, NOW), null);
  });

  it('is trusted when two results agree on a plausible build', () => {
    assert.equal(toTry(lookedUpTwice(NEW, NEW), AUTOMATIC, NOW + HOUR), NEW);
    assert.equal(toTry(lookedUpTwice(NEW, NEW + 1), AUTOMATIC, NOW + HOUR), null, 'it flips');
    assert.equal(lookedUp(NO_BUILDS, AUTOMATIC, { build: NEW, kind: 'daily' }, NOW).candidate, null, 'once is not enough');
    const most = BUILT_IN + Math.floor((130_000 * ageOf(BUILT_IN, NOW)) / DAY);
    assert.equal(toTry(lookedUpTwice(most, most), AUTOMATIC, NOW + HOUR), most);
    for (const build of [4_000_000_000, most + 20_000, BUILT_IN, BUILT_IN - 1])
      assert.equal(toTry(lookedUpTwice(build, build), AUTOMATIC, NOW + HOUR), null, `${build}`);
  });

  it('runs at once if the current build is refused, and then needs only one result', () => {
    const refused = closed(NO_BUILDS, AUTOMATIC, { sessionId: 'x', build: BUILT_IN, code: 405 }, NOW);
    assert.deepEqual([isUrgent(NO_BUILDS, AUTOMATIC, NOW), isUrgent(refused, AUTOMATIC, NOW)], [false, true]);
    const begun = lookUpBegun(refused, 'urgent', NOW);
    assert.equal(isUrgent(begun, AUTOMATIC, NOW + 1), false);
    const later = closed(begun, AUTOMATIC, { sessionId: 'x', build: BUILT_IN, code: 405 }, NOW + HOUR);
    assert.equal(isUrgent(later, AUTOMATIC, NOW + HOUR), true);
    assert.equal(toTry(lookedUp(begun, AUTOMATIC, { build: NEW, kind: 'urgent' }, NOW), AUTOMATIC, NOW), NEW);
    assert.equal(closed(later, AUTOMATIC, { sessionId: 'y', build: BUILT_IN, code: 405 }, NOW + HOUR), later, 'thousands are one entry');
  });
});

describe('the canary device', () => {
  it('is a single eligible device, and the only one that announces the new build', () => {
    const builds = tried();
    assert.deepEqual([buildFor(builds, AUTOMATIC, 'a'), buildFor(builds, AUTOMATIC, 'b')], [NEW, BUILT_IN]);
    assert.equal(claimed(builds, AUTOMATIC, fit('b'), NOW), builds);
    assert.equal(claimed(withCandidate, AUTOMATIC, { sessionId: 'a', isFit: false }, NOW), withCandidate);
    const chosen = { ...AUTOMATIC, canaries: ['b'] };
    assert.equal(claimed(withCandidate, chosen, fit('a'), NOW), withCandidate);
    assert.equal(claimed(withCandidate, chosen, fit('b'), NOW).canary?.session_id, 'b');
  });

  it('confirms the build with an accepted message or half an hour online', () => {
    const waiting = tried();
    assert.equal(acked(waiting, 'a', NEW, NOW), waiting, 'it is not in yet');
    const online = opened(waiting, 'a', NEW, NOW);
    assert.equal(acked(online, 'b', BUILT_IN, NOW), online, 'another device says nothing of it');
    const proven = acked(online, 'a', NEW, NOW);
    assert.deepEqual([used(proven), proven.canary, proven.candidate], [{ build: NEW, source: 'looked_up' }, null, null]);
    assert.equal(settled(online, NOW + HOUR / 2 - 1), online);
    assert.equal(used(settled(online, NOW + HOUR / 2)).build, NEW);
  });

  it('is replaced if it never connects, or if another computer takes over its login', () => {
    assert.equal(settled(tried(), NOW + HOUR).canary, null);
    const replaced = closed(tried(), AUTOMATIC, { sessionId: 'a', build: NEW, code: 440 }, NOW);
    assert.deepEqual([replaced.canary, replaced.refused], [null, []]);
  });

  it('rolls back a refused build, and tries at most two builds a day', () => {
    let builds = withCandidate;
    const refusedAt = (at: number): void => {
      builds = closed(claimed(builds, AUTOMATIC, fit('a'), at), AUTOMATIC, { sessionId: 'a', build: NEW, code: 405 }, at);
    };
    refusedAt(NOW);
    assert.deepEqual([used(builds).build, buildFor(builds, AUTOMATIC, 'a'), builds.canary], [BUILT_IN, BUILT_IN, null]);
    assert.deepEqual([toTry(builds, AUTOMATIC, NOW + HOUR - 1), toTry(builds, AUTOMATIC, NOW + HOUR)], [null, NEW]);
    refusedAt(NOW + HOUR);
    assert.equal(toTry(builds, AUTOMATIC, NOW + 23 * HOUR), null);
    const another: Builds = { ...builds, candidate: { build: NEW + 1, at: NOW } };
    assert.equal(toTry(another, AUTOMATIC, NOW + 23 * HOUR), null, 'nor with another build');
    assert.equal(toTry(builds, AUTOMATIC, NOW + DAY), NEW);
  });

  it('causes at most two logouts a day, and builds can still be pinned after that', () => {
    let builds = withCandidate;
    for (const [nth, code] of [401, 403].entries()) {
      const at = NOW + nth * HOUR;
      const tries = claimed(builds, AUTOMATIC, fit(`d${nth}`), at);
      assert.equal(tries.canary?.session_id, `d${nth}`);
      builds = closed(opened(tries, `d${nth}`, NEW, at), AUTOMATIC, { sessionId: `d${nth}`, build: NEW, code }, at);
    }
    assert.equal(claimed(builds, AUTOMATIC, fit('d2'), NOW + 3 * HOUR), builds);
    assert.equal(typeof pinnedTo(builds, NEW, false, NOW + 3 * HOUR), 'object');
  });

  it('treats the build as refused if the network keeps closing the connection', () => {
    const online = opened(tried(), 'a', NEW, NOW);
    const ended = (builds: Builds): Builds => closed(builds, AUTOMATIC, { sessionId: 'a', build: NEW, code: 515 }, NOW);
    assert.equal(ended(ended(online)).canary?.losses, 2);
    assert.deepEqual([ended(ended(ended(online))).canary, ended(ended(ended(online))).refused.length], [null, 1]);
  });

  it('is replaced if it cannot stay online for half an hour without interruption', () => {
    const lost = (builds: Builds): Builds => closed(builds, AUTOMATIC, { sessionId: 'a', build: NEW, code: 428 }, NOW + HOUR / 4);
    const dropped = lost(opened(tried(), 'a', NEW, NOW));
    assert.deepEqual([dropped.canary?.losses, dropped.refused], [0, []]);
    assert.equal(lost(tried()).canary?.since, NOW, 'it was never in');
    assert.equal(settled(dropped, NOW + HOUR / 2).canary?.session_id, 'a');
    assert.deepEqual([used(settled(dropped, NOW + HOUR)).build, settled(dropped, NOW + HOUR).canary], [BUILT_IN, null]);
    const back = opened(dropped, 'a', NEW, NOW + HOUR / 3);
    assert.equal(used(settled(back, NOW + HOUR / 2)).build, BUILT_IN);
    assert.equal(used(settled(back, NOW + HOUR)).build, NEW);
  });

  it('is no longer the canary after it is deleted', () => {
    assert.deepEqual([departed(tried(), 'a').canary, departed(tried(), 'b').canary?.session_id], [null, 'a']);
  });
});

describe('the expiry date announced by the network', () => {
  const notice = (builds: Builds, at: number | null, build = BUILT_IN): Builds => noticed(builds, AUTOMATIC, { build, at }, NOW);

  it('can only move earlier, and never to less than three days from now', () => {
    const told = notice(NO_BUILDS, NOW + 10 * DAY);
    assert.equal(expiryOf(told, AUTOMATIC), NOW + 10 * DAY);
    assert.equal(notice(told, NOW + 20 * DAY), told);
    assert.equal(expiryOf(notice(told, NOW + 5 * DAY), AUTOMATIC), NOW + 5 * DAY);
    assert.equal(expiryOf(notice(told, NOW - DAY), AUTOMATIC), NOW + 3 * DAY);
    assert.equal(expiryOf(notice(told, null), AUTOMATIC), null);
    assert.equal(notice(NO_BUILDS, NOW + DAY, NEW), NO_BUILDS);
    const pinned = pinnedTo(told, NEW, false, NOW);
    assert.equal(typeof pinned === 'object' && expiryOf(pinned, AUTOMATIC), null, 'another build has another end');
  });
});

describe('a pinned build', () => {
  it('overrides the setting and all lookups on every device until it is removed', () => {
    const setting = { ...AUTOMATIC, pinned: NEW };
    assert.deepEqual(used(NO_BUILDS, setting), { build: NEW, source: 'pinned' });
    const pinned = pinnedTo(tried(), NEW + 5, false, NOW);
    assert.ok(typeof pinned === 'object');
    assert.deepEqual([used(pinned, setting).build, buildFor(pinned, AUTOMATIC, 'a'), pinned.canary], [NEW + 5, NEW + 5, null]);
    const free = pinnedTo(pinned, null, false, NOW);
    assert.ok(typeof free === 'object');
    assert.equal(used(free, setting).build, NEW);
  });

  it('has an age that is counted from the time of the pin', () => {
    const pinned = pinnedTo(NO_BUILDS, 4_294_967_295, true, NOW);
    assert.ok(typeof pinned === 'object');
    assert.equal(ageInUse(pinned, AUTOMATIC, NOW + 61 * DAY), 61 * DAY);
    assert.equal(ageInUse(NO_BUILDS, AUTOMATIC, NOW), ageOf(BUILT_IN, NOW));
  });

  it('cannot be a build that the network refused, nor one older than the built-in build unless forced', () => {
    assert.equal(pinnedTo(NO_BUILDS, BUILT_IN - 1, false, NOW), 'too_old');
    assert.equal(typeof pinnedTo(NO_BUILDS, BUILT_IN - 1, true, NOW), 'object');
    const refused = closed(NO_BUILDS, AUTOMATIC, { sessionId: 'x', build: BUILT_IN, code: 405 }, NOW);
    assert.equal(pinnedTo(refused, BUILT_IN, true, NOW), 'refused');
  });
});
