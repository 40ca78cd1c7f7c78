import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isTimezone } from '../../../actors/domain/countries.ts';
import { zoneOfPhone } from '../../../actors/domain/phone-zones.ts';

const ZONES = [
  ['a country with a single zone', '4915123456789', 'Europe/Berlin'],
  ['an Indonesian mobile number', '6281234567890', 'Asia/Jakarta'],
  ['a fixed line on Bali', '62361123456', 'Asia/Makassar'],
  ['New York', '12125550123', 'America/New_York'],
  ['Chicago', '13125550123', 'America/Chicago'],
  ['Phoenix, without daylight saving time', '16025550123', 'America/Phoenix'],
  ['Vancouver', '16045550123', 'America/Vancouver'],
  ['Manaus', '5592991234567', 'America/Manaus'],
  ['São Paulo', '5511991234567', 'America/Sao_Paulo'],
  ['Tijuana', '526641234567', 'America/Tijuana'],
  ['Darwin', '61889123456', 'Australia/Darwin'],
  ['Vladivostok', '74232123456', 'Asia/Vladivostok'],
  ['Tenerife', '34922123456', 'Atlantic/Canary'],
  ['Kathmandu', '9779812345678', 'Asia/Kathmandu'],
] as const;

for (const [who, digits, zone] of ZONES) it(`zoneOfPhone returns ${zone} for ${who}`, () => assert.equal(zoneOfPhone(digits), zone));

it('a phone number without a country has no time zone', () => assert.equal(zoneOfPhone('881612345678'), null));

it('a phone number from any area has a valid time zone', () => {
  for (let area = 200; area < 1_000; area += 1) {
    for (const country of ['1', '7', '52', '55', '61', '62', '34', '351', '64']) {
      const zone = zoneOfPhone(`${country}${area}5550123`);
      assert.ok(zone === null || isTimezone(zone), `${country}${area}: ${zone}`);
    }
  }
});
