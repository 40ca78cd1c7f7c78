import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isLater, labelFor, spellingsOf, statusOfParts, textFrom } from '../../../../scripts/bridge/chatwoot/content.ts';
import { chatwootUrl, listenAt, publicUrl, secretsIn } from '../../../../scripts/bridge/chatwoot/options.ts';

const refuses = (work: () => unknown): boolean => {
  try {
    work();
    return false;
  } catch (cause) {
    assert.equal(cause instanceof Error && cause.name, 'BridgeRefused');
    return true;
  }
};

describe('the bridge options', () => {
  it('reject an address that contains a password or would send the token unencrypted', () => {
    const wrong = [
      'http://chat.example.com',
      'http://8.8.8.8',
      'https://u:p@chat.example.com',
      'https://c.example.com?t=1',
      'ftp://x',
      'x',
    ];
    assert.deepEqual(
      wrong.filter((url) => !refuses(() => chatwootUrl(url))),
      [],
    );
    const right = ['https://chat.example.com/', 'http://127.0.0.1:3000', 'http://[::1]:3000', 'http://10.0.0.4', 'http://rails:3000/base/'];
    assert.deepEqual(right.map(chatwootUrl), [
      'https://chat.example.com',
      'http://127.0.0.1:3000',
      'http://[::1]:3000',
      'http://10.0.0.4',
      'http://rails:3000/base',
    ]);
    assert.ok(refuses(() => publicUrl('https://b.example.com?x=1')));
  });

  it('restrict the bridge to the local machine unless they give another address', () => {
    assert.deepEqual(listenAt('3100'), { host: '127.0.0.1', port: 3100 });
    assert.deepEqual(listenAt('0.0.0.0:3100'), { host: '0.0.0.0', port: 3100 });
    assert.deepEqual(listenAt('[::]:3100'), { host: '::', port: 3100 });
    assert.ok(refuses(() => listenAt('99999')) && refuses(() => listenAt('port')));
  });

  it('read secrets from the environment, and reject disabled TLS verification', () => {
    const env = { CHATWOOT_TOKEN: 'token', GATEWAY_KEY: 'key' };
    assert.deepEqual(secretsIn(env), { token: 'token', key: 'key', secret: null });
    for (const wrong of [{ GATEWAY_KEY: 'key' }, { CHATWOOT_TOKEN: 'token' }, { ...env, CHATWOOT_WEBHOOK_SECRET: 'x' }])
      assert.ok(refuses(() => secretsIn(wrong)));
    assert.ok(refuses(() => secretsIn({ ...env, NODE_TLS_REJECT_UNAUTHORIZED: '0' })));
  });
});

describe('the content converter between Chatwoot and the gateway', () => {
  it("converts an agent's Markdown to the network's formatting", () => {
    assert.equal(textFrom('**Yes**\\\n~~No~~ ', null), '*Yes*\n~No~');
    assert.equal(textFrom('Yes', 'De*wi\n'), '*Dewi:*\nYes');
    assert.equal(textFrom('', 'Dewi'), '');
  });

  it('matches Brazilian mobile numbers with and without the ninth digit', () => {
    assert.deepEqual(spellingsOf('5511987654321'), ['5511987654321', '551187654321']);
    assert.deepEqual(spellingsOf('551187654321'), ['551187654321', '5511987654321']);
    assert.deepEqual(spellingsOf('6281211110001'), ['6281211110001']);
  });

  it("reports the least advanced status among a reply's parts, and never moves a status backwards", () => {
    assert.equal(statusOfParts(['read', 'delivered']), 'delivered');
    assert.equal(statusOfParts(['read', null]), null);
    assert.equal(statusOfParts(['read', 'failed']), 'failed');
    assert.deepEqual(
      [isLater('read', 'delivered'), isLater(null, 'sent'), isLater('failed', 'sent'), isLater('sent', 'failed')],
      [false, true, false, true],
    );
  });

  it('converts labels to names that Chatwoot allows', () => {
    assert.deepEqual(['New customer', 'Lunas!', '🔥'].map(labelFor), ['new-customer', 'lunas', '']);
  });
});
