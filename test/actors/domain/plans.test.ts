import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { planOf, plansFrom } from '../../../actors/domain/plans.ts';

describe('the plans', () => {
  it('are the four in the price list unless configured otherwise', () => {
    const plans = plansFrom(undefined);
    assert.deepEqual([...plans.keys()], ['free', 'starter', 'pro', 'business']);
    assert.deepEqual(plans.get('free'), {
      name: 'free',
      devices: 2,
      messages: 1_000,
      send_per_minute: 30,
      key_cap: 300,
      keys: 10,
      prices: { IDR: 0, USD: 0 },
      stores: 5,
      ai_replies: 50,
      open_drafts: 20,
      draft_recipients: 50_000,
      media_bytes: 1_000_000_000,
      overage: null,
    });
    assert.equal(plans.get('business')?.messages, 1_000_000);
    assert.deepEqual(
      [...plans.values()].map(({ name, overage }) => [name, overage !== null]),
      [
        ['free', false],
        ['starter', false],
        ['pro', true],
        ['business', true],
      ],
    );
  });

  it('can be changed value by value, and new plans can be added', () => {
    const whole = {
      devices: 1,
      messages: 2,
      send_per_minute: 3,
      key_cap: 4,
      keys: 9,
      stores: 5,
      ai_replies: 6,
      overage: { IDR: 7, USD: 8 },
    };
    const plans = plansFrom({ pro: { devices: 30 }, tiny: whole });
    assert.equal(plans.get('pro')?.devices, 30);
    assert.equal(plans.get('pro')?.messages, 100_000);
    assert.deepEqual(plans.get('tiny'), {
      name: 'tiny',
      ...whole,
      prices: { IDR: null, USD: null },
      open_drafts: 20,
      draft_recipients: 50_000,
      media_bytes: 1_000_000_000,
    });
  });

  it('match the price list in both currencies', () => {
    const prices = [...plansFrom(undefined).values()].map(({ prices, overage }) => [prices.IDR, prices.USD, overage?.IDR, overage?.USD]);
    assert.deepEqual(prices, [
      [0, 0, undefined, undefined],
      [149_000, 900, undefined, undefined],
      [499_000, 2_900, 15_000, 100],
      [1_999_000, 11_900, 10_000, 70],
    ]);
  });

  const bad: readonly (readonly [unknown, RegExp])[] = [
    [[], /^plans must be an object/],
    [{ pro: 3 }, /^plans\.pro must be an object/],
    [{ pro: { devices: -1 } }, /^plans\.pro\.devices must be a whole number from 0, not -1\.$/],
    [{ pro: { devises: 1 } }, /^plans\.pro\.devises is not a field of a plan/],
    [{ pro: { overage: { IDR: 5 } } }, /^plans\.pro\.overage\.USD/],
    [{ pro: { prices: { IDR: 1.5 } } }, /^plans\.pro\.prices\.IDR must be a whole number/],
    [{ tiny: { devices: 1 } }, /^plans\.tiny\.messages/],
  ];
  for (const [config, message] of bad)
    it(`are rejected if configured as ${JSON.stringify(config)}`, () => assert.throws(() => plansFrom(config), { message }));

  it("fall back to free if a tenant's plan no longer exists", () => assert.equal(planOf(plansFrom(null), 'gold').name, 'free'));
});
