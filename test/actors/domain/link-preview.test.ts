import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inviteIn, linkAskedFor, linkByDefault } from '../../../actors/domain/link-preview.ts';

describe('the link previewed for a text', () => {
  it('is the first https link, without the punctuation around it', () => {
    const cases: [string, string | null][] = [
      ['see https://a.id/x.', 'https://a.id/x'],
      ['(see https://a.id/x_(y)), please', 'https://a.id/x_(y)'],
      ['«https://a.id»!?', 'https://a.id'],
      ['http://a.id then HTTPS://b.id/c', 'HTTPS://b.id/c'],
      ['no xhttps://a.id link', null],
      ['nothing', null],
    ];
    for (const [text, link] of cases) assert.equal(linkByDefault(text), link, text);
  });

  it("is never a link with a query or one that comes from a token's value, by default", () => {
    for (const text of ['https://a.id/x?y=1', 'https://a.id/{var1}', 'https://{name}.id/x', 'Hi {name}'])
      assert.equal(linkByDefault(text), null, text);
    assert.equal(linkByDefault('https://a.id/reset?t=1 https://b.id'), null);
  });

  it("can be any link in the template on request, except one that comes from a token's value", () => {
    assert.equal(linkAskedFor('https://a.id/x?y=1', 'https://a.id/x?y=1'), 'https://a.id/x?y=1');
    assert.equal(linkAskedFor('{name}: https://a.id/o/{var1}', 'https://evil.id: https://a.id/o/7'), 'https://a.id/o/7');
    assert.equal(linkAskedFor('Hi {name}', 'Hi https://evil.id'), null);
    assert.equal(linkAskedFor('https://{var1}/x', 'https://evil.id/x'), null);
    assert.equal(linkAskedFor('http://a.id', 'http://a.id'), 'http://a.id');
  });

  it("is treated as a group or channel invitation only if it has the network's own address", () => {
    for (const link of [
      'https://chat.whatsapp.com/AbCdEfGh',
      'https://chat.whatsapp.com/invite/AbCdEfGh/',
      'https://chat.whatsapp.com/AbCdEfGh?mode=r',
    ])
      assert.deepEqual(inviteIn(link), { to: 'group', code: 'AbCdEfGh' }, link);
    assert.deepEqual(inviteIn('https://www.whatsapp.com/channel/0029VaAb'), { to: 'channel', code: '0029VaAb' });
    const others = [
      'http://chat.whatsapp.com/AbCdEfGh',
      'https://chat.whatsapp.com.evil.id/AbCdEfGh',
      'https://whatsapp.com/AbCdEfGh',
      'https://a.id/https://chat.whatsapp.com/AbCdEfGh',
    ];
    for (const link of others) assert.equal(inviteIn(link), null, link);
  });

  it('is found in linear time', () => {
    const text = `https://a.id/${')'.repeat(2_000)} `.repeat(30);
    const began = process.cpuUsage();
    linkByDefault(text);
    const { user } = process.cpuUsage(began);
    assert.ok(user < 500_000, `${user} µs`);
  });
});
