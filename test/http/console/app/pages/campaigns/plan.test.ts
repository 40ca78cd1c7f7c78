import assert from 'node:assert/strict';
import { it } from 'node:test';
import { forecast, type Pace, recipientsIn } from '../../../../../../http/console/app/pages/campaigns/plan.ts';

const pace = (more: Partial<Pace['settings']['send_window']> = {}): Pace => ({
  settings: {
    send_window: { enabled: true, start: '08:00', end: '20:00', days: [1, 2, 3, 4, 5], zone: 'business', ...more },
    pacing: { min_delay_ms: 4_000, max_delay_ms: 8_000, typing: false },
  },
  timezone: 'Asia/Jakarta',
});
/** In Jakarta, seven hours before UTC. 2026-01-02 is a Friday. */
const at = (text: string): number => Date.parse(`${text}:00+07:00`);

it('recipients are a number and perhaps a name a line, each number once', () => {
  assert.deepEqual(recipientsIn(' +62 812-1, Anna, Wijaya \n\n628122\n62812-1,again\n;nobody'), [
    { phone: '+62 812-1', name: 'Anna, Wijaya' },
    { phone: '628122' },
  ]);
});

it('a campaign leaves at its pace, and only while the window is open', () => {
  assert.deepEqual(forecast(101, at('2026-01-02T10:00'), pace()), { first: at('2026-01-02T10:00'), last: at('2026-01-02T10:10') });
  // Before it opens; in the evening before a weekend; longer than what is left of a day.
  assert.equal(forecast(1, at('2026-01-02T05:00'), pace()).first, at('2026-01-02T08:00'));
  assert.equal(forecast(1, at('2026-01-02T21:00'), pace()).first, at('2026-01-05T08:00'));
  assert.equal(forecast(701, at('2026-01-02T19:00'), pace()).last, at('2026-01-05T08:10'));
  assert.deepEqual(forecast(2, at('2026-01-03T03:00'), pace({ enabled: false })), {
    first: at('2026-01-03T03:00'),
    last: at('2026-01-03T03:00') + 6_000,
  });
  assert.deepEqual(forecast(5, at('2026-01-02T10:00'), pace({ days: [] })), { first: null, last: null });
});

it('the morning of a window over midnight belongs to the day before; one that ends when it begins is open all day', () => {
  const night = pace({ start: '20:00', end: '06:00', days: [5] });
  assert.equal(forecast(1, at('2026-01-03T02:00'), night).first, at('2026-01-03T02:00'));
  assert.equal(forecast(1, at('2026-01-02T02:00'), night).first, at('2026-01-02T20:00'));
  const always = pace({ start: '08:00', end: '08:00', days: [0, 1, 2, 3, 4, 5, 6] });
  assert.equal(forecast(1, at('2026-01-02T02:00'), always).first, at('2026-01-02T02:00'));
});
