import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { clockInDays, localText, momentOf } from '../../../../../http/console/app/words/moment.ts';

const iso = (at: number | null): string => new Date(at ?? 0).toISOString().slice(0, 16);

describe('a time typed in the zone of the business', () => {
  it('keeps its minutes while a year is typed, even in years with unusual UTC offsets', () => {
    for (const zone of ['Asia/Jakarta', 'America/New_York', 'UTC'])
      for (const year of ['0002', '0020', '0202', '2027']) {
        const typed = `${year}-01-05T21:30`;
        const at = momentOf(typed, zone);
        assert.equal(at && localText(at, zone), typed, zone);
      }
    for (const unfinished of ['', '2027-01-05', 'tomorrow']) assert.equal(momentOf(`${unfinished}T`, 'UTC'), null);
  });

  it('is the first of two if the clocks are set back, and as much later if they skip it', () => {
    for (const [zone, typed, meant] of [
      ['America/New_York', '2026-11-01T00:30', '2026-11-01T04:30'],
      ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30'],
      ['America/New_York', '2026-11-01T02:00', '2026-11-01T07:00'],
      ['America/New_York', '2026-03-08T01:59', '2026-03-08T06:59'],
      ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30'],
      ['America/New_York', '2026-03-08T03:00', '2026-03-08T07:00'],
      ['Australia/Lord_Howe', '2026-10-04T02:10', '2026-10-03T15:40'],
      ['Pacific/Apia', '2011-12-30T12:00', '2011-12-30T22:00'],
      ['Pacific/Kiritimati', '2026-11-01T00:00', '2026-10-31T10:00'],
      ['Asia/Jakarta', '2026-11-01T09:00', '2026-11-01T02:00'],
    ] as const)
      assert.equal(iso(momentOf(typed, zone)), meant, `${typed} in ${zone}`);
    assert.equal(localText(Date.parse('2026-03-08T07:30Z'), 'America/New_York'), '2026-03-08T03:30');
  });

  it('is on the next day of the calendar, however long the days are', () => {
    for (const [now, days, meant] of [
      ['2026-11-01T04:30Z', 1, '2026-11-02T13:00'],
      ['2026-03-08T04:30Z', 1, '2026-03-08T12:00'],
      ['2026-12-31T12:00Z', 7, '2027-01-07T13:00'],
    ] as const)
      assert.equal(iso(clockInDays(Date.parse(now), days, '08:00', 'America/New_York')), meant, now);
  });
});
