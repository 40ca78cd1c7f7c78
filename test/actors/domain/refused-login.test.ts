import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lostBy, pauseAfter, refusalOf, refusedAs, reportedReason } from '../../../actors/domain/refused-login.ts';

const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 10, 28);

describe('a refused login', () => {
  it('has the reason documented for its network code', () => {
    const meanings = new Map<number, string | null>([
      ...[400, 406, 409, 411, 412, 413, 414, 415, 418, 501].map((code) => [code, 'network_refused'] as const),
      [401, 'logged_out'],
      [402, 'banned_temporarily'],
      [403, 'banned'],
      [405, 'client_outdated'],
      ...[0, 404, 408, 428, 429, 440, 500, 502, 503, 515, 1000].map((code) => [code, null] as const),
    ]);
    for (const [code, reason] of meanings) assert.equal(refusedAs(code), reason, `${code}`);
    assert.deepEqual([refusalOf(401), refusalOf(403)], [null, null], 'these have to be linked again');
  });

  it('is reported as a documented reason, or else with its status code', () => {
    const reported = (reason: string | null, code: number | null) => reportedReason({ reason, code });
    assert.deepEqual(
      [
        reported(null, null),
        reported('logged_out', 401),
        reported('banned', 403),
        reported('client_outdated', 405),
        reported('banned_temporarily', 402),
        reported('replaced', 440),
        reported('network_refused', 409),
        reportedReason(lostBy(428)),
        reportedReason(lostBy(0)),
        reportedReason(lostBy(502)),
      ],
      [
        ...['status_1000', 'logged_out', 'banned', 'status_405', 'status_402', 'status_440', 'status_409'],
        ...['status_428', 'status_0', 'status_502'],
      ],
    );
    assert.deepEqual([lostBy(0).reason, lostBy(503).code, lostBy(502).code], ['unreachable', 503, null]);
  });

  it('is retried within the hour, or at the time that the network gives', () => {
    for (const jitter of [0, 0.5, 0.999]) {
      const hourly = pauseAfter(null, 1_000, jitter, NOW);
      assert.ok(hourly >= 0.9 * HOUR && hourly <= HOUR, `${hourly}`);
      const named = pauseAfter(NOW + 7 * HOUR, 1_000, jitter, NOW);
      assert.ok(named >= 7 * HOUR && named <= 7 * HOUR + 1_000, `${named}`);
    }
    assert.equal(pauseAfter(NOW - 1, 64_000, 0, NOW), 64_000, 'a network that names the past again and again is not hammered');
  });
});
