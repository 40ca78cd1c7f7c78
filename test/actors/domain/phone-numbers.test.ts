import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countryFacts, isCountry, isTimezone } from '../../../actors/domain/countries.ts';
import { factsOf } from '../../../actors/domain/phone-numbers.ts';

const zonesOf = (country: string) => (isCountry(country) ? countryFacts(country).zones : []);

describe('defaults derived from a phone number', () => {
  it('include the country, calling code, time zone, language and currency', () => {
    const { zones, ...facts } = factsOf('6281234567890')!;
    assert.equal(zones.length, 4);
    assert.deepEqual(facts, {
      country: 'ID',
      callingCode: '62',
      timezone: 'Asia/Jakarta',
      locale: 'id',
      currency: 'IDR',
      display: '+62 812 3456 7890',
    });
    const { country, callingCode, timezone, locale, currency, display } = factsOf('12025550123')!;
    assert.deepEqual([country, callingCode, timezone, locale, currency], ['US', '1', 'America/New_York', 'en', 'USD']);
    assert.equal(display, '+1 202 555 0123');
  });

  it('use the main country if a shared calling code is ambiguous', () => {
    assert.equal(factsOf('15551234567')?.country, 'US');
    assert.equal(factsOf('12042345678')?.country, 'CA');
  });

  it('are absent for numbers without a country', () => assert.equal(factsOf('80012345678'), null));
});

describe('the time zones of a country', () => {
  it('start with the most populous zone, and are all valid', () => {
    assert.equal(zonesOf('BR')[0], 'America/Sao_Paulo');
    assert.equal(zonesOf('IN')[0], 'Asia/Kolkata');
    assert.deepEqual(zonesOf('ID').toSorted(), ['Asia/Jakarta', 'Asia/Jayapura', 'Asia/Makassar', 'Asia/Pontianak']);
    for (const country of ['US', 'RU', 'AU', 'XK', 'VN', 'UA', 'IN']) {
      assert.ok(zonesOf(country).every(isTimezone), country);
      assert.equal(new Set(zonesOf(country)).size, zonesOf(country).length);
    }
  });

  it('are names, not offsets', () => {
    assert.equal(isTimezone('Asia/Jakarta'), true);
    assert.equal(isTimezone('UTC'), true);
    for (const name of ['+07:00', 'Mars/Olympus', '', 'asia']) assert.equal(isTimezone(name), false, name);
  });
});
