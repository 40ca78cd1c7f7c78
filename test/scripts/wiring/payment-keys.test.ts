import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfig } from '../../../scripts/wiring/config.ts';

const TEST = {
  midtrans: { MIDTRANS_SERVER_KEY: 'SB-Mid-server-EXAMPLE' },
  xendit: { XENDIT_SECRET_KEY: 'xnd_development_EXAMPLE', XENDIT_CALLBACK_TOKEN: 'callback-token' },
  stripe: { STRIPE_SECRET_KEY: 'sk_test_EXAMPLE', STRIPE_WEBHOOK_SECRET: 'whsec_EXAMPLE' },
} as const;
const LIVE = {
  midtrans: { MIDTRANS_SERVER_KEY: 'Mid-server-EXAMPLE' },
  xendit: { XENDIT_SECRET_KEY: 'xnd_production_EXAMPLE', XENDIT_CALLBACK_TOKEN: 'callback-token' },
  stripe: { STRIPE_SECRET_KEY: 'rk_live_EXAMPLE', STRIPE_WEBHOOK_SECRET: 'whsec_EXAMPLE' },
} as const;
const PROVIDERS = ['midtrans', 'xendit', 'stripe'] as const;

const read = (...envs: readonly Readonly<Record<string, string>>[]) => readConfig(Object.assign({}, ...envs), '/nowhere');

describe('payment provider keys', () => {
  it('prevent startup if test and live keys are mixed, and are not shown in the error', () => {
    for (const test of PROVIDERS)
      for (const live of PROVIDERS.filter((one) => one !== test))
        assert.throws(
          () => read(TEST[test], LIVE[live]),
          ({ message }: Error) => {
            const [one, other] = [test, live].map((name) => Object.keys(TEST[name])[0] ?? '');
            assert.equal(message, `${one} is a test key, but ${other} is a live key. Use keys of the same mode.`);
            assert.doesNotMatch(message, /EXAMPLE/);
            return true;
          },
        );
  });

  it('are accepted if all of them are test keys or all are live keys', () => {
    for (const kind of [TEST, LIVE]) assert.doesNotThrow(() => read(kind.midtrans, kind.xendit, kind.stripe));
  });

  it('prevent startup if one key of a pair is missing, and the error names it', () => {
    assert.throws(
      () => read({ STRIPE_SECRET_KEY: 'sk_test_EXAMPLE' }),
      /^Error: STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be set together/,
    );
    assert.throws(
      () => read({ XENDIT_CALLBACK_TOKEN: 'callback-token' }),
      /^Error: XENDIT_SECRET_KEY and XENDIT_CALLBACK_TOKEN must be set together/,
    );
  });
});
